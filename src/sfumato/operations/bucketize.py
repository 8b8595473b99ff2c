"""Bucketize: publish values as they are, and cut the tie between a person and the secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain, Kind
from sfumato.data.labels import Labels
from sfumato.data.partition import Partition
from sfumato.data.row_keys import Packing
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.recodings.buckets import BucketRecoding
from sfumato.recodings.recoding import GroupRecoding
from sfumato.releases.candidate import Candidate
from sfumato.runtime.secret_random import Randomness, SecretRandom

Codes = NDArray[np.int32]


def bucketize(table: Table, partition: Partition, buckets: Linkage, *, apart: bool, random: Randomness) -> Candidate:
    """Put records into buckets and tear the blocks apart inside each.

    Buckets are numbered by chance, and what a bucket publishes is shuffled from sorted order; so neither follows from
    who had which value. Records that agree on everything go to their buckets in random order: one that others could see
    through would show who belongs together. So would the order of all records, which is shuffled when they are written.
    """
    order = None if isinstance(random, SecretRandom) else int(random.integers(2**63))
    bucket = random.permutation(len(partition)).astype(np.int32)[partition.group]
    runs = np.ones(len(partition.row), dtype=np.int64) if partition.counts is None else partition.counts
    rows = table.rows_at(partition.row, table.counts[partition.row] if partition.counts is None else runs)
    labels = {buckets.column: _numbers(buckets.column, len(partition))}
    # Shuffled first: how many draws the assignment takes follows from who had which value.
    starts, moved = _moved(rows, bucket, len(partition), buckets, random) if not apart else (_starts(rows, bucket), {})
    assignment = _assignment(table, rows, bucket, labels, random)
    shown = labels | {name: _as_they_are(table.domain(name)) for name in buckets.moved}
    recoding = BucketRecoding(buckets, assignment, starts, moved, shown, apart, order)
    published = replace(
        rows,
        codes=MappingProxyType({**rows.codes, buckets.column: bucket}),
        domains={**rows.domains, buckets.column: labels[buckets.column]},
    )
    return Candidate(table, published, recoding, partition.row, np.zeros(len(rows), dtype=bool), bucket)


def _assignment(
    table: Table, rows: Table, bucket: Codes, labels: Mapping[str, Labels], random: Randomness
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
    rows: Table, bucket: Codes, how_many: int, buckets: Linkage, random: Randomness
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
