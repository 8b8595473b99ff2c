"""The data that a command reads: a file, or a table or query of a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.errors import UsageError

if TYPE_CHECKING:
    from sfumato.engines.databases.database_query import DatabaseQuery
    from sfumato.engines.read_options import ReadOptions
    from sfumato.engines.readable_files import ReadableFile


def database_query(data: str, table: str | None, query: str | None) -> DatabaseQuery | None:
    """The table or query of a database if the command names one; None for a file."""
    from sfumato.engines.databases.database_location import DatabaseLocation, names_database
    from sfumato.engines.databases.database_query import DatabaseQuery

    if names_database(data):
        return DatabaseQuery(DatabaseLocation(data), table, query)
    if table or query:
        raise UsageError("--table and --query are for databases: sqlite:FILE, duckdb:FILE or postgresql:CONNECTION.")
    return None


def readable_source(data: str, table: str | None, query: str | None, options: ReadOptions) -> ReadableFile:
    """The file as an engine can read it, or the rows of a database as they are now."""
    from sfumato.engines.readable_files import readable

    database = database_query(data, table, query)
    return readable(data, options) if database is None else database.read()


def name_in_results(data: str, source: ReadableFile) -> str:
    """What results call the data: a file as it was given, and a database without its connection."""
    from sfumato.engines.databases.database_location import names_database

    return source.described if names_database(data) else data
