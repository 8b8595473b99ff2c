"""The linear span of the sums that were answered: which sums follow from them, and which are about one person.

`SumAuditor` extends it with every sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.gateway.statistics.modular_arithmetic import BLOCK, BUCKETS, Residues, Row
from sfumato.gateway.statistics.record_sets import RecordSet

Rows = NDArray[np.int64]
Numbers = NDArray[np.int64]

_SPARE_RECORDS = 16
"""Records that are examined together when one is needed."""


class Owners(Protocol):
    """Which person each record belongs to."""

    def owners(self, records: Numbers) -> Numbers:
        """The person of each record."""
        ...

    def records_of(self, person: int) -> Numbers:
        """All records of a person."""
        ...


class OneRecordEach:
    """Every person has one record, with the number of the person."""

    def owners(self, records: Numbers) -> Numbers:
        """The records themselves."""
        return records

    def records_of(self, person: int) -> Numbers:
        """The record of a person."""
        return np.array([person], dtype=np.int64)


@dataclass(frozen=True)
class LinearSpan:
    """Everything that follows from the sums over some sets of records by adding and subtracting.

    A set is a row vector with a 1 for each of its records. Something about a single person follows from the sums if and
    only if a linear combination of the rows is zero except at records of that person, and not zero there. The rows are
    kept in reduced form: each has a pivot, a record at which all other rows are zero. So a combination that is zero
    outside a person's records uses only rows whose pivot is a record of that person, and these are few.

    A row is not stored for all records. It is stored for the records examined so far (`seen`), as weighted sums over
    all records (`weighted_sums`), and as a linear combination of the sets (`combinations`). A row is zero outside a
    person's records if its weighted sums are zero after the weights of these records are subtracted. So the cost grows
    with the number of sets, and hardly with the number of records.

    State: `rows[i, j]` is the coefficient of row i at record `seen[j]`, `pivots[i]` the position in `seen` of the pivot
    of row i, `revealed` the people about whom something follows.

    >>> span = LinearSpan.empty(Residues.random())
    >>> span = span.extended(RecordSet.of([1, 2, 3, 4])).extended(RecordSet.of([1, 2]))
    >>> sorted(span.revealed), sorted(span.extended(RecordSet.of([2, 3, 4])).revealed)
    ([], [1, 2])
    """

    residues: Residues
    people: Owners
    sets: tuple[RecordSet, ...]
    seen: Numbers
    pivots: Numbers
    rows: Rows
    weighted_sums: Rows
    combinations: Rows
    revealed: frozenset[int] = frozenset()

    @classmethod
    def empty(cls, residues: Residues, people: Owners | None = None) -> LinearSpan:
        """Nothing is known yet; without `people`, every person has one record."""
        none, nothing = np.zeros(0, np.int64), np.zeros((0, 0), np.int64)
        weighted_sums = np.zeros((0, BUCKETS), np.int64)
        return cls(residues, people or OneRecordEach(), (), none, none, nothing, weighted_sums, nothing)

    def extended(self, records: RecordSet) -> LinearSpan:
        """The span when the sum over these records is known too."""
        # Every stored row is 1 at its own pivot and 0 at the others'. So subtracting
        # the rows whose pivot is in the set makes the new row zero at all pivots.
        row = records.has(self.seen).astype(np.int64)
        chosen = row[self.pivots] == 1
        rest = self._minus_rows(row, self.rows, chosen)
        weighted_sums = self._minus_rows(self.residues.weighted_sums(records), self.weighted_sums, chosen)
        # The row is zero: the sum follows from the earlier ones, so answering it reveals nothing new.
        if not rest.any() and not weighted_sums.any():
            return self
        combination = np.append(self._minus_rows(np.zeros(len(self.sets), np.int64), self.combinations, chosen), 1)
        return self._with_row(records, rest, weighted_sums, combination)._reduce_last_row()

    def _minus_rows(self, row: Row, rows: Rows, chosen: NDArray[np.bool_]) -> Row:
        """A row minus the chosen rows, which makes it zero at their pivots."""
        return np.asarray((row - self.residues.sum_rows(rows[chosen])) % self.residues.prime)

    def _with_row(self, records: RecordSet, rest: Row, weighted_sums: Row, combination: Row) -> LinearSpan:
        """The span with one more row, which is nonzero at a record that was examined."""
        wider = replace(
            self,
            sets=(*self.sets, records),
            rows=np.vstack([self.rows, rest]),
            weighted_sums=np.vstack([self.weighted_sums, weighted_sums]),
            combinations=np.vstack([np.pad(self.combinations, ((0, 0), (0, 1))), combination]),
        )
        return (
            wider
            if rest.any()
            else wider._with_seen(wider._nonzero_records(len(self.sets), weighted_sums, np.zeros(0, np.int64)))
        )

    def _reduce_last_row(self) -> LinearSpan:
        """Give the last row a pivot, and make all other rows zero there; then check the people of changed rows."""
        from sfumato.gateway.statistics.loops.residue_rows import multiply, subtract

        prime, parts = self.residues.prime, (self.rows.copy(), self.weighted_sums.copy(), self.combinations.copy())
        pivot = self._pivot()
        # Gauss-Jordan elimination of the pivot column, applied to all three representations of the rows alike.
        scale, factors = self.residues.inverse(int(self.rows[-1, pivot])), self.rows[:-1, pivot].copy()
        for part in parts:
            part[-1] = multiply(part[-1], scale, prime)
            subtract(part[:-1], factors, part[-1], prime)
        rows, weighted_sums, combinations = parts
        span = replace(
            self,
            pivots=np.append(self.pivots, pivot),
            rows=rows,
            weighted_sums=weighted_sums,
            combinations=combinations,
        )
        # Rows that did not change were checked when they last changed.
        changed = [*np.flatnonzero(factors).tolist(), len(factors)]
        for person in dict.fromkeys(span._people_of_rows()[changed].tolist()):
            span = span._check_person(person)
        return span

    def _pivot(self) -> int:
        """A pivot for the last row; if possible, a record of a person who has no pivot yet."""
        places = np.flatnonzero(self.rows[-1])
        # People with a single pivot are checked by one row, which
        # is fast; several pivots need a rank (`_check_person`).
        fresh = ~np.isin(self.people.owners(self.seen[places]), self._people_of_rows())
        return int(places[fresh][0] if fresh.any() else places[0])

    def _people_of_rows(self) -> Numbers:
        """The person of each row's pivot."""
        return self.people.owners(self.seen[self.pivots])

    def _check_person(self, person: int) -> LinearSpan:
        """Find out whether some combination of rows is about this person alone."""
        lines = np.flatnonzero(self._people_of_rows() == person)
        # The usual case: an examined record of somebody else proves that the row is not about this person alone.
        if len(lines) == 1 and self._involves_others(int(lines[0]), person):
            return self
        records = self.people.records_of(person)
        if len(lines) > 1:
            # If the rows become dependent without this person's records, some combination of them is zero there. It
            # is not zero at the person's pivots, so it reveals something about this person.
            alone = _rank(self._projections(lines, records), self.residues) < len(lines)
            return replace(self, revealed=self.revealed | {person}) if alone else self
        outside = self._sums_outside(int(lines[0]), records)
        if not outside.any():
            return replace(self, revealed=self.revealed | {person})
        # The witness record is examined from now on, so that the next check of this row takes the fast way above.
        return self._with_seen(self._nonzero_records(int(lines[0]), outside, records))

    def _involves_others(self, line: int, person: int) -> bool:
        """Whether a row is nonzero at an examined record of another person."""
        return bool((self.people.owners(self.seen[np.flatnonzero(self.rows[line])]) != person).any())

    def _sums_outside(self, line: int, records: Numbers) -> Row:
        """The weighted sums of a row over all records except these."""
        found: Row = self.weighted_sums[line].copy()
        member = np.array([kept.has(records) for kept in self.sets])
        places = zip(
            self.residues.weights(records).tolist(), (records // BLOCK % BUCKETS).tolist(), member.T, strict=True
        )
        for weight, bucket, inside in places:
            # The coefficient of the row at this record: the sum of the
            # combination's coefficients over the sets that contain it.
            share = int(self.residues.sum_rows(self.combinations[line][inside][:, None])[0])
            found[bucket] = (int(found[bucket]) - share * weight) % self.residues.prime
        return found

    def _projections(self, lines: Numbers, records: Numbers) -> list[list[int]]:
        """Rows without these records, each as sums under as many fresh weightings as there are rows.

        Rows are independent if their projections are, up to a chance of about one in the prime. The stored weighted
        sums do not suffice: they are one number per bucket, however many rows there are.
        """
        prime, weighings = self.residues.prime, [self.residues.with_new_weights() for _ in lines]
        used = np.flatnonzero(self.combinations[lines].any(axis=0))
        sums = []
        for place in used:
            numbers = self.sets[place].all_numbers()
            numbers = numbers[~np.isin(numbers, records)]
            sums.append([int(one.sum_rows(one.weights(numbers)[:, None])[0]) for one in weighings])
        return [
            [
                sum(int(share) * sums[at][place] for at, share in enumerate(self.combinations[line, used])) % prime
                for place in range(len(weighings))
            ]
            for line in lines
        ]

    def _with_seen(self, numbers: Numbers) -> LinearSpan:
        """The same rows, with more records examined."""
        member = np.array([records.has(numbers) for records in self.sets])
        columns = [self.residues.sum_rows(self.combinations.T[inside]) for inside in member.T]
        return replace(self, seen=np.append(self.seen, numbers), rows=np.column_stack([self.rows, *columns]))

    def _nonzero_records(self, line: int, weighted_sums: Row, but: Numbers) -> Numbers:
        """Some records, not among `but`, where a row is nonzero; `weighted_sums` are its sums without `but`.

        It returns more than the one that is needed, because the next rows will need some too; but only one of several
        that are in the same sets.
        """
        # A bucket with a nonzero sum contains a record with a nonzero coefficient, so only its blocks are searched.
        bucket = int(np.flatnonzero(weighted_sums)[0])
        used = np.flatnonzero(self.combinations[line])
        for start in _block_starts([self.sets[place] for place in used], bucket):
            block = np.arange(start, start + BLOCK)
            member = np.array([self.sets[place].has(block) for place in used])
            values = self.residues.sum_rows(self.combinations[line, used][:, None] * member)
            places = np.flatnonzero((values != 0) & ~np.isin(block, but))
            if len(places):
                chosen = places[:: max(1, len(places) // _SPARE_RECORDS)][:_SPARE_RECORDS]
                return block[chosen[np.unique(member[:, chosen], axis=1, return_index=True)[1]]]
        raise ArithmeticError("a row without records has a weight.")


def _rank(rows: list[list[int]], residues: Residues) -> int:
    """The rank of a few rows, by Gaussian elimination."""
    left, found = list(rows), 0
    while left:
        row = left.pop()
        place = next((at for at, value in enumerate(row) if value), None)
        if place is None:
            continue
        found += 1
        inverse = residues.inverse(row[place])
        left = [_minus_multiple(other, row, other[place] * inverse % residues.prime, residues.prime) for other in left]
    return found


def _minus_multiple(row: Sequence[int], other: Sequence[int], times: int, prime: int) -> list[int]:
    """A row minus a multiple of another."""
    return [(one - times * two) % prime for one, two in zip(row, other, strict=True)] if times else list(row)


def _block_starts(sets: Iterable[RecordSet], bucket: int) -> Iterator[int]:
    """The first numbers of the blocks of a bucket in which these sets can have records, each once."""
    done: set[int] = set()
    for records in sets:
        blocks = np.arange(bucket, records.bound // BLOCK + 1, BUCKETS)
        if records.numbers is not None:
            blocks = np.unique(records.numbers // BLOCK)
            blocks = blocks[blocks % BUCKETS == bucket]
        fresh = [block for block in blocks.tolist() if block not in done]
        yield from (block * BLOCK for block in fresh)
        done.update(fresh)
