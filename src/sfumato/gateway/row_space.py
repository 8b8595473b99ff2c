"""All sums that follow from sums already known, and which of them are about one record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.gateway.record_sets import RecordSet
from sfumato.gateway.residues import BLOCK, BUCKETS, Residues, Row

Rows = NDArray[np.int64]

_SPARE = 16


@dataclass(frozen=True)
class RowSpace:
    """Everything that can be worked out by adding and subtracting the sums over some sets of records.

    A set is a row with a 1 for each of its records. A record's value follows from the sums if, and only if, the row
    with a single 1 there is a combination of the rows. The rows are kept reduced, each with a record of its own that
    no other row has: then a value follows exactly if one reduced row is zero everywhere else.

    A row is not written down for all records. It is kept for those that were looked at so far (`seen`), as its
    weighted sums over all records (`weighed`), and as a combination of the sets it came from (`origins`). A row whose
    weighted sums are those of one record is a row of that record alone; from any other, a further record is looked up
    and seen from then on. So the cost grows with the number of sets, and hardly with that of records.

    >>> space = RowSpace.empty(Residues.drawn())
    >>> space = space.extended(RecordSet.of([1, 2, 3, 4])).extended(RecordSet.of([1, 2]))
    >>> sorted(space.revealed), sorted(space.extended(RecordSet.of([2, 3, 4])).revealed)
    ([], [1, 2])
    """

    residues: Residues
    sets: tuple[RecordSet, ...]
    seen: NDArray[np.int64]
    own: NDArray[np.int64]
    rows: Rows
    weighed: Rows
    origins: Rows
    revealed: frozenset[int] = frozenset()

    @classmethod
    def empty(cls, residues: Residues) -> RowSpace:
        """Nothing is known yet."""
        none, nothing = np.zeros(0, np.int64), np.zeros((0, 0), np.int64)
        return cls(residues, (), none, none, nothing, np.zeros((0, BUCKETS), np.int64), nothing)

    def extended(self, records: RecordSet) -> RowSpace:
        """What follows when the sum over these records is known, too."""
        row = records.has(self.seen).astype(np.int64)
        chosen = row[self.own] == 1
        rest = self._without(row, self.rows, chosen)
        weighed = self._without(self.residues.weighed(records), self.weighed, chosen)
        if not rest.any() and not weighed.any():
            return self
        origin = np.append(self._without(np.zeros(len(self.sets), np.int64), self.origins, chosen), 1)
        return self._with_row(records, rest, weighed, origin)._reduced()

    def _without(self, row: Row, rows: Rows, chosen: NDArray[np.bool_]) -> Row:
        return np.asarray((row - self.residues.added(rows[chosen])) % self.residues.prime)

    def _with_row(self, records: RecordSet, rest: Row, weighed: Row, origin: Row) -> RowSpace:
        """The rows and one more, in which some record is seen that is not zero."""
        wider = replace(
            self,
            sets=(*self.sets, records),
            rows=np.vstack([self.rows, rest]),
            weighed=np.vstack([self.weighed, weighed]),
            origins=np.vstack([np.pad(self.origins, ((0, 0), (0, 1))), origin]),
        )
        return wider if rest.any() else wider._seeing(wider._elsewhere(len(self.sets), -1))

    def _reduced(self) -> RowSpace:
        """The last row gets a record of its own, and all others are rid of it."""
        from sfumato.kernels.residue_rows import multiply, subtract

        prime, parts = self.residues.prime, (self.rows.copy(), self.weighed.copy(), self.origins.copy())
        own = int(np.flatnonzero(self.rows[-1])[0])
        scale, factors = self.residues.inverse(int(self.rows[-1, own])), self.rows[:-1, own].copy()
        for part in parts:
            part[-1] = multiply(part[-1], scale, prime)
            subtract(part[:-1], factors, part[-1], prime)
        rows, weighed, origins = parts
        space = replace(self, own=np.append(self.own, own), rows=rows, weighed=weighed, origins=origins)
        return space._settled([*np.flatnonzero(factors).tolist(), len(factors)])

    def _settled(self, changed: list[int]) -> RowSpace:
        """Every changed row has two records that are seen, or is known to be about one alone."""
        space, waiting = self, changed
        while lonely := [line for line in waiting if np.count_nonzero(space.rows[line]) == 1]:
            alone = [line for line in lonely if space._is_alone(line)]
            space = replace(space, revealed=space.revealed | {space._owner(line) for line in alone})
            waiting = [line for line in lonely if line not in alone]
            if waiting:
                space = space._seeing(space._elsewhere(waiting[0], space._owner(waiting[0])))
        return space

    def _is_alone(self, line: int) -> bool:
        return bool((self.weighed[line] == self.residues.unit(self._owner(line))).all())

    def _owner(self, line: int) -> int:
        return int(self.seen[self.own[line]])

    def _seeing(self, numbers: NDArray[np.int64]) -> RowSpace:
        """The same rows, with more records seen."""
        member = np.array([records.has(numbers) for records in self.sets])
        columns = [self.residues.added(self.origins.T[inside]) for inside in member.T]
        return replace(self, seen=np.append(self.seen, numbers), rows=np.column_stack([self.rows, *columns]))

    def _elsewhere(self, line: int, owner: int) -> NDArray[np.int64]:
        """Some records where a row is not zero, other than its own; there is one where the weighted sums say so.

        More than the one that is needed, since the next rows will need some, too; but none that are in the same sets.
        """
        expected = self.residues.unit(owner) if owner >= 0 else 0
        bucket = int(np.flatnonzero(self.weighed[line] != expected)[0])
        used = np.flatnonzero(self.origins[line])
        for start in _starts([self.sets[place] for place in used], bucket):
            block = np.arange(start, start + BLOCK)
            member = np.array([self.sets[place].has(block) for place in used])
            values = self.residues.added(self.origins[line, used][:, None] * member)
            places = np.flatnonzero((values != 0) & (block != owner))
            if len(places):
                chosen = places[:: max(1, len(places) // _SPARE)][:_SPARE]
                return block[chosen[np.unique(member[:, chosen], axis=1, return_index=True)[1]]]
        raise ArithmeticError("a row without records has a weight.")


def _starts(sets: Iterable[RecordSet], bucket: int) -> Iterator[int]:
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
