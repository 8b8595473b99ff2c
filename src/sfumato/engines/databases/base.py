"""What readers and writers of databases share: quoted names, refusals, and tables that are replaced as a whole."""

from __future__ import annotations

import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from os.path import samestat
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.errors import OutputError, SchemaError, StatementError
from sfumato.runtime.atomic_files import reason
from sfumato.runtime.private_folders import PrivateFolder

MARK = "release of sfumato"
"""What tables are marked with that a publication wrote; no other tables are replaced."""
MARKED = f"(/* {MARK} */"
"""How the columns of such a table begin in its statement, which SQLite keeps; there it is the mark."""
REFUSED = "it refuses the table or its rows."
"""Why a table cannot be written, if the database does not say more."""


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


class StagedTables(ABC):
    """New contents of tables of a database, in one transaction: nobody else sees them before `commit`.

    Every table is stored under another name first, and read back from there. `replace` gives the tables their names, as
    this transaction sees them, and `commit` ends it. Leaving the context without `commit`, or the end of the process at
    any moment, leaves the database as it was. Only tables that an earlier publication wrote are replaced.

    An author of another kind of database writes the private steps.
    """

    label: ClassVar[str]
    """What messages call the database."""

    _schema: str | None
    """The schema of names without one; `_begin` sets it."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._staged: dict[str, str] = {}

    def __enter__(self) -> Self:
        with self._writing():
            self._begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def rehearse(self, tables: Sequence[str], types: Mapping[str, pa.DataType], select: str | None) -> None:
        """Raise an error if tables with these columns cannot replace others, or if a query reads one of those.

        It is done with empty tables, and nothing is committed. `select` is a query of the same database, or None.
        """
        for name, kind in types.items():
            if self._column_type(kind) is None:
                raise SchemaError(
                    f"column {name!r} holds {kind}, which a {self.label} table cannot hold; turn it into numbers or "
                    "texts first, or leave the column out by declaring it an identifier."
                )
        with self._writing():
            for table in tables:
                self._demand_replaceable(table)
            empty = [self._created(table, pa.schema(list(types.items()))) for table in tables]
            for staged, table in zip(empty, tables, strict=True):
                self._replace(staged, table)
            self._demand_stored(tables)
            for table in tables:
                self._execute(f"DROP TABLE {self._quoted(table)}")
            lost = select is not None and not self._can_run(select)
        if lost:
            raise OutputError(
                f"the {self.label} table {tables[0]!r} is one that the plan reads, and it would be replaced; name "
                "another table in [output]."
            )

    def store(self, table: str, rows: Path, stored: Path) -> Path:
        """Store the rows of a Parquet file as the new content of a table; the folder `stored` gets what it then has."""
        stored.mkdir()
        with self._writing():
            staged = self._created(table, pq.read_schema(rows))
            self._load(staged, rows)
            self._read_back(staged, stored)
        self._staged[table] = staged
        return stored

    def replace(self) -> None:
        """Replace the tables by their new contents, for this transaction."""
        with self._writing():
            for table, staged in self._staged.items():
                self._demand_replaceable(table)
                self._replace(staged, table)
            self._demand_stored(list(self._staged))

    def commit(self) -> None:
        """End the transaction; the others see the new tables, all at once."""
        with self._writing():
            self._commit()

    def _demand_replaceable(self, table: str) -> None:
        """Raise an error for a name that is not allowed, or that something else has than an earlier release."""
        wrong = self._refused_name(table)
        if wrong:
            raise OutputError(f"the {self.label} database cannot have a table {table!r}: {wrong} Name another one.")
        if not self._is_replaceable(table):
            raise OutputError(
                f"{table!r} is there in the {self.label} database, and it is no table that a publication wrote. It is "
                "not replaced; drop it if it is not needed, or name another table in [output]."
            )

    def _demand_stored(self, tables: Sequence[str]) -> None:
        """Raise an error unless each of the tables is there, by itself, where it stays after the commit.

        The catalogue of the database is asked, because a name can lead elsewhere than it seems.
        """
        found = [self._identity(table) for table in tables]
        lost = next((table for table, identity in zip(tables, found, strict=True) if identity is None), None)
        if lost is not None:
            raise OutputError(
                f"the {self.label} database did not store {lost!r} as a permanent table of its schema; name another "
                "table in [output]. Earlier tables are kept."
            )
        if len(set(found)) < len(tables):
            raise OutputError(
                f"{' and '.join(map(repr, tables))} are one table in the {self.label} database; name another one in "
                "[output] sensitive_table."
            )

    def _created(self, table: str, schema: pa.Schema) -> str:
        """A new table beside another one; its name as SQL."""
        staged = self._beside(table, f"sfumato_{secrets.token_hex(6)}")
        columns = ", ".join(f"{quoted_column(field.name)} {self._column_type(field.type)}" for field in schema)
        self._execute(f"CREATE TABLE {staged} {MARKED} {columns})")
        return staged

    def _parts(self, table: str) -> Sequence[str]:
        """The schema and the name of a table; more or fewer parts if it is not named correctly."""
        parts = table.split(".")
        return parts if len(parts) > 1 or self._schema is None else [self._schema, *parts]

    def _quoted(self, table: str) -> str:
        """The complete name of a table as SQL; no part of it is left to the rules of the database."""
        return ".".join(map(quoted_column, self._parts(table)))

    def _beside(self, table: str, name: str) -> str:
        """The complete name, as SQL, of a table in the same schema as another one."""
        *schema, _ = self._parts(table)
        return ".".join(map(quoted_column, [*schema, name]))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Replace errors of the database by one that says what to do; what the database says may quote values."""
        try:
            yield
            return
        except self._failures() as error:
            why = self._why(error)
        raise OutputError(f"the table cannot be written to the {self.label} database: {why} Earlier tables are kept.")

    @abstractmethod
    def _failures(self) -> tuple[type[Exception], ...]:
        """The errors of the database."""

    @abstractmethod
    def _why(self, error: Exception) -> str:
        """What is wrong, in a sentence without values."""

    @abstractmethod
    def _begin(self) -> None:
        """Connect, and begin the transaction."""

    @abstractmethod
    def _column_type(self, kind: pa.DataType) -> str | None:
        """The type of a column in SQL; None if the database has none for it."""

    @abstractmethod
    def _execute(self, statement: str) -> None:
        """Run a statement."""

    @abstractmethod
    def _load(self, staged: str, rows: Path) -> None:
        """Fill an empty table with the rows of a Parquet file, in their order."""

    @abstractmethod
    def _read_back(self, staged: str, stored: Path) -> None:
        """Write the rows of the table to Parquet files in a folder, in their order."""

    def _refused_name(self, table: str) -> str:
        """Why a table cannot have a name, in a sentence; empty if it can."""
        parts = self._parts(table)
        if len(parts) != 2:
            return f"a table is named by its schema and its name, such as {self._schema or 'public'}.persons."
        if not all(parts) or "\0" in table:
            return "a part of the name is empty, or has a null character."
        return ""

    @abstractmethod
    def _is_replaceable(self, table: str) -> bool:
        """Whether nothing has this name, or a table with the mark of a publication."""

    @abstractmethod
    def _identity(self, table: str) -> object | None:
        """What tells a table with the mark from all others; None if it is not there, or not a permanent table."""

    @abstractmethod
    def _replace(self, staged: str, table: str) -> None:
        """Drop a table, if there is one, and give the other one its name and the mark."""

    @abstractmethod
    def _can_run(self, select: str) -> bool:
        """Whether all tables are there that a query reads."""

    @abstractmethod
    def _commit(self) -> None:
        """End the transaction."""

    @abstractmethod
    def _close(self) -> None:
        """Roll back what is not committed, and disconnect."""


