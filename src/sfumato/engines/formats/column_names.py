"""The names of columns in the first row of a file, and names for columns that have none."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from sfumato.data.domain import guess_kind, readings
from sfumato.data.kinds import Kind
from sfumato.errors import DataError, SchemaError, listed

_YEAR = re.compile(r"(19|20)\d\d")


@dataclass(frozen=True)
class ColumnNames:
    """The names of the columns of a file; `index_columns` are those that have no name in it."""

    names: tuple[str, ...]
    index_columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, first: Sequence[str], header: bool | None, described: str) -> ColumnNames:
        """The names in a first row; with `header` false it is a record, and names are `column1`, `column2`, ..."""
        if header is None:
            _demand_names(first, described)
        found = list(first) if header is not False else [_unnamed(place, ()) for place in range(len(first))]
        # an index stands before the names; one name beside more columns without one is a title
        if len([name for name in found if name]) == 1 and len(found) > 2 and not found[-1]:
            raise DataError(
                f"{described} has a name for one of its {len(found)} columns; if its first line is a title, remove the "
                "lines above the names of the columns."
            )
        names = tuple(name or _unnamed(place, found) for place, name in enumerate(found))
        check_names(names, described)
        return cls(names, tuple(name for name, given in zip(names, found, strict=True) if not given))

    def table(self, columns: Sequence[pa.Array]) -> pa.Table:
        """A table of the columns, which says as a frame does which of them are an index."""
        index = json.dumps({"index_columns": list(self.index_columns)}).encode()
        return pa.table(list(columns), names=list(self.names), metadata={b"pandas": index})


def check_names(names: Sequence[str], described: str) -> None:
    """Raise an error for duplicate and empty column names."""
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if twice:
        raise SchemaError(f"{described} has more than one column called {listed(twice)}; rename them.")
    if not names or any(not name for name in names):
        raise SchemaError(f"{described} has a column without a name; give it one.")


def _unnamed(place: int, names: Sequence[str]) -> str:
    """A name for a column that has none: `column1`, with underscores if another column has this name."""
    name = f"column{place + 1}"
    while name in names:
        name += "_"
    return name


def _is_value(text: str) -> bool:
    """Whether a text is a number or a day, in any notation; months may be names, as years may."""
    kinds = {guess_kind([text]), *(one.kind for one in readings([text]))}
    return bool(kinds & {Kind.NUMBER, Kind.DATE})


def _demand_names(first: Sequence[str], described: str) -> None:
    """Raise an error if the first row of a file looks like a record: names are hardly ever numbers or dates.

    Years may be names, and so may 0, 1, 2, ..., which frames without names are written with.
    """
    counted = [str(place) for place in range(len(first))]
    if list(first) == counted or list(first[1:]) == counted[:-1]:
        return
    values = [text for text in first if not _YEAR.fullmatch(text) and _is_value(text)]
    if values:
        raise DataError(
            f"the first line of {described} looks like a record: {len(values)} of its {len(first)} values are numbers "
            "or dates. If the file has no names of columns, set [data] header = false, or --no-header on the command "
            "line; if these are names, header = true or --header."
        )
