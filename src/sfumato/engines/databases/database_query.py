"""A table or query of a database, and its rows as a file that an engine reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sfumato.engines.databases.database_location import DatabaseLocation
from sfumato.engines.formats.parquet_folders import parts_of
from sfumato.engines.readable_files import ReadableFile
from sfumato.errors import DataError, SchemaError, StatementError, UsageError, listed, nearest
from sfumato.runtime.private_folders import PrivateFolder


@dataclass(frozen=True)
class DatabaseQuery:
    """A table of a database, or a SELECT."""

    database: DatabaseLocation
    table: str | None = None
    query: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if (self.table is None) == (self.query is None):
            hint = "" if self.table is not None else self._tables_or_fault()
            raise UsageError(
                f"a database needs 'table' or 'query', one of them (--table or --query on the command line){hint}."
            )

    @property
    def described(self) -> str:
        """What messages call it; a query and a connection string are not shown."""
        label = self.database.label
        return f"table {self.table!r} of the {label} database" if self.table else f"the query to the {label} database"

    @property
    def select(self) -> str:
        """The SELECT whose rows are read."""
        if self.table is None:
            return str(self.query).rstrip().removesuffix(";")
        return f"SELECT * FROM {self.database.quoted(self.table)}"

    def read(self) -> ReadableFile:
        """The rows as they are now, in private files."""
        folder = PrivateFolder()
        path = folder.path / "rows"
        path.mkdir()
        try:
            self.database.snapshot(self.select, path)
        except StatementError:
            tables = [] if self.table is None else self.database.table_names()
            if self.table is None or self.table in tables:
                raise
            raise self._no_table(self.table, tables) from None
        except OSError:
            raise DataError(f"{self.described} cannot be stored while it is read: the disk may be full.") from None
        return ReadableFile(path, self.described, parts=parts_of(path, self.described), copied_to=folder)

    def _tables_or_fault(self) -> str:
        """The tables of the database at the end of a sentence, or why they cannot be read."""
        try:
            return _listing(self.database.table_names())
        except DataError as error:
            return f"; {str(error).removesuffix('.')}"

    def _no_table(self, table: str, tables: Sequence[str]) -> SchemaError:
        hint = nearest(table, tables)
        said = f"; {hint}" if hint.startswith("did you mean") else f"{_listing(tables)}."
        return SchemaError(f"the {self.database.label} database has no table {table!r}{said}")


def _listing(tables: Sequence[str]) -> str:
    """The tables of a database at the end of a sentence."""
    return f"; its tables: {listed(tables)}" if tables else "; it has no tables"
