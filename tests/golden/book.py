"""The book's printed tables (see README.md), as tables whose groups a stranger would see."""

from __future__ import annotations

import csv
from pathlib import Path

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups

FOLDER = Path(__file__).parent


def read(name: str) -> dict[str, list[str | None]]:
    """The columns of a golden file."""
    with (FOLDER / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {column: [row[column] for row in rows] for column in rows[0]}


def table(name: str, *, quasi: list[str], sensitive: list[str] | tuple[str, ...] = ()) -> Table:
    """A golden file with roles, its values as printed."""
    return Table.of_rows(Schema.of(quasi=quasi, sensitive=sensitive), read(name))


def groups(name: str, *, quasi: list[str], sensitive: list[str] | tuple[str, ...] = ()) -> Groups:
    """Who looks like whom in a golden file."""
    return Groups.of(table(name, quasi=quasi, sensitive=sensitive), quasi)


def patients_3anon() -> Groups:
    """Table 2.4: first the group of four artists, then that of three professionals."""
    return groups("patients_3anon", quasi=["Job", "Sex", "Age"], sensitive=["Disease"])
