"""Applies a recoding to every record and writes the result; other columns are unchanged.

Records keep their order, unless they are in buckets or another order is asked for.

`TableRelease.write`, `TableRelease.frame` and `TableRelease.apply` call it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.data.domain import one_form
from sfumato.data.kinds import Kind
from sfumato.data.notations import Notation
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.engines.base import BATCH, Encoding, Engine, RecordBatch
from sfumato.engines.opening import open_frame
from sfumato.engines.writing.order_disclosure import is_comparable, recovered_order
from sfumato.engines.writing.sinks import sink_for
from sfumato.errors import DataError, SchemaError, UsageError
from sfumato.kernels.arrays import Flags
from sfumato.recodings.recoding import Numbered, Recoding
from sfumato.releases.table_release import TableRelease
from sfumato.runtime.atomic_files import Staging, demand_table_possible
from sfumato.runtime.progress import advance
from sfumato.runtime.read_ahead import ahead
from sfumato.runtime.representations import sizes_only

Pseudonyms = Callable[[str], str]


class PublishedBatch(NamedTuple):
    """A batch of published records; the cells of suppressed records are null."""

    batch: pa.RecordBatch
    suppressed: Flags

    def __repr__(self) -> str:
        return sizes_only(self)

    def without_suppressed(self) -> PublishedBatch:
        """The records of the batch that are not suppressed."""
        if not self.suppressed.any():
            return self
        left = ~self.suppressed
        return PublishedBatch(self.batch.filter(pa.array(left)), self.suppressed[left])


class Reading(NamedTuple):
    """How the values of a column are read: as which kind, and in which notation if it is not the standard one."""

    kind: Kind | None
    notation: Notation | None

    def one_form(self, text: str) -> str:
        """The text by which all written forms of a value are known; one that is no number or date stays as it is."""
        standard = None if self.notation is None else self.notation.standard(text)
        return one_form(text if standard is None else standard, self.kind)


def write_published(
    release: TableRelease,
    path: Path,
    *,
    pseudonyms: Pseudonyms | None = None,
    sensitive_table: Path | None = None,
    drop_suppressed: bool = False,
    order: NDArray[np.int64] | None = None,
) -> Path:
    """Write the published records and the separate sensitive values, if any; files appear when all are complete."""
    publisher, records, done = (
        Publisher.of_release(release, release.source(), pseudonyms, order),
        release.original.records,
        0,
    )
    secrets = release.parts.get("sensitive")
    beside = [] if secrets is None else [sensitive_table or sensitive_path(path)]
    for target in (path, *beside):
        demand_table_possible(target)
    with Staging([path, *beside]) as staging:
        for place in beside:
            _write_secrets(secrets, staging.place(place), publisher.separator)
        with sink_for(staging.place(path), publisher.schema(), publisher.separator, publisher.labels) as sink:
            for published in ahead(publisher.to_be_written(records)):
                sink.write(*(published.without_suppressed() if drop_suppressed else published))
                done += published.batch.num_rows
                advance("writing", done, records)
        _demand_all(done, records)
        staging.commit()
    return path


def _demand_all(done: int, records: int) -> None:
    """Raise an error for a source that has another number of records than when the release was made."""
    if done != records:
        raise DataError(f"the source has {done} records now, and the release was made from {records}; publish again.")


def sensitive_path(path: Path) -> Path:
    """The default path of the separate table of sensitive values: `release_sensitive.csv` for `release.csv`."""
    return path.with_name(f"{path.stem}_sensitive{path.suffix}")


def sensitive_table(secrets: Table) -> pa.Table:
    """The sensitive values of each bucket with their counts: bucket, sensitive columns, count."""
    bucket, *names = secrets.codes
    columns = [pa.array(secrets.codes[bucket] + 1, pa.int32())]
    for name in names:
        kind = secrets.source.arrow_type(name) if secrets.source is not None else pa.string()
        # Only values that occur are listed: the domain also has values that suppressed records alone have.
        used, codes = np.unique(secrets.codes[name], return_inverse=True)
        texts = _typed_texts([secrets.domain(name).texts[code] for code in used], kind)
        columns.append(_chosen(texts, pa.array(codes, pa.int32())))
    count = "count" if "count" not in secrets.codes else "records_"
    return pa.table([*columns, pa.array(secrets.counts)], names=[bucket, *names, count])


def _typed_texts(texts: Sequence[str | None], kind: pa.DataType) -> pa.Array:
    """Written values as an Arrow array of the given type if it is numeric or temporal, otherwise as texts."""
    plain = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_temporal(kind)
    written = pa.array(texts, pa.string())
    if pa.types.is_timestamp(kind) and kind.tz is not None:  # moments are read and averaged in UTC
        return pc.assume_timezone(written.cast(pa.timestamp(kind.unit)), "UTC").cast(kind)
    return written.cast(kind) if plain else written


def _type_for(texts: Sequence[str | None], kind: pa.DataType) -> pa.DataType:
    """The type of numbers that replace those of a typed column: the same, or floats if whole numbers became fractions.

    Means of whole numbers are rarely whole.
    """
    if pa.types.is_integer(kind) and all(text is None or text.lstrip("-").isdigit() for text in texts):
        return kind
    return kind if pa.types.is_temporal(kind) else pa.float64()


def _chosen(texts: pa.Array, places: pa.Array) -> pa.Array:
    """The values at the given indices; texts as a dictionary array, without an entry for missing values (Parquet)."""
    if texts.type != pa.string():
        return texts.take(places)
    if texts.null_count:
        there = texts.is_valid().to_numpy(zero_copy_only=False)
        # Indices skip the missing value, which is a null index instead of an entry of the dictionary.
        places = pa.array(np.cumsum(there) - 1, pa.int32(), mask=~there).take(places)
        texts = texts.drop_null()
    return pa.DictionaryArray.from_arrays(places, texts)


def _left_places(gone: Flags) -> pa.Array:
    """The indices of the records that are left, null for those that are gone."""
    return pa.array(np.arange(len(gone), dtype=np.int32), pa.int32(), mask=gone)


def _left(column: pa.Array, places: pa.Array) -> pa.Array:
    """The values at the given indices, null where an index is null.

    `pc.if_else` with a mask would only mark values as null and keep them in memory below the mark, from where they get
    into pickles and Arrow files of a released frame.
    """
    return pc.take(column, places, boundscheck=False)


def _write_secrets(secrets: Table | None, path: Path, separator: str) -> None:
    if secrets is None:
        return
    table = sensitive_table(secrets)
    with sink_for(path, table.schema, separator) as sink:
        for batch in table.to_batches():
            sink.write(batch, np.zeros(batch.num_rows, dtype=bool))


def published_frame(
    release: TableRelease, source: Engine, *, pseudonyms: Pseudonyms | None = None, drop_suppressed: bool = False
) -> Any:
    """The published records of a source, as the caller's kind of frame."""
    return _frame(Publisher.of_release(release, source, pseudonyms), source, drop_suppressed=drop_suppressed)


