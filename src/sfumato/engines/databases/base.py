"""What readers of databases share: quoted names, and refusals."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.errors import SchemaError, StatementError


def quoted_column(name: str) -> str:
    """The name of a column as SQL.

    >>> quoted_column('a.b')
    '"a.b"'
    """
    return '"' + name.replace('"', '""') + '"'


def quoted_table(name: str) -> str:
    """The name of a table as SQL; `schema.table` names a table of a schema."""
    return ".".join(map(quoted_column, name.split(".")))


def no_select() -> StatementError:
    """The error for what is no single SELECT over tables that exist; what it says is not repeated."""
    return StatementError("a query of [data] is one SELECT over tables that the database has, and that may be read.")


def demand_different(names: Sequence[str]) -> None:
    """Raise an error if two columns have one name."""
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if twice:
        raise SchemaError(f"the query has more than one column called {twice[0]!r}; name them with AS.")
