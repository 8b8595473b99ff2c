"""Slow, obvious twins of the metrics: one Python loop over records, each a list of cells.

A release is a list of records, one a person. A record is a dict from column to the *set of values* its published label
could stand for, or None when the record is suppressed. The original is a list of dicts from column to value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log2

Row = Mapping[str, str]
Shown = Mapping[str, frozenset[str]] | None


def domain(original: Sequence[Row], column: str) -> set[str]:
    return {row[column] for row in original}


def penalty(values: set[str], shown: frozenset[str], numeric: bool) -> float:
    if len(values) == 1:
        return 0.0
    if numeric:
        numbers, ends = [float(value) for value in values], [float(value) for value in shown]
        return (max(ends) - min(ends)) / (max(numbers) - min(numbers))
    return (len(shown) - 1) / (len(values) - 1)


def ncp(original: Sequence[Row], shown: Sequence[Shown], numeric: set[str]) -> float:
    cells = []
    for published in shown:
        for column in original[0]:
            values = domain(original, column)
            cells.append(1.0 if published is None else penalty(values, published[column], column in numeric))
    return sum(cells) / len(cells)


def iloss(original: Sequence[Row], shown: Sequence[Shown]) -> float:
    total = 0.0
    for published in shown:
        for column in original[0]:
            values = domain(original, column)
            covered = len(values) if published is None else len(published[column])
            total += (covered - 1) / len(values)
    return total


def discernibility(shown: Sequence[Shown]) -> float:
    """Pair by pair: who looks like whom."""
    total = 0
    for one in shown:
        total += len(shown) if one is None else sum(other == one for other in shown)
    return float(total)


def average_group_size(shown: Sequence[Shown]) -> float:
    kept = [
        tuple(sorted((name, tuple(sorted(cell))) for name, cell in row.items())) for row in shown if row is not None
    ]
    return len(kept) / len(set(kept)) if kept else len(shown)


def non_uniform_entropy(original: Sequence[Row], shown: Sequence[Shown]) -> float:
    lost = everything = 0.0
    for row, published in zip(original, shown, strict=True):
        for column in row:
            often = Counter(other[column] for other in original)
            whole = -log2(often[row[column]] / len(original))
            everything += whole
            if published is None:
                lost += whole
            else:
                lost += -log2(often[row[column]] / sum(often[value] for value in published[column]))
    return lost / everything if everything else 0.0


def suppressed_share(shown: Sequence[Shown]) -> float:
    return sum(row is None for row in shown) / len(shown)
