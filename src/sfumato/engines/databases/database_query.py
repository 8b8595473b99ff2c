"""A table or query of a database, and its rows as a file that an engine reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.engines.databases import duckdb_database, postgres_database, sqlite_database
from sfumato.engines.databases.base import quoted_column, quoted_table
from sfumato.engines.readable_files import ReadableFile
from sfumato.errors import DataError, UsageError
from sfumato.runtime.private_folders import PrivateFolder

Snapshot = Callable[[str, str, Path], None]
"""Writes the rows of a SELECT to a Parquet file, as they were at one moment; the database is named first."""

_KINDS: Mapping[str, tuple[str, Snapshot]] = {
    "sqlite": ("SQLite", sqlite_database.snapshot),
    "duckdb": ("DuckDB", duckdb_database.snapshot),
    "postgresql": ("PostgreSQL", postgres_database.snapshot),
}
"""For each kind of database what messages call it, and how rows are read."""


@dataclass(frozen=True)
class DatabaseQuery:
    """A table of a database, or a SELECT: `sqlite:FILE`, `duckdb:FILE` or `postgresql:...`.

    A PostgreSQL database is named by a connection string or URI without a password; passwords are read from the
    password file or service file of PostgreSQL. Files are relative to `folder`.
    """

    database: str
    table: str | None = None
    query: str | None = field(default=None, repr=False)
    folder: Path = Path()

    def __post_init__(self) -> None:
        kind, colon, rest = self.database.partition(":")
        if kind not in _KINDS or not colon or not rest:
            raise UsageError("a database is written sqlite:FILE, duckdb:FILE or postgresql:CONNECTION.")
        if (self.table is None) == (self.query is None):
            raise UsageError("a database needs 'table' or 'query', one of them.")
        if kind == "postgresql":
            postgres_database.refuse_password(rest)

    @property
    def described(self) -> str:
        """What messages call it; a query and a connection string are not shown."""
        kind = _KINDS[self._kind][0]
        return f"table {self.table!r} of the {kind} database" if self.table else f"the query to the {kind} database"

    def read(self) -> ReadableFile:
        """The rows as they are now, in a private file."""
        snapshot = _KINDS[self._kind][1]
        folder = PrivateFolder()
        path = folder.path / "rows.parquet"
        # SQLite has no schemas but its own, main
        schema = self._kind != "sqlite" or str(self.table).startswith("main.")
        quoted = quoted_table if schema else quoted_column
        select = str(self.query).rstrip().removesuffix(";")
        if self.table is not None:
            select = f"SELECT * FROM {quoted(self.table)}"
        try:
            snapshot(self._place, select, path)
        except OSError:
            raise DataError(f"{self.described} cannot be stored while it is read: the disk may be full.") from None
        return ReadableFile(path, self.described, copied_to=folder)

    @property
    def _kind(self) -> str:
        return self.database.partition(":")[0]

    @property
    def _place(self) -> str:
        """The file of the database, or what PostgreSQL is connected by."""
        rest = self.database.partition(":")[2]
        if self._kind == "postgresql":
            return self.database if rest.startswith("//") else rest
        path = self.folder / rest
        if not path.is_file():
            raise DataError(f"there is no database file {str(path)!r}.")
        return str(path)


def database_file(database: str) -> str | None:
    """The file of a database, if it is one: `x.db` for `sqlite:x.db`."""
    kind, _, rest = database.partition(":")
    return rest if rest and kind in ("sqlite", "duckdb") else None


def names_database(text: str) -> bool:
    """Whether a text names a database and not a file."""
    return text.partition(":")[0] in _KINDS and ":" in text
