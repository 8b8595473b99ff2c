"""A table or query of a database, and its rows as a file that an engine reads."""

from __future__ import annotations

from dataclasses import dataclass, field

from sfumato.engines.databases.base import quoted_column, quoted_table
from sfumato.engines.databases.database_location import DatabaseLocation
from sfumato.engines.formats.parquet_folders import parts_of
from sfumato.engines.readable_files import ReadableFile
from sfumato.errors import DataError, UsageError
from sfumato.runtime.private_folders import PrivateFolder


@dataclass(frozen=True)
class DatabaseQuery:
    """A table of a database, or a SELECT."""

    database: DatabaseLocation
    table: str | None = None
    query: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if (self.table is None) == (self.query is None):
            raise UsageError("a database needs 'table' or 'query', one of them.")

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
        schema = self.database.has_schemas or self.table.startswith("main.")
        quoted = quoted_table if schema else quoted_column
        return f"SELECT * FROM {quoted(self.table)}"

    def read(self) -> ReadableFile:
        """The rows as they are now, in private files."""
        folder = PrivateFolder()
        path = folder.path / "rows"
        path.mkdir()
        try:
            self.database.snapshot(self.select, path)
        except OSError:
            raise DataError(f"{self.described} cannot be stored while it is read: the disk may be full.") from None
        return ReadableFile(path, self.described, parts=parts_of(path, self.described), copied_to=folder)
