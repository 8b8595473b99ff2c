"""Loads the Adult census extract, which most papers use. Its files are not part of the package."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import DataError

QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
SENSITIVE = "salary-class"
Part = Literal["train", "test", "all"]


def data_folder(folder: str | Path | None = None) -> Path:
    """The folder with data files: the given one, else that in SFUMATO_DATA, else ../shared/data."""
    if folder is not None:
        return Path(folder)
    configured = os.environ.get("SFUMATO_DATA")
    return Path(configured) if configured else Path(__file__).resolve().parents[3].parent / "shared" / "data"


def adult(folder: str | Path | None = None, part: Part = "train", complete: bool = True) -> Table:
    """Adult with the eight quasi columns of the literature and their level files; the salary class is sensitive."""
    return Table.read(adult_file(folder, part, complete), adult_schema(folder))


def adult_file(folder: str | Path | None = None, part: Part = "train", complete: bool = True) -> Path:
    """The path of the CSV file of a part, with or without incomplete records; `all` exists only without them."""
    if part == "all" and not complete:
        raise DataError("part='all' of Adult is available only without incomplete records; use complete=True.")
    path = _folder(folder) / f"adult_{part}{'_complete' if complete else ''}.csv"
    if not path.is_file():
        raise DataError(f"there is no file {path.name!r} in the Adult folder.")
    return path


def adult_schema(folder: str | Path | None = None) -> Schema:
    """The schema: eight quasi columns with level files, the salary class as sensitive column, `?` as missing value."""
    from sfumato.taxonomies.reading import builder_from_plan

    levels = _folder(folder) / "hierarchies"
    taxonomies = {name: builder_from_plan({"file": f"adult_hierarchy_{name}.csv"}, levels) for name in QUASI}
    return Schema.of(quasi=QUASI, sensitive=[SENSITIVE], taxonomies=taxonomies, missing=["?"])


def _folder(folder: str | Path | None) -> Path:
    """The folder with the Adult files: `adult` in the data folder, or the data folder itself."""
    found = data_folder(folder)
    inner = found / "adult"
    chosen = inner if inner.is_dir() else found
    if not (chosen / "hierarchies").is_dir():
        raise DataError(
            f"the Adult files are not in {str(found)!r}; set SFUMATO_DATA to the folder with 'adult', or pass it."
        )
    return chosen