def _frame(publisher: Publisher, source: Engine, *, drop_suppressed: bool = False) -> Any:
    from sfumato.engines.frames.frames import like, made_like, nested_categories, rows_of, without_unused_categories

    batches = list(publisher.batches())
    table = pa.Table.from_batches([batch for batch, _ in batches], publisher.schema())
    suppressed = np.concatenate([np.zeros(0, dtype=bool), *(gone for _, gone in batches)])
    # Columns without a role are published unchanged. If one of them rises with the original order, sorting by it
    # would undo the shuffle, so that is refused.
    order = publisher.shuffled(table.num_rows)
    if order is not None:
        publisher.refuse_columns_in_order(table)
        return made_like(source.frame, table.take(order[~suppressed[order]] if drop_suppressed else order))
    frame = source.frame
    if drop_suppressed and suppressed.any():
        table, frame, suppressed = table.filter(~suppressed), rows_of(frame, ~suppressed), suppressed[:0]
    nested = [name for name in nested_categories(frame) if name in publisher.names]
    # The cells of suppressed records are null in every column,
    # so no column can be taken over from the caller's frame.
    changed = table.column_names if suppressed.any() else list(dict.fromkeys([*publisher.changed, *nested]))
    return without_unused_categories(like(frame, table, changed))


def write_originals(
    release: TableRelease,
    original: Engine,
    path: Path,
    *,
    drop_suppressed: bool,
    order: NDArray[np.int64] | None = None,
) -> Path:
    """Write the original records of those that are published, all columns as they are.

    The records of an `order` come in it, as `TableRelease.write` writes them; suppressed ones are dropped if asked.
    """
    schema = pa.schema([(name, original.arrow_type(name)) for name in original.columns])
    records = (
        pa.record_batch([found.plain[name] for name in schema.names], schema)
        for found in original.rows({}, plain=original.columns)
    )
    kept = _kept(release) if drop_suppressed else np.ones(release.original.records, dtype=bool)
    if order is not None:
        records, kept = iter(pa.Table.from_batches(records, schema).take(order).to_batches(BATCH)), kept[order]
    start = 0
    with sink_for(path, schema, original.separator) as sink:
        for batch in records:
            here = kept[start : start + batch.num_rows]
            sink.write(batch.filter(pa.array(here)), np.zeros(int(here.sum()), dtype=bool))
            start += batch.num_rows
    return path


