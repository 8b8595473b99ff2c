"""Bucketize: publish values unchanged, and cut the link between a record and its sensitive value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.data.labels import Labels
from sfumato.data.partition import Partition
from sfumato.data.row_keys import Packing
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.recodings.buckets import BucketRecoding
from sfumato.recodings.recoding import GroupRecoding
from sfumato.releases.table_candidate import TableCandidate
from sfumato.runtime.secret_random import Randomness, SecretRandom

Codes = NDArray[np.int32]


def bucketize(
    table: Table, partition: Partition, buckets: Linkage, *, separate_table: bool, random: Randomness
) -> TableCandidate:
    """Put records into buckets and shuffle the blocks of columns against each other inside each bucket.

    Bucket numbers are random, and the values of a bucket are sorted and then shuffled, so neither depends on which
    record had which value. Equal records go to their buckets in random order, because a predictable order would reveal
    links. For the same reason the order of all records is shuffled when they are written. With `separate_table`, the
    sensitive values are published in a table of their own and need no shuffle here.
    """
    order = None if isinstance(random, SecretRandom) else int(random.integers(2**63))
    # The order in which an algorithm made its buckets may depend on sensitive values; random numbers hide it.
    bucket = random.permutation(len(partition)).astype(np.int32)[partition.group]
    runs = np.ones(len(partition.row), dtype=np.int64) if partition.counts is None else partition.counts
    rows = table.rows_at(partition.row, table.counts[partition.row] if partition.counts is None else runs)
    labels = {buckets.bucket_column: _bucket_labels(buckets.bucket_column, len(partition))}
    # Shuffle before assigning: the number of random draws of the assignment depends on the original values.
    starts, moved = (
        _shuffle_blocks(rows, bucket, len(partition), buckets, random)
        if not separate_table
        else (_starts(rows, bucket), {})
    )
    assignment = _assignment(table, rows, bucket, labels, random)
    shown = labels | {name: _identity_labels(table.domain(name)) for name in buckets.moved}
    recoding = BucketRecoding(buckets, assignment, starts, moved, shown, separate_table, order)
    published = replace(
        rows,
        codes=MappingProxyType({**rows.codes, buckets.bucket_column: bucket}),
        domains={**rows.domains, buckets.bucket_column: labels[buckets.bucket_column]},
    )
    return TableCandidate(table, published, recoding, partition.row, np.zeros(len(rows), dtype=bool), bucket)


def _assignment(
    table: Table, rows: Table, bucket: Codes, labels: Mapping[str, Labels], random: Randomness
) -> GroupRecoding:
    """The recoding from records to buckets: it looks records up by all judged columns.

    Several records with one combination go to the buckets of that combination one after the other.
    """
    reads = table.schema.judged
    packing, number = Packing.of([rows.codes[name] for name in reads], [len(table.domains[name]) for name in reads])
    # A fraction below 1 shuffles the runs within a combination and keeps the combinations in order.
    order = np.argsort(number + random.random(len(number)))
    starts = np.searchsorted(number[order], np.arange(len(packing) + 1)).astype(np.int64)
    cells = {name: np.arange(len(numbers), dtype=np.int32) for name, numbers in labels.items()}
    domains = {name: table.domain(name) for name in reads}
    return GroupRecoding(labels, reads, packing, starts, bucket[order], rows.counts[order], cells, domains)


def _shuffle_blocks(
    rows: Table, bucket: Codes, how_many: int, buckets: Linkage, random: Randomness
) -> tuple[NDArray[np.int64], dict[str, Codes]]:
    """For every bucket the values of each separated block, sorted and then shuffled."""
    found: dict[str, Codes] = {}
    group = np.repeat(bucket, rows.counts).astype(np.int64)
    room = 62 - how_many.bit_length()  # bits for the random part: one packed number sorts faster than two keys
    for block in buckets.blocks[1:]:
        radices = [len(rows.domains[name]) for name in block]
        packing, number = Packing.of([rows.codes[name] for name in block], radices)
        # Sorting removes every trace of the original assignment before the values are shuffled.
        sorted_ones = np.sort(group * len(packing) + np.repeat(number, rows.counts))
        place, tuple_of = sorted_ones // len(packing), sorted_ones % len(packing)
        by_chance = (place << room) + random.integers(0, 1 << room, len(place))
        shuffled = tuple_of[np.argsort(by_chance)]
        first = np.empty(len(packing), dtype=np.int64)
        first[number] = np.arange(len(number))
        found |= {name: rows.codes[name][first[shuffled]] for name in block}
    return _starts(rows, bucket), found


def _starts(rows: Table, bucket: Codes) -> NDArray[np.int64]:
    """The index of the first record of every bucket, and the total."""
    sizes = np.bincount(bucket, weights=rows.counts).astype(np.int64)
    return np.concatenate([[0], np.cumsum(sizes)])


def _bucket_labels(column: str, how_many: int) -> Labels:
    """The labels of the bucket column: 1, 2, 3, ..."""
    numbers = np.arange(1, how_many + 1)
    return _identity_labels(Domain(column, Kind.NUMBER, tuple(map(str, numbers.tolist())), numbers.astype(np.float64)))


def _identity_labels(domain: Domain) -> Labels:
    codes = np.arange(len(domain), dtype=np.int32)
    nothing = np.zeros(len(domain), dtype=np.float64)
    return Labels(domain, domain.texts, codes, codes, nothing, nothing)
