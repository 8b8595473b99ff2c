"""Which values follow from sums over sets of records, by elimination with fractions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction


def rank(rows: Sequence[Sequence[int]]) -> int:
    """The rank of a matrix, column after column."""
    left, found = [[Fraction(value) for value in row] for row in rows], 0
    for column in range(len(left[0]) if left else 0):
        pivot = next((row for row in left if row[column] != 0), None)
        if pivot is None:
            continue
        found += 1
        left = [_rid_of(row, pivot, column) for row in left if row is not pivot]
    return found


def _rid_of(row: list[Fraction], pivot: list[Fraction], column: int) -> list[Fraction]:
    if row[column] == 0:
        return row
    factor = row[column] / pivot[column]
    return [value - factor * other for value, other in zip(row, pivot, strict=True)]


def told(sets: Sequence[Collection[int]], records: Sequence[int]) -> set[int]:
    """The records whose own row adds nothing to the rank of the rows of the sets."""
    rows = [[int(record in each) for record in records] for each in sets]
    plain = rank(rows)
    return {
        record
        for record in records
        if rank([*rows, [int(record == other) for other in records]]) == plain and any(record in each for each in sets)
    }


def people_told(sets: Sequence[Collection[int]], person_of: Sequence[int]) -> set[int]:
    """The people without whose records the rows of the sets have a smaller rank: something of theirs alone follows."""
    records = range(len(person_of))
    plain = rank([[int(record in each) for record in records] for each in sets])
    found = set()
    for person in set(person_of):
        others = [record for record in records if person_of[record] != person]
        if rank([[int(record in each) for record in others] for each in sets]) < plain:
            found.add(person)
    return found
