"""The search of the Mondrian family: groups of rows are cut in two, all groups of a round at once, while cuts are safe.

`Cutting` holds the rows in the order of their groups. In each round a compiled loop lists the cuts of every group, the
model judges both sides of all cuts together, and each group is cut where the score is lowest. Where there is a target
to predict, only the cuts that leave least of it uncertain are scored. `best_groups` and `median_groups` are what the
algorithms call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from math import log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.mondrian.loops.cuts import Cuts, Losses, Rows, room_for
from sfumato.algorithms.mondrian.loops.every_cut import every_cut
from sfumato.algorithms.mondrian.loops.median_cuts import median_cuts, ranks
from sfumato.algorithms.mondrian.loops.sides import side_cells, split
from sfumato.algorithms.mondrian.losses import losses_of, set_bits
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups, Histogram
from sfumato.kernels.arrays import Flags
from sfumato.models.group_model import GroupModel
from sfumato.runtime.progress import advance, watched

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
_LISTED = 500_000
"""The number of cuts that are listed at a time, if those of one group are not more."""
_CELLS = 4_000_000
"""Approximate number of cells of all cuts that are judged at a time, which limits memory."""
_PARTS = 1000
"""Parts of the work by which progress is reported."""
_WATCHED = 50_000
"""The cuts of fewer rows are listed before it could be watched."""
_EQUAL = 1e-12
"""Numbers count as equal if they differ by no more than this share of what they measure the parts of."""

Score = Callable[[Cuts, Groups, Groups, int], Floats]
"""The score of each cut from the cuts, their left and right sides and the least size of a group; the lowest wins."""


class Round(NamedTuple):
    """Groups that may still be cut.

    Group g consists of the rows from `starts[g]` up to `stops[g]`; `order` has the row of the table for each of them. A
    row lies left of a cut if its key in the cut's column is at most the cut's place; keys are codes or ranks.
    """

    rows: Rows
    keys: NDArray[np.int32]
    order: Counts
    starts: Counts
    stops: Counts


class _Finished(NamedTuple):
    """The share of the work that was done before a round, about, and the highest share that was reported before it.

    Cuts that halve no groups are behind what was expected of a round; then the reports wait, and do not go back.
    """

    share: float
    reported: float


Aim = Callable[[Round, Cuts], tuple[Floats, Floats]]
"""How uncertain the target is after each cut, and how uncertain it is in the group without the cut."""


@dataclass(frozen=True, eq=False)
class Cutting:
    """One run over one table: `lists` is the loop that lists cuts, `score` ranks them, `model` judges their sides.

    `by_rank` says that keys are ranks of records and not codes. With an `aim` only the cuts are made that leave the
    target least uncertain, and with `beneficial` only those that leave it less uncertain than before.
    """

    table: Table
    model: GroupModel
    losses: Losses
    lists: Callable[..., tuple[int, int]]
    score: Score
    by_rank: bool = False
    aim: Aim | None = None
    beneficial: bool = False

    def groups(self, bits: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Cut until nothing can be cut; a group number for every row of the table."""
        codes = np.stack([self.table.codes[name] for name in self.table.schema.quasi], axis=1)
        rows = Rows(np.ascontiguousarray(codes), self.table.counts.copy(), bits.copy())
        order = np.arange(len(self.table), dtype=np.int64)
        starts, stops = np.zeros(1, dtype=np.int64), np.array([len(self.table)], dtype=np.int64)
        label, done = np.empty(len(self.table), dtype=np.int32), 0
        finished, rows_of_round = _Finished(0.0, 0.0), 0
        while len(starts):
            finished = _Finished(self._finished(starts, stops), self._share(finished, rows_of_round))
            rows_of_round = int((stops - starts).sum())
            # Relaxed cuts divide equal values between the sides, so rows are compared by their rank within the group.
            keys = ranks(rows.codes, self._sizes, starts, stops) if self.by_rank else rows.codes
            column, place = self._choose(Round(rows, keys, order, starts, stops), finished)
            whole = column < 0
            # Groups without a safe cut are final. The others are sorted into left
            # and right side in place, and both sides are groups of the next round.
            done = _settle(label, order, starts[whole], stops[whole], done)
            starts, stops, column, place = starts[~whole], stops[~whole], column[~whole], place[~whole]
            middle = split(rows, order, keys, starts, stops, column, place)
            starts, stops = np.concatenate([starts, middle]), np.concatenate([middle, stops])
        return label

    @property
    def _sizes(self) -> Counts:
        """How many values each quasi column has."""
        return np.array([len(self.table.domains[name]) for name in self.table.schema.quasi], dtype=np.int64)

    def _finished(self, starts: Counts, stops: Counts) -> float:
        """The share of the work that is done, about: every round takes as long, and about halves every group.

        A row in a group that is not cut any more is finished; in a group of size s, log(n / s) of log(n / least) rounds
        are done for it.
        """
        rows, sizes = len(self.table), (stops - starts).astype(np.float64)
        done = np.log2(rows / sizes) * self._round
        return 1 - float((sizes * (1 - np.minimum(done, 1))).sum()) / rows

    @property
    def _round(self) -> float:
        """The share of the work that is done in one round, about."""
        least = max(self.model.bounds.least_size() * len(self.table) / max(self.table.records, 1), 1)
        return 1 / max(log2(len(self.table) / least), 1)

    def _choose(self, now: Round, finished: _Finished) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The column and place of the best safe cut of every group; column -1 where there is none.

        `finished` says how much of all work was done before this round.
        """
        column = np.full(len(now.starts), -1, dtype=np.int32)
        place = np.zeros(len(now.starts), dtype=np.int32)
        for cuts, before, stop in self._listed(now, finished):
            score = np.full(len(cuts.group), np.inf)
            for part, left, right in self._sides(now, cuts):
                # Every cut keeps the model, so the groups are safe at all times. With `kept_by_merging`, a group that
                # fails cannot be cut into sides that hold, so nothing is missed by stopping there.
                safe = self.model.holds(left) & self.model.holds(right)
                some = Cuts._make(of_cut[part] for of_cut in cuts)
                score[part] = np.where(safe, self.score(some, left, right, self.model.bounds.least_size()), np.inf)
                judged = (1 + part.stop / len(cuts.group)) / 2  # listing the cuts counts for the first half
                advance("cutting groups", self._part(finished, before + (stop - before) * judged), _PARTS)
            if not len(cuts.group):
                advance("cutting groups", self._part(finished, stop), _PARTS)
                continue
            if self.aim is not None:
                score = self._aimed(self.aim(now, cuts), cuts.group, _records(now)[cuts.group], score)
            best = _lowest(cuts.group, score)
            best = best[np.isfinite(score[best])]
            column[cuts.group[best]], place[cuts.group[best]] = cuts.column[best], cuts.place[best]
        return column, place

    def _share(self, finished: _Finished, rows: float) -> float:
        """The share of the work to report once so many rows of this round are done."""
        share = finished.share
        return max(finished.reported, share + (min(share + self._round, 1) - share) * rows / len(self.table))

    def _part(self, finished: _Finished, rows: float) -> int:
        """The same as parts of the work."""
        return int(_PARTS * self._share(finished, rows))

    def _aimed(
        self, left_open: tuple[Floats, Floats], group: NDArray[np.int32], records: Counts, score: Floats
    ) -> Floats:
        """0 for the best cuts, infinite for others.

        The best ones have the lowest score of those safe cuts that leave the target least uncertain.
        """
        after, before = left_open
        # Unsafe cuts have an infinite score and do not compete.
        after = np.where(np.isfinite(score), after, np.inf)
        if self.beneficial:
            after = np.where(after < before * (1 - _EQUAL), after, np.inf)
        foremost = np.isfinite(after) & (after <= _least(group, after) + _EQUAL * before)
        score = np.where(foremost, score, np.inf)
        foremost &= score <= _least(group, score) + _EQUAL * records
        return np.where(foremost, 0.0, np.inf)

    def _listed(self, now: Round, finished: _Finished) -> Iterator[tuple[Cuts, int, int]]:
        """The cuts of as many groups at a time as fit into a buffer, all cuts of a group together.

        The numbers are those of the rows in the groups before them, and before the next ones.
        """
        rows, _, _, starts, stops = now
        ends = np.concatenate([[0], np.cumsum(stops - starts)])
        # At least room for all cuts of one group; the loop fills
        # it with as many groups as fit and says where it stopped.
        buffer = room_for(max(int(self._sizes.sum()), _LISTED))
        first, least = 0, self.model.bounds.least_size()
        while first < len(starts):
            with self._watched(finished, int(ends[first]), ends, buffer.group):
                found, stop = self.lists(rows, self.losses, self._sizes, starts, stops, first, least, buffer)
            yield Cuts._make(of_cut[:found] for of_cut in buffer), int(ends[first]), int(ends[stop])
            first = stop

    def _watched(
        self, finished: _Finished, before: int, ends: Counts, group: NDArray[np.int32]
    ) -> AbstractContextManager[None]:
        """Watch a loop that lists the cuts of one group after the other; nothing is watched for few rows.

        Group g ends at row `ends[g + 1]` of all rows that may still be cut; `before` rows are in groups of earlier
        listings. The loop writes the group of every cut into `group`.
        """
        if ends[-1] - before < _WATCHED:
            return nullcontext()
        group[:] = -1
        return watched("cutting groups", _PARTS, lambda: self._listed_part(finished, before, ends, group))

    def _listed_part(self, finished: _Finished, before: int, ends: Counts, group: NDArray[np.int32]) -> int:
        """The parts of the work that are done while cuts are listed; -1 before the first cut."""
        last = int(group.max())
        return -1 if last < 0 else self._part(finished, before + (int(ends[last]) - before) / 2)

    def _sides(self, now: Round, cuts: Cuts) -> Iterator[tuple[slice, Groups, Groups]]:
        """Both sides of as many cuts at a time as fit into memory, as groups that a model can judge."""
        values = {name: self.table.codes[name][now.order] for name in self._read}
        total = _records(now)[cuts.group]
        # Both sides together have at most twice as many cells as the group has values that are listed.
        lengths = (now.stops - now.starts)[cuts.group]
        cells = np.full(len(cuts.group), 8, dtype=np.int64)
        for always, most in self._read.values():
            cells += 2 * np.minimum(lengths, min(most + int(always.sum()), len(always)))
        for part in _blocks(cells, _CELLS):
            some = Cuts._make(of_cut[part] for of_cut in cuts)
            lefts, rights = {}, {}
            for name, (always, most) in self._read.items():
                sides = side_cells(now.rows, now.keys, values[name], always, most, now.starts, now.stops, some)
                whole, taxonomy = self.table.histogram(name), self.table.taxonomies.get(name)
                lefts[name], rights[name] = (
                    Histogram(*side, sizes, whole, taxonomy)
                    for side, sizes in zip(sides, (some.left, total[part] - some.left), strict=True)
                )
            yield (
                part,
                Groups.of_histograms(self.table, some.left, lefts),
                Groups.of_histograms(self.table, total[part] - some.left, rights),
            )

    @cached_property
    def _read(self) -> dict[str, tuple[Flags, int]]:
        """For every column that the model reads, the values that it needs always, and of others how many at most."""
        read = {}
        for name in self.model.sensitive_columns(self.table.schema):
            domain = self.table.domain(name)
            most = self.model.values_read(name, self.table.schema)
            read[name] = self.model.always_read(domain), len(domain) if most is None else max(most, 1)
        return read


def best_groups(
    table: Table, model: GroupModel, *, sets: bool, aim: Aim | None = None, beneficial: bool = False
) -> NDArray[np.int32]:
    """Cut every group at the best of all its cuts; a group number for every row of the table.

    With an aim the best cuts are those that leave the target least uncertain, and the score decides between equals.
    With `beneficial` a cut that leaves it as uncertain as before is not made.
    """
    score = _expected(table, model)
    cutting = Cutting(table, model, losses_of(table, sets=sets), every_cut, score, aim=aim, beneficial=beneficial)
    return cutting.groups(set_bits(table, sets=sets))


def median_groups(table: Table, model: GroupModel, *, sets: bool) -> NDArray[np.int32]:
    """Cut every group at the median of its widest column that can be cut there; a group number for every row."""
    bits = np.zeros((len(table), 0), dtype=np.uint64)
    return Cutting(table, model, losses_of(table, sets=sets), median_cuts, widest).groups(bits)


def widest(cuts: Cuts, left: Groups, right: Groups, least: int) -> Floats:
    """The score of median cuts: `left_loss` is minus the width of the column."""
    return cuts.left_loss


def _expected(table: Table, model: GroupModel) -> Score:
    """The expected final loss of both sides, from their present loss and the number of groups they can be cut into."""
    exponent = -4 / (3 * len(table.schema.quasi))

    def score(cuts: Cuts, left: Groups, right: Groups, least: int) -> Floats:
        ahead = cuts.left_loss * model.bounds.max_groups(left, least) ** exponent
        return ahead + cuts.right_loss * model.bounds.max_groups(right, least) ** exponent

    return score


def _least(group: NDArray[np.int32], score: Floats) -> Floats:
    """For every cut the lowest score among the cuts of its group, which lie together."""
    first = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    least: Floats = np.repeat(np.minimum.reduceat(score, first), np.diff(np.r_[first, len(group)]))
    return least


def _records(now: Round) -> Counts:
    """How many records each group has."""
    # Rows are in the order of their groups, so the number of records of a group is a difference of running sums.
    running = np.concatenate([[0], np.cumsum(now.rows.counts)])
    records: Counts = running[now.stops] - running[now.starts]
    return records


def _blocks(cells: Counts, most: int) -> Iterator[slice]:
    """Neighbouring cuts whose cells are at most so many together; a cut that has more is a block of its own."""
    running, first = np.cumsum(cells), 0
    while first < len(cells):
        before = running[first - 1] if first else 0
        stop = max(int(np.searchsorted(running, before + most, side="right")), first + 1)
        yield slice(first, stop)
        first = stop


def _lowest(group: NDArray[np.int32], score: Floats) -> Counts:
    """The index of each group's cut with the lowest score, the first of several."""
    hits = np.flatnonzero(score == _least(group, score))
    return hits[np.unique(group[hits], return_index=True)[1]]


def _settle(label: NDArray[np.int32], order: Counts, starts: Counts, stops: Counts, done: int) -> int:
    """Number the groups that are not cut any more; returns how many groups are numbered now."""
    lengths = stops - starts
    total = int(lengths.sum())
    if total:
        # The positions starts[g], ..., stops[g] - 1 of all groups, one after the other.
        inside = np.repeat(starts - np.r_[0, np.cumsum(lengths)[:-1]], lengths) + np.arange(total)
        label[order[inside]] = np.repeat(np.arange(done, done + len(starts)), lengths)
    return done + len(starts)
