"""The anonymity index: how safe the smallest groups are, and which generalization can make them safer.

The published index is a tree with one level a column, whose paths are the combinations that occur. Here the same
combinations are rows of arrays that shrink as they merge; a segment, the siblings in that tree which a generalization
makes one, is found by comparing the first columns. The choices are the same.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.full_domain.distinct_rows import DistinctRows, GroupQuestion, Recoded
from sfumato.models.base import PrivacyModel

Bits = NDArray[np.bool_]
Level = TypeVar("Level", float, NDArray[np.float64])


class Reached(NamedTuple):
    """What one question finds: the level that can be promised (more is safer), and the groups that keep it so low."""

    question: GroupQuestion
    level: float
    holds: bool
    worst: NDArray[np.int64]

    @property
    def short(self) -> float:
        """By how much the level falls short of what is required; 1 where that cannot be said."""
        gap = _more_is_safer(self.question.member, self.question.member.required) - self.level
        return gap if 0 < gap < np.inf else 1.0


class AnonymityIndex:
    """Distinct rows on their way up: every value as it is at first, one generalization after the other.

    A generalization is a split that is closed: all children of a node become the node. `allowed` records may be left in
    failing groups; what is promised is then the level of the others.
    """

    def __init__(self, rows: DistinctRows, allowed: int = 0) -> None:
        self._rows, self._allowed = rows, allowed
        self.bits: Bits = rows.splits.all
        self._recoded = rows.recoded(self.bits)
        self._known: list[Reached] | None = None

    @property
    def safe(self) -> bool:
        """Whether every group holds, apart from those that may be left out."""
        return self._recoded.kept(self._allowed)[1] <= self._allowed

    @property
    def reached(self) -> list[Reached]:
        """What every question of the model finds at present."""
        if self._known is None:
            self._known = [self._reached(self._recoded, question) for question in self._recoded.questions()]
        return self._known

    def candidates(self) -> list[int]:
        """The generalizations whose children are all published at present."""
        above = self._rows.splits.parent[self.bits]
        ready = self.bits.copy()
        ready[above[above >= 0]] = False
        return np.flatnonzero(ready).tolist()

    def survivors(self) -> list[int]:
        """The candidates that could raise a level: at most one a column for every question.

        A level rises only if each of the worst groups merges with another. One such group has one value a column, and
        that lies below one candidate at most; the other must be its neighbour in a segment of two or more. Where some
        records may be left out, the worst groups need not merge, and every candidate is looked at.
        """
        if self._allowed:
            return self.candidates()
        raising = set().union(*(self._raising(found) for found in self.reached if not found.holds))
        return sorted(raising)

    def gain(self, split: int) -> float:
        """By how much a generalization brings the levels nearer to what is required, each as a share of what it lacks.

        With one question this orders generalizations as the plain difference of its level does.
        """
        after = self._rows.recoded(self._without(split))
        name, total = self._rows.splits.columns[self._rows.splits.column[split]], 0.0
        for found in self.reached:
            if not found.holds and name in found.question.columns:
                risen = self._reached(after, found.question).level - found.level
                total += 0.0 if np.isnan(risen) else risen / found.short
        return total

    def generalize(self, split: int) -> None:
        """Close a split, and merge the rows that look alike now."""
        self.bits = self._without(split)
        self._rows = self._rows.merged(self.bits)
        self._recoded, self._known = self._rows.recoded(self.bits), None

    def segment(self, row: int, split: int, columns: tuple[str, ...]) -> list[int]:
        """The published values, as their first codes, of the segment of a generalization that a row lies in.

        Rows are siblings of this one if they agree with it in all of these columns before the split's own; the segment
        has the children of the node that occur among them. It is empty where the row has none of them.
        """
        splits, codes = self._rows.splits, self._rows.codes
        place = int(splits.column[split])
        lo, hi = splits.ranges[split]
        if not lo <= codes[place, row] <= hi:
            return []
        alike = np.flatnonzero(_within(codes[place], lo, hi))
        for name in columns[: columns.index(splits.columns[place])]:
            before = splits.columns.index(name)
            labels = self._recoded.label_of(before)[codes[before]]
            alike = alike[labels[alike] == labels[row]]
        return [first for first, last in splits.children(split) if _within(codes[place, alike], first, last).any()]

    def _raising(self, found: Reached) -> set[int]:
        """The candidates below which all worst groups of a question lie, and that make the first of them merge."""
        splits, columns = self._rows.splits, found.question.columns
        number, groups = self._recoded.numbering(columns)
        worst = np.zeros(groups, dtype=np.bool_)
        worst[found.worst] = True
        rows = np.flatnonzero(worst[number])
        return {
            split
            for split in self.candidates()
            if splits.columns[splits.column[split]] in columns
            and _within(self._rows.codes[splits.column[split], rows], *splits.ranges[split]).all()
            and len(self.segment(int(rows[0]), split, columns)) > 1
        }

    def _without(self, split: int) -> Bits:
        bits = self.bits.copy()
        bits[split] = False
        return bits

    def _reached(self, recoded: Recoded, question: GroupQuestion) -> Reached:
        groups = recoded.groups(question)
        level = _more_is_safer(question.member, question.member.level(groups))
        kept = np.lexsort((groups.sizes, level)) if self._allowed else np.arange(len(level))
        if self._allowed:
            kept = kept[np.cumsum(groups.sizes[kept]) > self._allowed]
        promised = float(level[kept].min(initial=np.inf))
        holds = bool(question.member.holds(groups)[kept].all())
        return Reached(question, promised, holds, kept[level[kept] == promised])


def _more_is_safer(member: PrivacyModel, level: Level) -> Level:
    return level if member.better == "higher" else -level


def _within(codes: NDArray[np.int32], lo: int, hi: int) -> Bits:
    return (codes >= lo) & (codes <= hi)
