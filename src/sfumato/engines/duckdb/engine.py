"""DuckDB as the engine: counts distinct rows out of core, and streams every record in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.data.domain import Kind
from sfumato.engines.base import BESIDE, BUDGET, DOMAIN_LIMIT, Counted, Encoding, Engine, RecordBatch, stored_index
from sfumato.engines.duckdb.dictionaries import Dictionaries
from sfumato.engines.duckdb.relation import Relation
from sfumato.engines.duckdb.text_files import FileFormat, opened
from sfumato.errors import DataError, SchemaError

_FEW = 10_000
_SAMPLE = 2_000_000
_NUMBERS = re.compile(r"^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL)")
_NESTED = re.compile(r"(STRUCT|MAP|UNION|\[|BLOB|BIT|LIST)")


class DuckdbEngine(Engine):
    """The verbs over one file or frame."""

    def __init__(
        self,
        relation: Relation,
        *,
        file: FileFormat | None = None,
        frame: Any = None,
        original: FileFormat | None = None,
    ) -> None:
        self.columns, self.described = relation.columns, relation.described
        self.frame = frame
        self.separator = file.separator if file is not None else ","
        self.index_columns = file.index_columns if file is not None else ()
        self._relation, self._file, self._original = relation, file, original
        self._dictionaries: Dictionaries | None = None

    @classmethod
    def over_file(cls, path: str | Path, *, separator: str | None = None, encoding: str | None = None) -> DuckdbEngine:
        """Over a CSV or Parquet file."""
        file = opened(Path(path), separator=separator, encoding=encoding)
        return cls(Relation(file.relation, file.columns, described=f"file {file.path.name!r}"), file=file)

    @classmethod
    def over_frame(cls, frame: Any) -> DuckdbEngine:
        """Over a frame that Arrow can read."""
        from sfumato.engines.frames.frames import to_arrow

        table = to_arrow(frame)
        engine = cls(Relation("frame", table.column_names, described="the frame", frame=table), frame=frame)
        engine._dictionaries = Dictionaries(table)
        engine.index_columns = stored_index(table.column_names, table.schema.metadata)
        return engine

    def kind(self, column: str) -> Kind | None:
        """Numbers, dates and texts as DuckDB types them; None for the texts of a CSV file."""
        kind = self._relation.type(column)
        if kind.startswith("ENUM"):  # lists its values, whatever they look like
            return Kind.TEXT
        if _NESTED.search(kind):
            raise SchemaError(f"column {column!r} holds nested or binary values; only plain values can be judged.")
        if _NUMBERS.match(kind):
            return Kind.NUMBER
        if kind.startswith(("DATE", "TIMESTAMP")):
            return Kind.DATE
        read = self._original if self._original is not None and column.startswith(BESIDE) else self._file
        return None if read is not None and read.untyped else Kind.TEXT

    def arrow_type(self, column: str) -> pa.DataType:
        """The type in which a column comes out of `rows`."""
        return self._relation.arrow_types[self._relation.place(column)]

    def domains(self, columns: Sequence[str], *, limit: int = DOMAIN_LIMIT) -> dict[str, list[str | None]]:
        """One pass a column; a column with too many values is refused before it is brought into memory."""
        return {column: self._domain(column, limit, self._relation.source) for column in columns}

    def count(self, columns: Sequence[str], *, budget: int = BUDGET) -> Counted:
        """One pass that groups by numbers for texts of few values, and by the values themselves for all others.

        Which texts there are is learned from the first records of a large source. Should one come up later, that shows
        in the count, and the count is made again with all of them. A frame whose records are nearly all different is
        not counted at all.
        """
        if self._dictionaries is not None and self._dictionaries.mostly_different(columns):
            return self._dictionaries.counted(columns)
        listed = self._likely_texts(columns)
        found = self._grouped(columns, listed, budget)
        if self._overlooked(columns, listed, found):
            listed = self.domains(list(listed))
            found = self._grouped(columns, listed, budget)
        self._relation.rest()
        raw: dict[str, Sequence[str | None]] = {}
        codes: dict[str, NDArray[np.integer]] = {}
        for place, column in enumerate(columns):
            raw[column], codes[column] = _decoded(found.column(place), listed.get(column))
            if len(raw[column]) > DOMAIN_LIMIT:
                raise _too_many(column, DOMAIN_LIMIT)
        return Counted(raw, codes, found.column(len(columns)).to_numpy().astype(np.int64, copy=False))

    def group_sizes(self, columns: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Counts of counts, computed where the data is."""
        listed = self._likely_texts(columns)
        found = self._sizes(columns, listed)
        if listed and pc.any(found.column("hole")).as_py() and any(self._unlisted(*item) for item in listed.items()):
            found = self._sizes(columns, self.domains(list(listed)))
        self._relation.rest()
        return found.column("size").to_numpy().astype(np.int64, copy=False), found.column("n").to_numpy().astype(
            np.int64
        )

    def filled(self, columns: Sequence[str], text: str | None) -> int:
        """One pass that stops looking at a record at its first other value."""
        test = "IS NULL" if text is None else f"= '{text.replace(chr(39), chr(39) * 2)}'"
        every = " AND ".join(f"{self._relation.text(column)} {test}" for column in columns)
        return self._relation.number(f"SELECT count(*) FROM {self._relation.source} WHERE {every}")

    def first(self, records: int) -> Counted:
        """The first records one by one, to get an idea of a source without going over all of it."""
        selected = ", ".join(f"{self._relation.text(column)} AS k{at}" for at, column in enumerate(self.columns))
        found = self._relation.query(f"SELECT {selected} FROM {self._relation.source} LIMIT {records}")
        decoded = {name: _decoded(found.column(place), None) for place, name in enumerate(self.columns)}
        raw, codes = ({name: pair[side] for name, pair in decoded.items()} for side in (0, 1))
        return Counted(raw, codes, np.ones(found.num_rows, dtype=np.int64))  # type: ignore[arg-type]

    def rows(self, coded: Mapping[str, Encoding], *, plain: Sequence[str] = ()) -> Iterator[RecordBatch]:
        """Batches in row order; a column may be asked for both ways."""
        if self._dictionaries is not None and self._dictionaries.knows(list(coded)):
            yield from self._dictionaries.rows(coded, plain)
            return
        made = {name: self._relation.coded(name, given.raw).as_codes(given.codes) for name, given in coded.items()}
        parts = [f"{one.expression} AS k{place}" for place, one in enumerate(made.values())]
        parts += [f"{self._relation.raw(name)} AS p{place}" for place, name in enumerate(plain)]
        for batch in self._relation.stream(f"SELECT {', '.join(parts)} FROM {self._relation.source}"):
            codes = {name: one.at(batch.column(place)) for place, (name, one) in enumerate(made.items())}
            yield RecordBatch(codes, {name: batch.column(f"p{place}") for place, name in enumerate(plain)})
        self._relation.rest()

    @property
    def _untyped(self) -> bool:
        return self._file is not None and self._file.untyped

    def _domain(self, column: str, limit: int, source: str) -> list[str | None]:
        distinct = f"SELECT DISTINCT {self._relation.raw(column)} FROM {source} LIMIT {limit + 1}"
        texts = f"SELECT DISTINCT {self._relation.text(column)} AS value FROM ({distinct})"
        values = self._relation.query(f"SELECT value FROM ({texts}) ORDER BY value NULLS LAST").column(0)
        if len(values) > limit:
            raise _too_many(column, limit)
        return list(values.to_pylist())

    def _likely_texts(self, columns: Sequence[str]) -> dict[str, list[str | None]]:
        """For every text column of few values, those that the first records have.

        A text file is parsed anew for every look at it, which costs more than numbers would save.
        """
        listed: dict[str, list[str | None]] = {}
        for column in columns if not self._untyped else ():
            if self._relation.type(column) == "VARCHAR":
                sample = f"(SELECT {self._relation.raw(column)} FROM {self._relation.source} LIMIT {_SAMPLE})"
                try:
                    listed[column] = self._domain(column, _FEW, sample)
                except SchemaError:
                    continue
        return listed

    def _grouped(self, columns: Sequence[str], listed: Mapping[str, Sequence[str | None]], budget: int) -> pa.Table:
        keys = self._keys(columns, listed)
        shown = [f"{self._shown(column, f'k{at}', column in listed)} AS k{at}" for at, column in enumerate(columns)]
        inner = (
            f"SELECT {keys}, count(*) AS n FROM {self._relation.source} GROUP BY ALL HAVING n > 0 LIMIT {budget + 1}"
        )
        found = self._relation.query(f"SELECT {', '.join(shown)}, n FROM ({inner})")
        if found.num_rows > budget:
            raise DataError(
                f"{self.described} has more than {budget} distinct combinations of the judged columns; "
                "judge fewer columns, or coarser ones."
            )
        return found

    def _shown(self, column: str, key: str, listed: bool) -> str:
        """A key as it is brought into memory: numbers as they are, anything else as written."""
        return key if listed or self._relation.whole(column) else self._relation.text(column, key)

    def _sizes(self, columns: Sequence[str], listed: Mapping[str, Sequence[str | None]]) -> pa.Table:
        """Sizes of groups, how many have each, and whether one of them has a value that is missing or not listed."""
        hole = " OR ".join(f"k{at} IS NULL" for at, column in enumerate(columns) if column in listed) or "FALSE"
        counted = f"SELECT {self._keys(columns, listed)}, count(*) AS size FROM {self._relation.source}"
        inner = f"{counted} GROUP BY ALL HAVING size > 0"
        summed = "SELECT size, count(*) AS n, bool_or(hole) AS hole"
        flagged = f"SELECT size, {hole} AS hole FROM ({inner})"
        return self._relation.query(f"{summed} FROM ({flagged}) GROUP BY size ORDER BY size")

    def _keys(self, columns: Sequence[str], listed: Mapping[str, Sequence[str | None]]) -> str:
        """What to group by: the number of a listed text, or the value as it is."""
        keys = []
        for at, column in enumerate(columns):
            texts = [text for text in listed.get(column, ()) if text is not None]
            key = self._relation.coded(column, texts).expression if column in listed else self._relation.raw(column)
            keys.append(f"{key} AS k{at}")
        return ", ".join(keys)

    def _overlooked(self, columns: Sequence[str], listed: Mapping[str, Sequence[str | None]], found: pa.Table) -> bool:
        """Whether a text came up that was not listed: it has no number, as a missing one."""
        holes = [column for at, column in enumerate(columns) if column in listed and found.column(at).null_count]
        return any(self._unlisted(column, listed[column]) for column in holes)

    def _unlisted(self, column: str, listed: Sequence[str | None]) -> bool:
        coded = self._relation.coded(column, [text for text in listed if text is not None])
        strange = f"{self._relation.raw(column)} IS NOT NULL AND {coded.expression} IS NULL"
        return self._relation.number(f"SELECT count(*) FROM {self._relation.source} WHERE {strange}") > 0


def _decoded(
    column: pa.ChunkedArray, listed: Sequence[str | None] | None
) -> tuple[Sequence[str | None], NDArray[np.integer]]:
    """The texts of a counted column, and which of them every row has."""
    if listed is None:
        encoded = pc.dictionary_encode(column.combine_chunks(), null_encoding="encode")
        values = encoded.dictionary.to_pylist()
        return [value if value is None else str(value) for value in values], encoded.indices.to_numpy()
    texts = [text for text in listed if text is not None]
    if not column.null_count:
        return texts, column.to_numpy()
    return [*texts, None], pc.fill_null(column.cast(pa.int32()), len(texts)).to_numpy()


def _too_many(column: str, limit: int) -> SchemaError:
    return SchemaError(
        f"column {column!r} has more than {limit} different values; it is no quasi-identifier. "
        "Declare it as identifier or plain, or publish a coarser column."
    )
