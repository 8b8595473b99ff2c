"""The DuckDB engine: counts distinct rows out of core, and streams all records in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.data.kinds import Kind
from sfumato.engines.base import (
    BESIDE,
    BUDGET,
    DOMAIN_LIMIT,
    Counted,
    CountedSizes,
    Encoding,
    Engine,
    RecordBatch,
    stored_index,
)
from sfumato.engines.duckdb.dictionaries import Dictionaries
from sfumato.engines.duckdb.file_format import FileFormat
from sfumato.engines.duckdb.files import opened
from sfumato.engines.duckdb.relation import Relation
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.engines.readable_files import ReadableFile
from sfumato.errors import DataError, SchemaError

_FEW = 10_000
"""Most values of a text column that is grouped by numbers."""
_SAMPLE = 2_000_000
"""The number of first records from which these values are taken."""
_LARGE = 64 << 20
"""Bytes of a text file from which parsing it takes a quarter of a second or more."""
_NUMBERS = re.compile(r"^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL)")
_NESTED = re.compile(r"(STRUCT|MAP|UNION|\[|BLOB|BIT|LIST)")


class DuckdbEngine(Engine):
    """An engine over one file or frame."""

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
        self.labels = file.labels if file is not None else {}
        self._relation, self._file, self._original = relation, file, original
        self.costly = file is not None and file.untyped and file.size > _LARGE
        self._dictionaries: Dictionaries | None = None

    @classmethod
    def over_file(cls, given: str | Path | ReadableFile, options: ReadOptions = DETECTED) -> DuckdbEngine:
        """An engine over a file."""
        file = opened(given, options)
        return cls(Relation(file.relation, file.columns, described=file.described, size=file.size), file=file)

    @classmethod
    def over_frame(cls, frame: Any) -> DuckdbEngine:
        """An engine over a frame that Arrow can read."""
        from sfumato.engines.frames.frames import to_arrow

        table = to_arrow(frame)
        engine = cls(
            Relation("frame", table.column_names, described="the frame", size=table.nbytes, frame=table), frame=frame
        )
        engine._dictionaries = Dictionaries(table)
        engine.index_columns = stored_index(table.column_names, table.schema.metadata)
        return engine

    def kind(self, column: str) -> Kind | None:
        """The kind of a column by its DuckDB type; None for the untyped texts of a CSV file."""
        kind = self._relation.type(column)
        if kind.startswith("ENUM"):  # the name of an ENUM type lists its values, which could look like a type
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
        """The Arrow type of a plain column in `rows`."""
        return self._relation.arrow_types[self._relation.place(column)]

    def domains(self, columns: Sequence[str], *, limit: int = DOMAIN_LIMIT) -> dict[str, list[str | None]]:
        """One pass for each column; a column with too many values raises an error before it is loaded into memory."""
        return {column: self._domain(column, limit, self._relation.source) for column in columns}

    def count(self, columns: Sequence[str], *, budget: int = BUDGET) -> Counted:
        """Count in one pass; text columns with few values are grouped by numbers, which is faster than by texts.

        The texts are taken from the first records of a large source. If another text occurs later, it has no number,
        and the count is repeated with all texts. A frame whose records are nearly all different is not counted.
        """
        if self._dictionaries is not None and self._dictionaries.mostly_different(columns):
            self._relation.disconnect()
            return self._dictionaries.counted(columns)
        listed = self._likely_texts(columns)
        found = self._grouped(columns, listed, budget)
        if self._overlooked(columns, listed, found):
            listed = self.domains(list(listed))
            found = self._grouped(columns, listed, budget)
        self._relation.disconnect()
        raw: dict[str, Sequence[str | None]] = {}
        codes: dict[str, NDArray[np.integer]] = {}
        for place, column in enumerate(columns):
            raw[column], codes[column] = _decoded(found.column(place), listed.get(column))
            if len(raw[column]) > DOMAIN_LIMIT:
                raise _too_many(column, DOMAIN_LIMIT)
        return Counted(raw, codes, found.column(len(columns)).to_numpy().astype(np.int64, copy=False))

    def group_sizes(
        self, columns: Sequence[str], *, filled_with: Sequence[str | None] = (), by_hash: bool = False
    ) -> CountedSizes:
        """Sizes of groups and their numbers, computed inside DuckDB in one pass."""
        listed = {} if by_hash else self._likely_texts(columns)
        found = self._sizes(columns, listed, filled_with, by_hash=by_hash)
        if listed and pc.any(found.column("hole")).as_py() and any(self._unlisted(*item) for item in listed.items()):
            found = self._sizes(columns, self.domains(list(listed)), filled_with)
        self._relation.disconnect()
        sizes, how_many = (found.column(name).to_numpy().astype(np.int64, copy=False) for name in ("size", "n"))
        filled = (pc.sum(found.column(f"f{place}")).as_py() or 0 for place in range(len(filled_with)))
        return CountedSizes(sizes, how_many, tuple(map(int, filled)))

    def filled(self, columns: Sequence[str], text: str | None) -> int:
        """One pass with a condition on all columns."""
        filled = self._is_filled(columns, text)
        return self._relation.number(f"SELECT count(*) FROM {self._relation.source} WHERE {filled}")

    def without_filled(self, columns: Sequence[str], text: str | None) -> Self:
        """A view of the relation; the frame and its dictionaries have all records, so they are left out."""
        made = copy(self)
        # The condition is NULL, and not false, where a value is missing.
        made._relation = self._relation.where(f"({self._is_filled(columns, text)}) IS NOT TRUE")
        made.frame = made._dictionaries = None
        return made

    def first(self, records: int) -> Counted:
        """The first records one by one, as a sample."""
        return self._one_by_one(
            self._relation.query(f"SELECT {self._texts()} FROM {self._relation.source} LIMIT {records}")
        )

    def spread(self, records: int) -> Counted:
        """The records with the least hashes of their places, in row order."""
        numbered = f"SELECT {self._texts()}, row_number() OVER () AS place FROM {self._relation.source}"
        found = self._relation.query(f"SELECT * FROM ({numbered}) ORDER BY hash(place) LIMIT {records}")
        self._relation.disconnect()
        return self._one_by_one(found.sort_by("place"))

    def _is_filled(self, columns: Sequence[str], text: str | None) -> str:
        """The condition that a record has this text in all the columns."""
        test = "IS NULL" if text is None else f"= '{text.replace(chr(39), chr(39) * 2)}'"
        return " AND ".join(f"{self._relation.text(column)} {test}" for column in columns)

    def _texts(self) -> str:
        """The columns as texts k0, k1, ..., to select from the source."""
        return ", ".join(f"{self._relation.text(column)} AS k{at}" for at, column in enumerate(self.columns))

    def _one_by_one(self, found: pa.Table) -> Counted:
        """Records whose first columns are those of the source, each with a count of 1."""
        decoded = {name: _decoded(found.column(place), None) for place, name in enumerate(self.columns)}
        raw, codes = ({name: pair[side] for name, pair in decoded.items()} for side in (0, 1))
        return Counted(raw, codes, np.ones(found.num_rows, dtype=np.int64))  # type: ignore[arg-type]

    def rows(self, coded: Mapping[str, Encoding], *, plain: Sequence[str] = ()) -> Iterator[RecordBatch]:
        """Batches in row order; a column may be both coded and plain."""
        if self._dictionaries is not None and self._dictionaries.knows(list(coded)):
            yield from self._dictionaries.rows(coded, plain)
            return
        made = {name: self._relation.coded(name, given.raw).as_codes(given.codes) for name, given in coded.items()}
        parts = [f"{one.expression} AS k{place}" for place, one in enumerate(made.values())]
        parts += [f"{self._relation.raw(name)} AS p{place}" for place, name in enumerate(plain)]
        for batch in self._relation.stream(f"SELECT {', '.join(parts)} FROM {self._relation.source}"):
            codes = {name: one.at(batch.column(place)) for place, (name, one) in enumerate(made.items())}
            yield RecordBatch(codes, {name: batch.column(f"p{place}") for place, name in enumerate(plain)})
        self._relation.disconnect()

    @property
    def _untyped(self) -> bool:
        return self._file is not None and self._file.untyped

    def _domain(self, column: str, limit: int, source: str) -> list[str | None]:
        # The limit is applied to raw values, before texts are
        # made of them: a column with too many values stops early.
        distinct = f"SELECT DISTINCT {self._relation.raw(column)} FROM {source} LIMIT {limit + 1}"
        texts = f"SELECT DISTINCT {self._relation.text(column)} AS value FROM ({distinct})"
        values = self._relation.query(f"SELECT value FROM ({texts}) ORDER BY value NULLS LAST").column(0)
        if len(values) > limit:
            raise _too_many(column, limit)
        return list(values.to_pylist())

    def _likely_texts(self, columns: Sequence[str]) -> dict[str, list[str | None]]:
        """For every text column with few values, the distinct values of the first records.

        Text files are left out: each query parses the file again, which costs more than numbers would save.
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
            # Without columns GROUP BY ALL gives one group even for an empty source; HAVING drops it.
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
        """The expression of a key in the result: numbers unchanged, all other values as texts."""
        return key if listed or self._relation.whole(column) else self._relation.text(column, key)

    def _sizes(
        self,
        columns: Sequence[str],
        listed: Mapping[str, Sequence[str | None]],
        filled_with: Sequence[str | None],
        *,
        by_hash: bool = False,
    ) -> pa.Table:
        """Sizes, the number of groups of each, whether one has a value that is missing or not listed, and fillings."""
        # Missing values and texts that are not listed both have no number, and would form one group. If there is such
        # a group, `group_sizes` checks which of the two it is.
        hole = " OR ".join(f"k{at} IS NULL" for at, column in enumerate(columns) if column in listed) or "FALSE"
        fillings = [f"f{place}" for place in range(len(filled_with))]
        tests = (self._is_filled(columns, text) for text in filled_with)
        counts = [f"count(*) FILTER (WHERE {test}) AS {name}" for test, name in zip(tests, fillings, strict=True)]
        keys = f"hash({', '.join(map(self._relation.raw, columns))}) AS k0" if by_hash else self._keys(columns, listed)
        counted = ", ".join([keys, "count(*) AS size", *counts])
        inner = f"SELECT {counted} FROM {self._relation.source} GROUP BY ALL HAVING size > 0"
        summed = ", ".join(["size, count(*) AS n", f"bool_or({hole}) AS hole", *(f"sum({f}) AS {f}" for f in fillings)])
        return self._relation.query(f"SELECT {summed} FROM ({inner}) GROUP BY size ORDER BY size")

    def _keys(self, columns: Sequence[str], listed: Mapping[str, Sequence[str | None]]) -> str:
        """The expressions to group by: the number of a listed text, or the value itself."""
        keys = []
        for at, column in enumerate(columns):
            texts = [text for text in listed.get(column, ()) if text is not None]
            key = self._relation.coded(column, texts).expression if column in listed else self._relation.raw(column)
            keys.append(f"{key} AS k{at}")
        return ", ".join(keys)

    def _overlooked(self, columns: Sequence[str], listed: Mapping[str, Sequence[str | None]], found: pa.Table) -> bool:
        """Whether a text occurred that was not listed; like a missing value, it has no number."""
        holes = [column for at, column in enumerate(columns) if column in listed and found.column(at).null_count]
        return any(self._unlisted(column, listed[column]) for column in holes)

    def _unlisted(self, column: str, listed: Sequence[str | None]) -> bool:
        coded = self._relation.coded(column, [text for text in listed if text is not None])
        unlisted = f"{self._relation.raw(column)} IS NOT NULL AND {coded.expression} IS NULL"
        return self._relation.number(f"SELECT count(*) FROM {self._relation.source} WHERE {unlisted}") > 0


def _decoded(
    column: pa.ChunkedArray, listed: Sequence[str | None] | None
) -> tuple[Sequence[str | None], NDArray[np.integer]]:
    """The distinct texts of a counted column, and the index of every row's text."""
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
