"""Bucketize: publish values as they are, and cut the tie between a person and the secret."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from sfumato.bucket_recoding import BucketRecoding
from sfumato.buckets import Buckets
from sfumato.domain import Domain, Kind
from sfumato.labels import Labels
from sfumato.packing import Packing
from sfumato.partition import Partition
from sfumato.recoding import GroupRecoding
from sfumato.release import Candidate
from sfumato.table import Table

Codes = NDArray[np.int32]


def bucketize(
    table: Table, partition: Partition, buckets: Buckets, *, apart: bool, random: np.random.Generator
) -> Candidate:
    """Put records into buckets and tear the blocks apart inside each.

    Buckets are numbered by where their first and last records lie among the quasi values of the first block, and what a
    bucket publishes is shuffled from sorted order; so neither follows from who had which value. Records that agree on
    everything go to their buckets in random order: one that others could see through would show who belongs together.
    """
    shown_first = [name for name in table.schema.quasi if name in buckets.blocks[0]]
    bucket = _renumbered(table, partition, shown_first, random)
    runs = np.ones(len(partition.row), dtype=np.int64) if partition.counts is None else partition.counts
    rows = table.rows_at(partition.row, table.counts[partition.row] if partition.counts is None else runs)
    labels = {buckets.column: _numbers(buckets.column, len(partition))}
    # Shuffled first: how many draws the assignment takes follows from who had which value.
    starts, moved = _moved(rows, bucket, len(partition), buckets, random) if not apart else (_starts(rows, bucket), {})
    assignment = _assignment(table, rows, bucket, labels, random)
    shown = labels | {name: _as_they_are(table.domain(name)) for name in buckets.moved}
    recoding = BucketRecoding(buckets, assignment, starts, moved, shown, apart)
    published = replace(
        rows,
        codes=MappingProxyType({**rows.codes, buckets.column: bucket}),
        domains={**rows.domains, buckets.column: labels[buckets.column]},
    )
    return Candidate(table, published, recoding, partition.row, np.zeros(len(rows), dtype=bool), bucket)


def _renumbered(table: Table, partition: Partition, columns: Sequence[str], random: np.random.Generator) -> Codes:
    """Numbers that follow from which values of some columns are in a bucket, and from chance."""
    place = table.agreeing(columns)[partition.row].astype(np.int64)
    low = np.full(len(partition), len(table), dtype=np.int64)
    high, total = np.zeros(len(partition), dtype=np.int64), np.zeros(len(partition), dtype=np.int64)
    np.minimum.at(low, partition.group, place)
    np.maximum.at(high, partition.group, place)
    np.add.at(
        total, partition.group, place * (table.counts[partition.row] if partition.counts is None else partition.counts)
    )
    number = np.empty(len(partition), dtype=np.int32)
    number[np.lexsort([random.random(len(partition)), total, high, low])] = np.arange(len(partition), dtype=np.int32)
    return number[partition.group]


def _assignment(
    table: Table, rows: Table, bucket: Codes, labels: Mapping[str, Labels], random: np.random.Generator
) -> GroupRecoding:
    """Records are known by all that is judged, and go to the buckets of their combination one after the other."""
    reads = table.schema.judged
    packing, number = Packing.of([rows.codes[name] for name in reads], [len(table.domains[name]) for name in reads])
    order = np.argsort(number + random.random(len(number)))
    starts = np.searchsorted(number[order], np.arange(len(packing) + 1)).astype(np.int64)
    cells = {name: np.arange(len(numbers), dtype=np.int32) for name, numbers in labels.items()}
    domains = {name: table.domain(name) for name in reads}
    return GroupRecoding(labels, reads, packing, starts, bucket[order], rows.counts[order], cells, domains)


def _moved(
    rows: Table, bucket: Codes, how_many: int, buckets: Buckets, random: np.random.Generator
) -> tuple[NDArray[np.int64], dict[str, Codes]]:
    """For every bucket the values of each torn-off block, sorted and then shuffled."""
    found: dict[str, Codes] = {}
    group = np.repeat(bucket, rows.counts).astype(np.int64)
    room = 62 - how_many.bit_length()  # bits beside the bucket; one number sorts faster than two
    for block in buckets.blocks[1:]:
        radices = [len(rows.domains[name]) for name in block]
        packing, number = Packing.of([rows.codes[name] for name in block], radices)
        sorted_ones = np.sort(group * len(packing) + np.repeat(number, rows.counts))
        place, tuple_of = sorted_ones // len(packing), sorted_ones % len(packing)
        by_chance = (place << room) + random.integers(0, 1 << room, len(place))
        shuffled = tuple_of[np.argsort(by_chance)]
        first = np.empty(len(packing), dtype=np.int64)
        first[number] = np.arange(len(number))
        found |= {name: rows.codes[name][first[shuffled]] for name in block}
    return _starts(rows, bucket), found


def _starts(rows: Table, bucket: Codes) -> NDArray[np.int64]:
    """Where the records of every bucket begin."""
    sizes = np.bincount(bucket, weights=rows.counts).astype(np.int64)
    return np.concatenate([[0], np.cumsum(sizes)])


def _numbers(column: str, how_many: int) -> Labels:
    """Buckets are called 1, 2, 3, ..."""
    numbers = np.arange(1, how_many + 1)
    return _as_they_are(Domain(column, Kind.NUMBER, tuple(map(str, numbers.tolist())), numbers.astype(np.float64)))


def _as_they_are(domain: Domain) -> Labels:
    codes = np.arange(len(domain), dtype=np.int32)
    nothing = np.zeros(len(domain), dtype=np.float64)
    return Labels(domain, domain.texts, codes, codes, nothing, nothing)
