"""Which largest values some answers leave possible, by trying every table of small numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product

Known = Sequence[tuple[Collection[int], int]]
"""Sets of records, and the largest value of each."""


def tables(records: int, known: Known, values: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """Every table of values that gives these answers."""
    every = list(values)
    for table in product(every, repeat=records):
        if all(max(table[one] for one in chosen) == answer for chosen, answer in known):
            yield table


def candidates(records: int, known: Known, values: Iterable[int]) -> list[set[int]]:
    """For every set the records that have its largest value in some table."""
    found: list[set[int]] = [set() for _ in known]
    for table in tables(records, known, values):
        for place, (chosen, answer) in enumerate(known):
            found[place] |= {one for one in chosen if table[one] == answer}
    return found


def endangers(records: int, known: Known, sets: Sequence[Collection[int]], values: Sequence[int], least: int) -> bool:
    """Whether some possible answers about new sets leave fewer than `least` candidates of some set."""
    answers = {tuple(max(table[one] for one in chosen) for chosen in sets) for table in tables(records, known, values)}
    for answer in answers:
        after = [*known, *zip(sets, answer, strict=True)]
        if any(len(some) < least for some in candidates(records, after, values)):
            return True
    return False
