"""The anonymity index: the level of safety of the worst groups, and the generalizations that can raise it.

The published index is a tree with one level per column, whose paths are the combinations that occur. Here the same
combinations are rows of arrays, which become shorter as rows merge. A segment, the siblings in that tree that a
generalization merges, is found by a comparison of the first columns. The choices are the same.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.full_domain.distinct_rows import GroupQuestion, RecodedRows
from sfumato.algorithms.full_domain.split_rows import SplitRows
from sfumato.models.group_model import GroupModel

Bits = NDArray[np.bool_]
Level = TypeVar("Level", float, NDArray[np.float64])


class ModelLevel(NamedTuple):
    """The answer to one question of the model: the level of the groups (more is safer), and the groups that have it."""

    question: GroupQuestion
    level: float
    holds: bool
    worst: NDArray[np.int64]

    @property
    def gap(self) -> float:
        """By how much the level falls short of the required one; 1 if that is not a positive number."""
        difference = _more_is_safer(self.question.member, self.question.member.required) - self.level
        return difference if 0 < difference < np.inf else 1.0


class AnonymityIndex:
    """Distinct rows that are generalized step by step, starting with all values unchanged.

    A generalization closes a split: all children of a node are replaced by the node. `allowed` records may remain in
    failing groups; the level is then that of the other groups.
    """

    def __init__(self, rows: SplitRows, allowed: int = 0) -> None:
        self._rows, self._allowed = rows, allowed
        self.bits: Bits = rows.splits.all
        self._recoded = rows.recode(self.bits)
        self._known: list[ModelLevel] | None = None

    @property
    def safe(self) -> bool:
        """Whether all groups hold, except for those that may be suppressed."""
        return self._recoded.without_failing(self._allowed)[1] <= self._allowed

    @property
    def levels(self) -> list[ModelLevel]:
        """The current answer to each question of the model."""
        if self._known is None:
            self._known = [self._level_of(self._recoded, question) for question in self._recoded.questions()]
        return self._known

    def candidates(self) -> list[int]:
        """The generalizations whose children are all published now."""
        # A split with an open split below it cannot be closed yet:
        # its children are not published, only their descendants.
        above = self._rows.splits.parent[self.bits]
        ready = self.bits.copy()
        ready[above[above >= 0]] = False
        return np.flatnonzero(ready).tolist()

    def survivors(self) -> list[int]:
        """The candidates that could raise a level: at most one per column for each question.

        A level rises only if each of the worst groups merges with another. Such a group has one value per column, which
        is below at most one candidate, and the other group must be its neighbour in a segment of two or more. If some
        records may be suppressed, the worst groups need not merge, and all candidates are returned.
        """
        if self._allowed:
            return self.candidates()
        # A question that holds needs no higher level, so it makes no candidate critical.
        raising = set().union(*(self._raising(found) for found in self.levels if not found.holds))
        return sorted(raising)

    def gain(self, split: int) -> float:
        """The sum over all questions of the increase of the level, relative to what it lacks.

        With one question, the order of generalizations is that of the level after each of them.
        """
        after = self._rows.recode(self._without(split))
        name, total = self._rows.splits.columns[self._rows.splits.column[split]], 0.0
        for found in self.levels:
            if not found.holds and name in found.question.columns:
                risen = self._level_of(after, found.question).level - found.level
                # The level of no groups is infinite, and the difference of two infinite levels is not a number.
                total += 0.0 if np.isnan(risen) else risen / found.gap
        return total

    def generalize(self, split: int) -> None:
        """Close a split, and merge the rows that have become equal."""
        self.bits = self._without(split)
        self._rows = self._rows.merge_equal(self.bits)
        self._recoded, self._known = self._rows.recode(self.bits), None

    def segment(self, row: int, split: int, columns: tuple[str, ...]) -> list[int]:
        """The published values, as their first codes, of the segment of a generalization that contains a row.

        Rows are siblings of this one if they agree with it in all of these columns before the column of the split; the
        segment has the children of the node that occur among them. It is empty if the row has none of them.
        """
        splits, codes = self._rows.splits, self._rows.codes
        place = int(splits.column[split])
        lo, hi = splits.ranges[split]
        if not lo <= codes[place, row] <= hi:
            return []
        # In the published index, siblings share a path from the root, that is, the
        # labels of all columns before this one. Later columns are ignored, so a
        # segment of two is necessary for a merge, but not sufficient; `gain` decides.
        siblings = np.flatnonzero(_within(codes[place], lo, hi))
        for name in columns[: columns.index(splits.columns[place])]:
            before = splits.columns.index(name)
            labels = self._recoded.label_of(before)[codes[before]]
            siblings = siblings[labels[siblings] == labels[row]]
        return [first for first, last in splits.children(split) if _within(codes[place, siblings], first, last).any()]

    def _raising(self, found: ModelLevel) -> set[int]:
        """The candidates below which all worst groups of a question are, and that make the first of them merge."""
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
        """The current string with one split closed."""
        bits = self.bits.copy()
        bits[split] = False
        return bits

    def _level_of(self, recoded: RecodedRows, question: GroupQuestion) -> ModelLevel:
        """The answer to a question under a recoding, without the worst groups that may be suppressed."""
        groups = recoded.groups(question)
        level = _more_is_safer(question.member, question.member.level(groups))
        # Groups by level, the worst first, and small ones before large ones on ties: as many of them as fit into
        # `allowed` are assumed to be suppressed, and the level is that of the rest.
        kept = np.lexsort((groups.sizes, level)) if self._allowed else np.arange(len(level))
        if self._allowed:
            kept = kept[np.cumsum(groups.sizes[kept]) > self._allowed]
        reached = float(level[kept].min(initial=np.inf))
        holds = bool(question.member.holds(groups)[kept].all())
        return ModelLevel(question, reached, holds, kept[level[kept] == reached])


def _more_is_safer(member: GroupModel, level: Level) -> Level:
    """The level, negated for models in which a lower level is safer."""
    return level if member.better == "higher" else -level


def _within(codes: NDArray[np.int32], lo: int, hi: int) -> Bits:
    return (codes >= lo) & (codes <= hi)