def _kept(release: TableRelease) -> Flags:
    """Whether each record of the source of a release is published."""
    recoding, source = release.recoding, release.source()
    encodings = {name: release.original.encodings[name] for name in recoding.reads}
    numbering = RecordNumbering(recoding)
    return ~np.concatenate(
        [recoding.apply(found.codes, numbering(found)).suppressed for found in source.rows(encodings)]
    )


def applied_frame(release: TableRelease, frame: Any, *, pseudonyms: Pseudonyms | None = None) -> Any:
    """The records of another frame, recoded as those of the release."""
    other, recoding = open_frame(frame), release.recoding
    if recoding.linkage.cut:
        raise UsageError("buckets cannot take other records; publish these in a release of their own.")
    for name in recoding.reads:
        if name not in other.columns:
            raise SchemaError(f"the frame has no column {name!r}, which the release reads.")
    raw = other.domains(recoding.reads)
    schema = release.original.schema
    builders = {column.name: column.taxonomy for column in schema.columns if column.taxonomy is not None}
    # Values that the release did not have get the label that covers
    # them, if there is one; others keep code -1 and are refused later.
    recoding, codes = recoding.extended_to(raw, builders)
    encodings = {name: Encoding(raw[name], codes[name]) for name in recoding.reads}
    return _frame(
        Publisher(
            schema,
            recoding,
            encodings,
            other,
            pseudonyms=pseudonyms,
            readings=_readings(release.original),
        ),
        other,
    )


class RecordNumbering:
    """Numbers equal records in row order over all batches; this is the only state of publishing.

    An engine that publishes batches in parallel would count the combinations of each batch first, and start the numbers
    of a batch where those of earlier batches end.
    """

    def __init__(self, recoding: Recoding) -> None:
        self._recoding, self._earlier = recoding, np.zeros(recoding.combinations, dtype=np.int64)

    def __call__(self, records: RecordBatch) -> Numbered | None:
        """The numbers of a batch; None if equal records always get equal labels."""
        return self._recoding.number(records.codes, self._earlier) if len(self._earlier) else None