class FileTables(StagedTables):
    """Tables of a database that is one file. A new file is written elsewhere, and appears when it is complete.

    `_begin` connects to `_opened`, and sets `_connection`.
    """

    _connection: Any

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self._new: PrivateFolder | None = None

    def __enter__(self) -> Self:
        super().__enter__()
        self._begun_with = Path(self._opened).stat()
        return self

    @cached_property
    def _opened(self) -> str:
        """The file to write to."""
        target = Path(self._place)
        if target.exists():
            return self._place
        try:
            self._new = PrivateFolder(target.parent)
        except OSError as error:
            why = reason(error)
            raise OutputError(f"the {self.label} database {target.name!r} cannot be written: {why}") from None
        return str(self._new.path / target.name)

    def _refused_name(self, table: str) -> str:
        if table.lower().startswith("temp."):
            return "a temporary table is gone with the connection."
        return super()._refused_name(table)

    def _identity(self, table: str) -> object | None:
        file = self._connected_file()
        if file is None:
            return None
        try:
            same = samestat(Path(file).stat(), self._begun_with)
        except FileNotFoundError:
            same = False
        if not same:
            name = Path(self._place).name
            raise OutputError(f"the {self.label} database {name!r} was removed or replaced meanwhile; publish again.")
        return self._number(table)

    @abstractmethod
    def _connected_file(self) -> str | None:
        """The file that the database says it writes to."""

    @abstractmethod
    def _number(self, table: str) -> int | None:
        """The number of a permanent table with the mark; None if it is not there."""

    def _execute(self, statement: str) -> None:
        self._connection.execute(statement)

    def _commit(self) -> None:
        self._execute("COMMIT")
        self._connection.close()
        self._reveal()

    def _close(self) -> None:
        self._connection.close()
        self._discard()

    def _reveal(self) -> None:
        """Give a new file its name; the connection is closed."""
        if self._new is None:
            return
        target = Path(self._place)
        try:
            os.link(self._new.path / target.name, target)
        except FileExistsError:
            appeared = True
        except OSError:  # not every file system has hard links
            appeared = target.exists()
            if not appeared:
                (self._new.path / target.name).replace(target)
        else:
            appeared = False
        if appeared:
            raise OutputError(f"the {self.label} database {target.name!r} appeared meanwhile; publish again.")

    def _discard(self) -> None:
        """Remove what is not published of a new file; the connection is closed."""
        if self._new is not None:
            self._new.close()
