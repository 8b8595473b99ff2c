"""DuckDB as the engine: counts distinct rows out of core, and streams every record in order."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.domain import Kind
from sfumato.engines.base import BUDGET, Counted, Engine, Records
from sfumato.engines.files import FileFormat, opened
from sfumato.errors import DataError, SchemaError

DOMAIN_LIMIT = 5_000_000
_BATCH = 122_880
_ROOM = 2**62
_SPAN = 2**20
_WHOLE = re.compile(r"^U?(TINY|SMALL|BIG)?INT(EGER)?$")
_NUMBERS = re.compile(r"^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL)")
_NESTED = re.compile(r"(STRUCT|MAP|UNION|\[|BLOB|BIT|LIST)")


class Coded(NamedTuple):
    """How a column becomes small numbers: an expression, and which of the given values each number stands for."""

    expression: str
    places: NDArray[np.int32]

    def at(self, numbers: pa.Array) -> NDArray[np.int32]:
        """The places of the given values; -1 for one that was not given."""
        unknown = numbers.null_count > 0
        filled = pc.fill_null(numbers.cast(pa.int32()), len(self.places)) if unknown else numbers
        places = np.append(self.places, np.int32(-1)) if unknown else self.places
        return places[filled.to_numpy()]


class DuckdbEngine(Engine):
    """One source behind a private in-memory DuckDB; columns are addressed by place, so any name works."""

    def __init__(
        self, relation: str, columns: Sequence[str], *, described: str, file: FileFormat | None = None, frame: Any = None
    ) -> None:
        self.columns = tuple(columns)
        self.described = described
        self.frame = frame
        self.separator = file.separator if file is not None else ","
        self._file = file
        self._con = duckdb.connect(":memory:", config={
            "autoinstall_known_extensions": "false",
            "memory_limit": "4GB",
            "preserve_insertion_order": "true",
        })
        places = ", ".join(f"c{place}" for place in range(len(self.columns)))
        self._relation = f"{relation} AS source({places})"
        self._enums = 0

    @classmethod
    def over_file(cls, path: str | Path, *, separator: str | None = None, encoding: str | None = None) -> DuckdbEngine:
        """Over a CSV or Parquet file."""
        file = opened(Path(path), separator=separator, encoding=encoding)
        engine = cls(file.relation, file.columns, described=f"file {file.path.name!r}", file=file)
        engine._types = engine._describe()
        return engine

    @classmethod
    def over_frame(cls, frame: Any) -> DuckdbEngine:
        """Over a frame that Arrow can read."""
        from sfumato.engines.frames import to_arrow

        table = to_arrow(frame)
        engine = cls("frame", table.column_names, described="the frame", frame=frame)
        engine._con.register("frame", table.rename_columns([f"c{place}" for place in range(table.num_columns)]))
        engine._types = engine._describe()
        return engine

    def kind(self, column: str) -> Kind | None:
        """Numbers, dates and texts as DuckDB types them; None for the texts of a CSV file."""
        kind = self._types[self._place(column)]
        if _NESTED.search(kind):
            raise SchemaError(f"column {column!r} holds nested or binary values; only plain values can be judged.")
        if _NUMBERS.match(kind):
            return Kind.NUMBER
        if kind.startswith(("DATE", "TIMESTAMP")):
            return Kind.DATE
        return None if self._untyped else Kind.TEXT

    def arrow_type(self, column: str) -> pa.DataType:
        """The type in which a column comes out of `rows`."""
        return self._arrow(f"SELECT c{self._place(column)} FROM {self._relation} LIMIT 0").schema.field(0).type

    def domains(self, columns: Sequence[str], *, limit: int = DOMAIN_LIMIT) -> dict[str, list[str | None]]:
        """One pass a column; a column with too many values is refused before it is brought into memory."""
        found: dict[str, list[str | None]] = {}
        for column in columns:
            distinct = f"SELECT DISTINCT c{self._place(column)} FROM {self._relation} LIMIT {limit + 1}"
            texts = f"SELECT DISTINCT {self._text(column)} AS value FROM ({distinct})"
            values = self._arrow(f"SELECT value FROM ({texts}) ORDER BY value NULLS LAST").column(0)
            if len(values) > limit:
                raise SchemaError(
                    f"column {column!r} has more than {limit} different values; it is no quasi-identifier. "
                    "Declare it as identifier or plain, or publish a coarser column."
                )
            found[column] = values.to_pylist()
        return found

    def count(self, columns: Sequence[str], *, budget: int = BUDGET) -> Counted:
        """Over text files one pass that groups by the values themselves, else by numbers packed into a few keys."""
        if self._untyped:
            return self._count_values(columns, budget)
        return self._count_packed(columns, budget)

    def group_sizes(self, columns: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Counts of counts, computed where the data is."""
        keys = [self._text(column) for column in columns]
        if not self._untyped:
            keys = [key for key, _ in self._packed(self.domains(columns))]
        inner = f"SELECT count(*) AS size FROM {self._relation} GROUP BY {', '.join(keys)}"
        found = self._arrow(f"SELECT size, count(*) AS n FROM ({inner}) GROUP BY size ORDER BY size")
        return found.column("size").to_numpy().astype(np.int64), found.column("n").to_numpy().astype(np.int64)

    def filled(self, columns: Sequence[str], text: str | None) -> int:
        """One pass that stops looking at a record at its first other value."""
        test = "IS NULL" if text is None else f"= '{text.replace(chr(39), chr(39) * 2)}'"
        every = " AND ".join(f"{self._text(column)} {test}" for column in columns)
        return int(self._arrow(f"SELECT count(*) AS n FROM {self._relation} WHERE {every}").column(0)[0].as_py())

    def first(self, records: int) -> Counted:
        """The first records one by one, to get an idea of a source without going over all of it."""
        selected = ", ".join(f"{self._text(column)} AS k{place}" for place, column in enumerate(self.columns))
        found = self._arrow(f"SELECT {selected} FROM {self._relation} LIMIT {records}")
        encoded = [pc.dictionary_encode(column.combine_chunks(), null_encoding="encode") for column in found.columns]
        raw = {name: column.dictionary.to_pylist() for name, column in zip(self.columns, encoded, strict=True)}
        codes = {name: column.indices.to_numpy() for name, column in zip(self.columns, encoded, strict=True)}
        return Counted(raw, codes, np.ones(found.num_rows, dtype=np.int64))

    def rows(self, coded: Mapping[str, Sequence[str | None]], *, plain: Sequence[str] = ()) -> Iterator[Records]:
        """Batches in row order; a column may be asked for both ways."""
        made = {name: self._coded(name, values) for name, values in coded.items()}
        parts = [f"{one.expression} AS k{place}" for place, one in enumerate(made.values())]
        parts += [f"c{self._place(name)} AS p{place}" for place, name in enumerate(plain)]
        with self._translated():
            reader = self._con.sql(f"SELECT {', '.join(parts)} FROM {self._relation}").to_arrow_reader(_BATCH)
            for batch in reader:
                codes = {name: one.at(batch.column(place)) for place, (name, one) in enumerate(made.items())}
                yield Records(codes, {name: batch.column(f"p{place}") for place, name in enumerate(plain)})

    def fingerprint(self) -> str | None:
        """SHA-256 of the file's bytes."""
        return None if self._file is None else sha256(self._file.path)

    @property
    def _untyped(self) -> bool:
        return self._file is not None and self._file.untyped

    def _describe(self) -> list[str]:
        with self._translated():
            return [str(kind) for kind in self._con.sql(f"SELECT * FROM {self._relation} LIMIT 0").types]

    def _place(self, column: str) -> int:
        return self.columns.index(column)

    def _text(self, column: str) -> str:
        """The written form of a value; a NaN is a missing value."""
        place = self._place(column)
        kind = self._types[place]
        if kind in ("FLOAT", "DOUBLE"):
            return f"CASE WHEN isnan(c{place}) THEN NULL ELSE CAST(c{place} AS VARCHAR) END"
        return f"c{place}" if kind == "VARCHAR" else f"CAST(c{place} AS VARCHAR)"

    def _coded(self, column: str, values: Sequence[str | None]) -> Coded:
        """Small numbers for the given values: offsets for whole numbers, else an enumeration, the cheapest cast there is.

        A value that was not given becomes NULL; a missing one too, unless missing was given.
        """
        place = self._place(column)
        present = [value for value in values if value is not None]
        if _WHOLE.match(self._types[place]) and present:
            numbers = np.array([int(value) for value in present], dtype=np.int64)
            low, span = int(numbers.min()), int(numbers.max() - numbers.min()) + 1
            if span < _SPAN:
                return self._offset(place, values, numbers - low, low, span)
        expression = f"enum_code(TRY_CAST({self._text(column)} AS {self._enum(present)}))" if present else "NULL"
        places = np.array([values.index(value) for value in present], dtype=np.int32) if None in values else None
        places = np.arange(len(present), dtype=np.int32) if places is None else places
        return self._with_missing(expression, self._text(column), values, places)

    def _offset(
        self, place: int, values: Sequence[str | None], offsets: NDArray[np.int64], low: int, span: int
    ) -> Coded:
        places = np.full(span, -1, dtype=np.int32)
        places[offsets] = [index for index, value in enumerate(values) if value is not None]
        expression = f"CASE WHEN c{place} BETWEEN {low} AND {low + span - 1} THEN CAST(c{place} - {low} AS INTEGER) END"
        return self._with_missing(expression, f"c{place}", values, places)

    def _with_missing(
        self, expression: str, raw: str, values: Sequence[str | None], places: NDArray[np.int32]
    ) -> Coded:
        if None not in values:
            return Coded(expression, places)
        expression = f"COALESCE(CAST({expression} AS INTEGER), CASE WHEN {raw} IS NULL THEN {len(places)} END)"
        return Coded(expression, np.append(places, np.int32(values.index(None))))

    def _enum(self, values: Sequence[str]) -> str:
        """A type that lists the values, in order."""
        name = f"domain{self._enums}"
        self._enums += 1
        self._con.register("listed", pa.table({"value": pa.array(values, pa.string())}))
        self._con.execute(f"CREATE TYPE {name} AS ENUM (SELECT value FROM listed)")
        self._con.unregister("listed")
        return name

    def _packed(self, raw: Mapping[str, Sequence[str | None]]) -> list[tuple[str, dict[str, NDArray[np.int32]]]]:
        """Key expressions of at most 62 bits, each with the columns folded into it and where their numbers point."""
        keys: list[tuple[str, dict[str, NDArray[np.int32]]]] = []
        expression, members, span = "", {}, 1
        for column, values in raw.items():
            coded = self._coded(column, values)
            if members and span * len(coded.places) > _ROOM:
                keys.append((expression, members))
                expression, members, span = "", {}, 1
            number = f"CAST({coded.expression} AS BIGINT)"
            expression = f"({expression}) * {len(coded.places)} + {number}" if expression else number
            members, span = {**members, column: coded.places}, span * max(len(coded.places), 1)
        return [*keys, (expression, members)]

    def _count_packed(self, columns: Sequence[str], budget: int) -> Counted:
        raw = self.domains(columns)
        keys = self._packed(raw)
        selected = ", ".join(f"{expression} AS k{place}" for place, (expression, _) in enumerate(keys))
        found = self._grouped(f"SELECT {selected}, count(*) AS n FROM {self._relation} GROUP BY ALL", budget)
        codes: dict[str, NDArray[np.int32]] = {}
        for place, (_, members) in enumerate(keys):
            if found.column(place).null_count:
                raise DataError(f"{self.described} changed while it was read; read it again.")
            key = found.column(place).to_numpy()
            for column, places in reversed(members.items()):
                codes[column] = places[key % len(places)]
                key = key // len(places)
        return Counted(raw, codes, found.column("n").to_numpy().astype(np.int64))

    def _count_values(self, columns: Sequence[str], budget: int) -> Counted:
        selected = ", ".join(f"{self._text(column)} AS k{place}" for place, column in enumerate(columns))
        found = self._grouped(f"SELECT {selected}, count(*) AS n FROM {self._relation} GROUP BY ALL", budget)
        raw: dict[str, list[str | None]] = {}
        codes: dict[str, NDArray[np.int32]] = {}
        for place, column in enumerate(columns):
            encoded = pc.dictionary_encode(found.column(place).combine_chunks(), null_encoding="encode")
            raw[column] = encoded.dictionary.to_pylist()
            codes[column] = encoded.indices.to_numpy().astype(np.int32)
            if len(raw[column]) > DOMAIN_LIMIT:
                raise SchemaError(f"column {column!r} has more than {DOMAIN_LIMIT} different values.")
        return Counted(raw, codes, found.column("n").to_numpy().astype(np.int64))

    def _grouped(self, query: str, budget: int) -> pa.Table:
        found = self._arrow(f"SELECT * FROM ({query}) LIMIT {budget + 1}")
        if found.num_rows > budget:
            raise DataError(
                f"{self.described} has more than {budget} distinct combinations of the judged columns; "
                "judge fewer columns, or coarser ones."
            )
        return found

    def _arrow(self, query: str) -> pa.Table:
        with self._translated():
            return self._con.sql(query).to_arrow_table()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """DuckDB's own messages quote the offending record, so only the kind of fault and the line number pass."""
        try:
            yield
        except RuntimeError as error:
            if "interrupted" in str(error).lower():  # how DuckDB passes on an interrupt
                raise KeyboardInterrupt from None
            raise
        except duckdb.Error as error:
            message = str(error)
            error.args = ("the message quoted a record",)
            line = re.search(r"[Ll]ine:? (\d+)", message)
            where = f" near line {line[1]}" if line else ""
            raise DataError(f"{self.described} cannot be read{where}: {_reason(message)}") from None


def sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _reason(message: str) -> str:
    reasons = (
        (r"expected number of columns", "a row has another number of values than the header."),
        (r"unterminated quote", "a quoted value does not end where it should."),
        (r"invalid unicode|not utf-?8|encoding", 'its text is not in the expected encoding; set encoding = "latin-1".'),
        (r"out of memory", "it needs more memory than is allowed."),
        (r"parquet", "it is no complete Parquet file."),
    )
    for pattern, words in reasons:
        if re.search(pattern, message, re.IGNORECASE):
            return words
    return "its format is damaged or not the one its name promises."
