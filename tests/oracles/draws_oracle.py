"""Every way in which records could have been drawn into buckets whose sensitive values are given, written out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

Place = tuple[str, float]
"""A sensitive value, and the number of the record that has it."""


def draws(buckets: Sequence[Sequence[Place]]) -> Iterator[list[list[Place]]]:
    """The same buckets, once for each way to exchange records that have the same sensitive value."""
    values = sorted({value for bucket in buckets for value, _ in bucket})
    owned = {value: [number for bucket in buckets for one, number in bucket if one == value] for value in values}
    for orders in product(*(permutations(owned[value]) for value in values)):
        left = {value: list(order) for value, order in zip(values, orders, strict=True)}
        yield [[(value, left[value].pop()) for value, _ in bucket] for bucket in buckets]
