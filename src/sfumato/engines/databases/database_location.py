"""Databases as plans and commands name them: `sqlite:FILE`, `duckdb:FILE` or `postgresql:CONNECTION`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from sfumato.engines.databases import duckdb_database, postgres_database, sqlite_database
from sfumato.engines.databases.base import StagedTables, quoted_table
from sfumato.errors import DataError, UsageError
from sfumato.runtime.private_folders import PrivateFolder


class _Kind(NamedTuple):
    """A kind of database: how the rows of a SELECT are copied to a Parquet file, and how tables are replaced.

    `names` is a SELECT for the names of its tables and views, and `quoted` writes a name as SQL.
    """

    snapshot: Callable[[str, str, Path], None]
    staged: type[StagedTables]
    names: str
    quoted: Callable[[str], str] = quoted_table


_NAMES = (
    "SELECT CASE WHEN table_schema = current_schema() THEN '' ELSE table_schema || '.' END || table_name AS name "
    "FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY name"
)
_KINDS: Mapping[str, _Kind] = {
    "sqlite": _Kind(
        sqlite_database.snapshot,
        sqlite_database.SqliteTables,
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name",
        sqlite_database.quoted_name,
    ),
    "duckdb": _Kind(duckdb_database.snapshot, duckdb_database.DuckdbTables, _NAMES),
    "postgresql": _Kind(postgres_database.snapshot, postgres_database.PostgresTables, _NAMES),
}


@dataclass(frozen=True)
class DatabaseLocation:
    """A database by its name. Files are relative to `folder`.

    A PostgreSQL database is named by a connection string or URI without a password; passwords are read from the
    password file or service file of PostgreSQL.
    """

    name: str
    folder: Path = Path()

    def __post_init__(self) -> None:
        kind, colon, rest = self.name.partition(":")
        if kind not in _KINDS or not colon or not rest:
            raise UsageError("a database is written sqlite:FILE, duckdb:FILE or postgresql:CONNECTION.")
        if kind == "postgresql":
            postgres_database.refuse_password(rest)

    @property
    def kind(self) -> str:
        """The part of its name before the colon."""
        return self.name.partition(":")[0]

    @property
    def label(self) -> str:
        """What messages call it; a connection string is not shown."""
        return _KINDS[self.kind].staged.label

    @property
    def file(self) -> Path | None:
        """Its file; None for one that is reached over a connection."""
        rest = database_file(self.name)
        return None if rest is None else self.folder / rest

    def quoted(self, table: str) -> str:
        """The name of a table as SQL; `a.b` is table b of schema a, if the database has schemas."""
        return _KINDS[self.kind].quoted(table)

    def snapshot(self, select: str, folder: Path) -> None:
        """Write the rows of a SELECT to Parquet files in an empty folder, as they were at one moment."""
        if self.file is not None and not self.file.is_file():
            raise DataError(f"there is no database file {str(self.file)!r}.")
        _KINDS[self.kind].snapshot(self._place, select, folder)

    def table_names(self) -> list[str]:
        """The names of its tables and views, in order; those outside the default schema with their schema."""
        with PrivateFolder() as folder:
            self.snapshot(_KINDS[self.kind].names, folder.path)
            names = [pq.read_table(path).column("name") for path in sorted(folder.path.iterdir())]
            return [str(name) for column in names for name in column.to_pylist()]

    def staged(self) -> StagedTables:
        """A transaction in which tables are replaced; a file that does not exist is created."""
        return _KINDS[self.kind].staged(self._place)

    def is_same(self, other: DatabaseLocation) -> bool:
        """Whether both names mean one database, as far as can be told from a connection."""
        if self.kind != other.kind:
            return False
        if self.file is not None and other.file is not None:
            return self.file.exists() and other.file.exists() and self.file.samefile(other.file)
        return postgres_database.identity(self._place) == postgres_database.identity(other._place)

    @property
    def _place(self) -> str:
        """The file, or what PostgreSQL is connected by."""
        rest = self.name.partition(":")[2]
        if self.file is None:
            return self.name if rest.startswith("//") else rest
        # A complete path, because names such as :memory: mean no file.
        return str(self.file.absolute())


def database_file(name: str) -> str | None:
    """The file of a database, if it is one: `x.db` for `sqlite:x.db`."""
    kind, _, rest = name.partition(":")
    return rest if rest and kind in ("sqlite", "duckdb") else None


def names_database(text: str) -> bool:
    """Whether a text names a database and not a file."""
    return text.partition(":")[0] in _KINDS and ":" in text
