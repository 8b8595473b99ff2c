"""From a decision to every record: map-only, in row order, other columns untouched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.engines.ahead import ahead
from sfumato.engines.base import Encoding, Engine, Records
from sfumato.engines.duckdb import DuckdbEngine
from sfumato.engines.sinks import sink_for
from sfumato.errors import DataError, SchemaError, UsageError
from sfumato.progress import advance
from sfumato.recoding import Applier, Recoding
from sfumato.release import Release
from sfumato.schema import Schema
from sfumato.staging import Staging

Pseudonyms = Callable[[str], str]


class Published(NamedTuple):
    """Some records as they are published; the cells of suppressed ones are null."""

    batch: pa.RecordBatch
    suppressed: NDArray[np.bool_]


def write_published(release: Release, path: Path, *, pseudonyms: Pseudonyms | None = None) -> Path:
    """Write every record as it is published; the file appears when it is complete."""
    publisher, records, done = Publisher.of_release(release, release.source(), pseudonyms), release.original.records, 0
    with Staging([path]) as staging:
        with sink_for(staging.place(path), publisher.schema(), publisher.separator) as sink:
            for batch, suppressed in ahead(publisher.batches()):
                sink.write(batch, suppressed)
                done += batch.num_rows
                advance("writing", done, records)
        staging.commit()
    return path


def published_frame(release: Release, source: Engine, *, pseudonyms: Pseudonyms | None = None) -> Any:
    """Every record of a source as the release publishes it, as the caller's kind of frame."""
    return _frame(Publisher.of_release(release, source, pseudonyms), source)


def _frame(publisher: Publisher, source: Engine) -> Any:
    from sfumato.engines.frames import like

    batches, suppressed = [], False
    for batch, gone in publisher.batches():
        batches.append(batch)
        suppressed |= bool(gone.any())
    table = pa.Table.from_batches(batches, publisher.schema())
    return like(source.frame, table, table.column_names if suppressed else publisher.changed)


def applied_frame(release: Release, frame: Any, *, pseudonyms: Pseudonyms | None = None) -> Any:
    """Every record of another frame as the release publishes such records."""
    other, recoding = DuckdbEngine.over_frame(frame), release.recoding
    for name in recoding.reads:
        if name not in other.columns:
            raise SchemaError(f"the frame has no column {name!r}, which the release reads.")
    raw = other.domains(recoding.reads)
    schema = release.original.schema
    builders = {column.name: column.taxonomy for column in schema.columns if column.taxonomy is not None}
    recoding, codes = recoding.knowing(raw, builders)
    encodings = {name: Encoding(raw[name], codes[name]) for name in recoding.reads}
    return _frame(Publisher(schema, recoding, encodings, other, pseudonyms=pseudonyms), other)


class Publisher:
    """Streams records as a release publishes them: recoded by labels, identifiers dropped or pseudonymous."""

    def __init__(
        self,
        schema: Schema,
        recoding: Recoding,
        encodings: Mapping[str, Encoding],
        source: Engine,
        *,
        pseudonyms: Pseudonyms | None,
    ) -> None:
        self._recoding, self._encodings, self._source = recoding, encodings, source
        self._kept = [name for name in source.columns if schema.column(name).pseudonym]
        if self._kept and pseudonyms is None:
            raise UsageError(f"column {self._kept[0]!r} asks for pseudonyms, which need a key; give one.")
        self._pseudonyms = pseudonyms
        dropped = [name for name in schema.identifiers if name not in self._kept]
        self.names = [name for name in self._source.columns if name not in dropped]
        self.recoded = [name for name in self.names if self._is_recoded(name)]
        self._labels = {name: pa.array(self._recoding.labels[name].texts, pa.string()) for name in self.recoded}

    @classmethod
    def of_release(cls, release: Release, source: Engine, pseudonyms: Pseudonyms | None) -> Publisher:
        """For the records that the release was made from."""
        original = release.original
        return cls(original.schema, release.recoding, original.encodings, source, pseudonyms=pseudonyms)

    @property
    def changed(self) -> list[str]:
        """The columns that are not published as they were."""
        return [*self.recoded, *self._kept]

    @property
    def separator(self) -> str:
        """What separates the values of a text file; that of the source where it is one."""
        return self._source.separator

    def schema(self) -> pa.Schema:
        """Names and types of what is published."""
        label = pa.dictionary(pa.int32(), pa.string())
        text = dict.fromkeys(self._kept, pa.string())
        types = dict.fromkeys(self.recoded, label) | text
        return pa.schema([(name, types.get(name) or self._source.arrow_type(name)) for name in self.names])

    def batches(self) -> Iterator[Published]:
        """Batch after batch in row order."""
        coded = list(dict.fromkeys((*self._recoding.reads, *self.recoded)))
        encodings = {name: self._encodings[name] for name in coded}
        plain = [name for name in self.names if name not in self.recoded]
        applier, schema = self._recoding.applier(), self.schema()
        for records in ahead(self._source.rows(encodings, plain=plain)):
            yield self._published(records, applier, schema)

    def _is_recoded(self, name: str) -> bool:
        """A typed column that is published value by value passes through as it is, type and all."""
        labels = self._recoding.labels.get(name)
        if labels is None:
            return False
        typed = self._source.kind(name) is not None and self._encodings[name].one_to_one
        return not (labels.exact and typed)

    def _published(self, records: Records, applier: Applier, schema: pa.Schema) -> Published:
        self._refuse_strange(records)
        applied = applier(records.codes)
        gone = applied.suppressed
        mask = pa.array(gone) if gone.any() else None
        columns = []
        for field in schema:
            if field.name in self._labels:
                indices = pa.array(applied.labels[field.name], pa.int32(), mask=gone if mask is not None else None)
                columns.append(pa.DictionaryArray.from_arrays(indices, self._labels[field.name]))
                continue
            column = records.plain[field.name]
            if field.name in self._kept:
                column = self._pseudonymous(column)
            column = column.cast(field.type) if column.type != field.type else column
            columns.append(column if mask is None else pc.if_else(mask, pa.scalar(None, field.type), column))
        return Published(pa.record_batch(columns, schema=schema), gone)

    def _refuse_strange(self, records: Records) -> None:
        """A value without a code was not there when the release was decided."""
        from sfumato.kernels.gathering import any_negative

        for name, codes in records.codes.items():
            if any_negative(codes):
                raise DataError(
                    f"column {name!r} has {int((codes < 0).sum())} values that were not there when the release was "
                    "decided, and nothing it publishes is true of them; leave these records out, or publish again."
                )

    def _pseudonymous(self, column: pa.Array) -> pa.Array:
        """Equal identifiers get equal pseudonyms; a missing one stays missing."""
        encoded = pc.dictionary_encode(column.cast(pa.string()))
        renamed = [self._pseudonyms(value) for value in encoded.dictionary.to_pylist()]  # type: ignore[misc]
        return pa.array(renamed, pa.string()).take(encoded.indices)