class Publisher:
    """Streams the published records: recoded, with identifiers dropped or replaced by pseudonyms.

    `published_rows` limits the listed labels to those of published rows. `readings` say how values are read: all
    written forms of a number get the same pseudonym, and a column in another notation is published in the standard one.
    """

    def __init__(
        self,
        schema: Schema,
        recoding: Recoding,
        encodings: Mapping[str, Encoding],
        source: Engine,
        *,
        pseudonyms: Pseudonyms | None,
        readings: Mapping[str, Reading],
        published_rows: Table | None = None,
        order: NDArray[np.int64] | None = None,
    ) -> None:
        self._recoding, self._encodings, self._source = recoding, encodings, source
        self._kept = [name for name in source.columns if schema.column(name).pseudonym]
        if self._kept and pseudonyms is None:
            raise UsageError(f"column {self._kept[0]!r} asks for pseudonyms, which need a key; give one.")
        self._pseudonyms, self._readings, self._missing = pseudonyms, readings, set(schema.missing)
        self._order = order
        named = {column.name for column in schema.columns}
        self._unnamed = [name for name in source.columns if name not in named]
        self._moved = recoding.linkage.moved
        self._added = (recoding.linkage.bucket_column,) if recoding.linkage.cut else ()
        dropped = {name for name in schema.identifiers if name not in self._kept} | set(recoding.separate_columns)
        self.names = [*(name for name in self._source.columns if name not in dropped), *self._added]
        self.recoded = [name for name in self.names if self._is_recoded(name)]
        odd = {name for name, reading in readings.items() if reading.notation is not None}
        self._standardized = [name for name in self.names if name in odd - {*self.recoded, *self._kept}]
        # Labels of suppressed records only must not appear even in the
        # dictionary of a column, where a reader of the file would find them.
        self._used = (
            {} if published_rows is None else {name: np.unique(published_rows.codes[name]) for name in self.recoded}
        )
        self._labels = {name: self._typed(name) for name in self.recoded}

    @classmethod
    def of_release(
        cls,
        release: TableRelease,
        source: Engine,
        pseudonyms: Pseudonyms | None,
        order: NDArray[np.int64] | None = None,
    ) -> Publisher:
        """A publisher of the records of a release; labels that only suppressed records have are not listed in files."""
        original, candidate = release.original, release.candidate
        return cls(
            original.schema,
            release.recoding,
            original.encodings,
            source,
            pseudonyms=pseudonyms,
            readings=_readings(original),
            published_rows=candidate.published_rows if candidate.suppressed_records else None,
            order=order,
        )

    @property
    def changed(self) -> list[str]:
        """The columns that are not published unchanged."""
        return [*self.recoded, *self._kept, *self._standardized]

    @property
    def separator(self) -> str:
        """The separator of a text file: that of the source if it is a text file."""
        return self._source.separator

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels of the published columns, if the source is a file of a statistics program."""
        return {name: text for name, text in self._source.labels.items() if name in self.names}

    def schema(self) -> pa.Schema:
        """The names and types of the published columns."""
        label = pa.dictionary(pa.int32(), pa.string())
        types = {name: label if texts.type == pa.string() else texts.type for name, texts in self._labels.items()}
        types |= dict.fromkeys((*self._kept, *self._standardized), pa.string())
        return pa.schema([(name, types.get(name) or self._source.arrow_type(name)) for name in self.names])

    def batches(self) -> Iterator[PublishedBatch]:
        """The published records in row order, in batches."""
        coded = list(
            dict.fromkeys((*self._recoding.reads, *(name for name in self.recoded if name not in self._added)))
        )
        encodings = {name: self._encodings[name] for name in coded}
        plain = [name for name in self.names if name not in self.recoded]
        numbering, schema = RecordNumbering(self._recoding), self.schema()
        # Reading runs in a second thread, because DuckDB and Arrow release the interpreter lock.
        for records in ahead(self._source.rows(encodings, plain=plain)):
            self._refuse_unknown(records)
            yield self._published(records, numbering(records), schema)

    def _typed(self, name: str) -> pa.Array:
        """The labels of a column as an Arrow array; numbers and dates that were only moved keep their type."""
        texts = self._recoding.labels[name].texts
        if name in self._used:
            texts = tuple(texts[code] for code in self._used[name])
        if name in self._added:
            return _typed_texts(texts, pa.int32())
        if self._recoding.labels[name].numbers is not None and self._source.kind(name) is not None:
            kind = self._source.arrow_type(name)
            dates_as_texts = self._recoding.domain(name).kind is Kind.DATE and not pa.types.is_temporal(kind)
            return _typed_texts(texts, pa.string() if dates_as_texts else _type_for(texts, kind))
        return _typed_texts(texts, self._source.arrow_type(name) if name in self._moved else pa.string())

    def shuffled(self, records: int) -> NDArray[np.int64] | None:
        """The order in which records are published; None if they keep the original order."""
        return self._recoding.shuffled(records) if self._order is None else self._order

    def to_be_written(self, records: int) -> Iterator[PublishedBatch]:
        """The published records in batches, shuffled if their order could disclose sensitive values."""
        order = self.shuffled(records)
        if order is None:
            yield from self.batches()
            return
        # A shuffle needs all records at once; releases that keep the order are streamed.
        found = list(self.batches())
        table = pa.Table.from_batches([batch for batch, _ in found], self.schema())
        _demand_all(table.num_rows, records)
        self.refuse_columns_in_order(table)
        table, suppressed = table.take(order), np.concatenate([gone for _, gone in found])[order]
        start = 0
        for batch in table.to_batches(max_chunksize=BATCH):
            yield PublishedBatch(batch, suppressed[start : start + batch.num_rows])
            start += batch.num_rows

    def refuse_columns_in_order(self, table: pa.Table) -> None:
        """Raise an error if the original order of shuffled records can be recovered from a column without a role.

        Nested values are refused untested. Columns with a role are not checked: the publisher has decided on them.
        """
        for name in self._unnamed:
            if name not in table.column_names:
                continue
            if not is_comparable(table.column(name).type):
                raise DataError(
                    f"column {name!r} has no role and holds nested values, which may rise or fall with the order of "
                    "the records and are not tested. Records are shuffled because their order could disclose sensitive "
                    "values; drop the column by declaring it an identifier, publish its values as columns of numbers, "
                    "dates or texts, or give it another role if it may be published."
                )
            found = recovered_order(table.column(name))
            if found is not None:
                where = "" if found.parts == 1 else f" within each of {found.parts} parts of the data"
                raise DataError(
                    f"column {name!r} has no role, and its values rise or fall with the order of the records: sorting "
                    f"by it puts {found.share:.0%} of all pairs{where} into the order in which they came. Records are "
                    "shuffled because their order could disclose sensitive values; drop the column by declaring it an "
                    "identifier, or give it another role if it may be published."
                )

    def _is_recoded(self, name: str) -> bool:
        """Whether a column gets labels; a typed column whose labels are its values is published unchanged."""
        if name in self._moved or name in self._added:
            return True
        labels = self._recoding.labels.get(name)
        if labels is None:
            return False
        # In an untyped text file, the written forms 007 and 7 may have one code. Publishing the text itself would
        # show which form a record had, so such a column gets labels.
        typed = self._source.kind(name) is not None and self._encodings[name].one_to_one
        return not (labels.exact and typed)

    def _published(self, records: RecordBatch, numbered: Numbered | None, schema: pa.Schema) -> PublishedBatch:
        """The published form of a batch; it depends only on the batch and the numbers of its records."""
        applied = self._recoding.apply(records.codes, numbered)
        gone = applied.suppressed
        left = _left_places(gone) if gone.any() else None
        columns = []
        for field in schema:
            if field.name in self._labels:
                codes = self._places(field.name, applied.labels[field.name])
                places = pa.array(codes, pa.int32()) if left is None else _left(pa.array(codes, pa.int32()), left)
                columns.append(_chosen(self._labels[field.name], places))
                continue
            column = records.plain[field.name]
            if field.name in self._kept or field.name in self._standardized:
                column = self._mapped(field.name, column)
            column = column.cast(field.type) if column.type != field.type else column
            columns.append(column if left is None else _left(column, left))
        return PublishedBatch(pa.record_batch(columns, schema=schema), gone)

    def _places(self, name: str, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """The indices of labels among the published ones; arbitrary for labels of suppressed records."""
        if name not in self._used:
            return codes
        # Labels of suppressed records are not among the used ones; their cells become null anyway.
        return np.searchsorted(self._used[name], codes).astype(np.int32)

    def _refuse_unknown(self, records: RecordBatch) -> None:
        """Raise an error for values without a code, which the release was not made from."""
        from sfumato.kernels.gather import any_negative

        for name, codes in records.codes.items():
            if any_negative(codes):
                raise DataError(
                    f"column {name!r} has {int((codes < 0).sum())} values that the release was not made from, and "
                    "no label covers them; leave these records out, or publish again."
                )

    def _mapped(self, name: str, column: pa.Array) -> pa.Array:
        """The pseudonyms of identifiers, or numbers and dates in the standard notation; missing values stay missing."""
        # A pseudonym is a keyed hash, which is slow, so each distinct value is looked at once per batch.
        encoded = pc.dictionary_encode(column.cast(pa.string()))
        texts, reading = encoded.dictionary.to_pylist(), self._readings[name]
        if name in self._kept:
            pseudonyms: Pseudonyms = self._pseudonyms  # type: ignore[assignment]  # there is a key if a column needs one
            made = [None if text in self._missing else pseudonyms(reading.one_form(text)) for text in texts]
        else:
            made = [text if text in self._missing else reading.one_form(text) for text in texts]
        return pa.array(made, pa.string()).take(encoded.indices)


def _readings(original: Table) -> dict[str, Reading]:
    """How the values of columns are read: judged columns as they were counted, others with pseudonyms as declared."""
    found = {}
    for column in original.schema.columns:
        if column.name in original.encodings:
            domain = original.domain(column.name)
            found[column.name] = Reading(domain.kind, domain.notation)
        elif column.pseudonym:
            found[column.name] = Reading(column.kind, column.notation)
    return found
