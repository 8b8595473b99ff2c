"""Every way in which torn-apart records could belong together, written out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

Record = dict[str, float | str | None]


def worlds(buckets: Sequence[Sequence[Record]], blocks: Sequence[Sequence[str]]) -> Iterator[list[Record]]:
    """All records together, once for each way to shuffle every block but the first inside every bucket."""
    inside = [list(_shuffled(bucket, blocks)) for bucket in buckets]
    for chosen in product(*inside):
        yield [record for bucket in chosen for record in bucket]


def _shuffled(bucket: Sequence[Record], blocks: Sequence[Sequence[str]]) -> Iterator[list[Record]]:
    orders = list(permutations(range(len(bucket))))
    for order in product(orders, repeat=len(blocks) - 1):
        rows = [range(len(bucket)), *order]
        yield [
            {name: bucket[row[place]][name] for block, row in zip(blocks, rows, strict=True) for name in block}
            for place in range(len(bucket))
        ]
