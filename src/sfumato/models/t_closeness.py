"""t-closeness: the sensitive distribution of every group is close to that of the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.exact_ratios import WIDEST, Whole, against, as_meant
from sfumato.disclosure.groups import Groups, Histogram
from sfumato.errors import SchemaError, TaxonomyError
from sfumato.kernels.arrays import Flags
from sfumato.models.group_model import GroupModel, quasi_setting, sensitive_setting
from sfumato.models.person_distances import (
    distance_differences,
    hierarchical_ground,
    ordered_ground,
    share_differences,
)
from sfumato.models.search_bounds import LESS_THAN_ONE, SearchBounds
from sfumato.settings.params import param

_SET_BITS = 62


@dataclass(frozen=True, kw_only=True)
class TCloseness(GroupModel):
    """The distribution of the sensitive column in every group has a distance of at most t from that in the whole table.

    The distance is the earth mover's distance: the least work of moving one distribution into the other. The ground
    distance of two values is `equal` (1 for any two values), `ordered` (the number of steps between them among the
    values that occur, for numbers, dates and texts with a taxonomy; a missing value comes last) or `hierarchical` (the
    height of their lowest common taxonomy node); all are scaled to 0 to 1. The whole table is the published one,
    without suppressed records.

    If persons have several values, the distributions count every value of a person once. A frequent value could then
    hide among the others: where all persons of a group have HIV and four other diseases each, HIV is a fifth of the
    distribution. So the distance is the largest of the earth mover's distance and, for every value, of the difference
    between the mean distance of the group's persons from that value and that of all persons. A person who has the value
    is at distance 0 from it, another person at the mean distance of the other values of the group, or of the table. By
    `equal` distance, this is the difference between the shares of persons who have the value. If every person has one
    value, it is never larger than the earth mover's distance.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> groups = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}).groups()
    >>> TCloseness(t=8 / 21).level(groups).round(4).tolist()
    [0.381, 0.2857]

    References: Li, Li and Venkatasubramanian (2007), sections 4 and 5; book, section 2.2.8.
    """

    guards_against = frozenset({"attribute linkage", "probabilistic attack"})
    kept_by_suppressing = False  # groups are compared with the whole release, which suppression changes
    better = "lower"

    t: float = param(doc="largest distance of a group from the whole table", at_least=0, at_most=1)
    sensitive: str = sensitive_setting()
    distance: Literal["equal", "ordered", "hierarchical"] = param("equal", doc="the ground distance of two values")
    quasi: str = quasi_setting()

    @property
    def required(self) -> float:
        """A distance of at most t."""
        return self.t

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The distance of each group from the whole table."""
        work, scale = self._distances(groups)
        return np.asarray(work / scale, dtype=np.float64)

    def holds(self, groups: Groups) -> Flags:
        """Whether the distance of each group is at most t, compared without rounding."""
        return against(*self._distances(groups), self.t) <= 0

    def most_confidence(self, share: float) -> float:
        """By the equal distance, a value is more frequent in a group than in the whole table by at most t."""
        return min(1.0, share + self.t) if self.distance == "equal" else 1.0

    @property
    def reads_order(self) -> bool:
        """All distances but the equal one depend on where values are."""
        return self.distance != "equal"

    @property
    def bounds(self) -> SearchBounds:
        """With equal distance, every group needs records of each value whose share in the table exceeds t."""
        return _EqualDistanceBounds(self.t, self.sensitive) if self.distance == "equal" else _DistanceBounds()

    def _distances(self, groups: Groups) -> tuple[Whole, Whole]:
        """The distance of each group as numerator and denominator."""
        column = groups.schema.one_sensitive(self.sensitive)
        histogram = groups.histogram(column)
        self._refuse_without_order(histogram, groups, column)
        moved = self._moved(histogram)
        if not histogram.by_person:
            return moved
        return _larger(moved, self._by_persons(histogram, groups.table.persons))

    def _moved(self, histogram: Histogram) -> tuple[Whole, Whole]:
        """The earth mover's distance of each group from the whole table."""
        if self.distance == "equal":
            return _level_distance(histogram, np.arange(len(histogram.whole))[np.newaxis])
        if self.distance == "ordered" or histogram.taxonomy is None:
            return _ordered_distance(histogram)
        return _level_distance(histogram, histogram.taxonomy.nodes[:-1])

    def _by_persons(self, histogram: Histogram, persons: int) -> tuple[Whole, Whole]:
        """For each group, the largest difference between its mean distance from a value and that of all persons."""
        if self.distance == "equal":
            return share_differences(histogram, persons)
        if self.distance == "ordered" or histogram.taxonomy is None:
            return distance_differences(histogram, persons, ordered_ground(histogram.whole))
        ground = hierarchical_ground(histogram.whole, histogram.taxonomy.nodes[:-1])
        return distance_differences(histogram, persons, ground)

    def _refuse_without_order(self, histogram: Histogram, groups: Groups, column: str) -> None:
        """Raise an error if the values of a column do not have the ground distance."""
        if histogram.taxonomy is not None or self.distance == "equal":
            return
        if self.distance == "hierarchical":
            raise TaxonomyError(
                f"t_closeness by hierarchical distance needs a taxonomy for column {column!r}; give it one, or choose "
                "the distance 'equal' or 'ordered'."
            )
        if not groups.domain(column).ordered:
            raise SchemaError(
                f"column {column!r} holds texts without a taxonomy, so they have no order; give the column a "
                "taxonomy, or t_closeness the distance 'equal'."
            )


class _DistanceBounds(SearchBounds):
    """Bounds that exclude nothing: a group that fails may hold when others are left out, because the whole changes."""

    def left_out(self, groups: Groups, most: int) -> NDArray[np.int64]:
        """Nothing is known."""
        return np.zeros(len(groups), dtype=np.int64)


@dataclass(frozen=True)
class _EqualDistanceBounds(SearchBounds):
    """Bounds of groups with an equal distance of at most t from the whole table."""

    t: float
    sensitive: str

    def max_groups(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """A group of n records needs at least (q - t) n records of a value with the share q in the table."""
        histogram = groups.histogram(groups.schema.one_sensitive(self.sensitive))
        total, t = int(histogram.whole.sum()), as_meant(self.t)
        needed = np.zeros(len(histogram.whole), dtype=np.int64)
        for code in np.flatnonzero(histogram.whole > self.t * total):
            needed[code] = max(0, ceil((int(histogram.whole[code]) - t * total) * least / total))
        most = groups.sizes / least
        if needed.any() and len(groups):
            of_cell = needed[histogram.values]
            # Values that a group of this size need not contain set no limit.
            enough = np.where(of_cell > 0, histogram.counts / np.maximum(of_cell, 1), np.inf)
            found = histogram.sum((of_cell > 0).astype(np.int64))
            lowest = np.minimum.reduceat(enough, histogram.starts[:-1])
            most = np.minimum(most, np.where(found == np.count_nonzero(needed), lowest, 0.0))
        return np.maximum(most, LESS_THAN_ONE)

    def left_out(self, groups: Groups, most: int) -> NDArray[np.int64]:
        """The records by which values that are frequent in a group exceed what t allows, whatever else is left out.

        Let S be the values that have a larger share in a group than in the table. In every group that holds, their
        share is at most t plus their share in what is published. The latter is at most (w - x) / (n - m), if w of n
        records have such a value, x of them are left out, and m records in all; so the limit on the share is
        u = t + (w - x) / (n - m). This is true of the records that are left of the group, too, as they are a union of
        groups that hold. If the group has c records with a value of S and o others, at most o u / (1 - u) of the c can
        be published. The others are among the x, which makes u smaller, and so on.
        """
        histogram = groups.histogram(groups.schema.one_sensitive(self.sensitive))
        n, t = int(histogram.whole.sum()), as_meant(self.t)
        if histogram.by_person or not len(groups) or n <= most:
            return np.zeros(len(groups), dtype=np.int64)
        larger = histogram.counts * n > histogram.whole[histogram.values] * histogram.totals[histogram.group]
        frequent = histogram.sum(np.where(larger, histogram.counts, 0))
        known = histogram.sum(np.where(larger, histogram.whole[histogram.values], 0))
        same = _numbered_sets(histogram, larger)
        # u = a / d in whole numbers, in a type in which sizes * a cannot overflow
        d = t.denominator * (n - most)
        kind = np.int64 if n * (d + n * max(t.numerator, t.denominator)) < WIDEST else object
        out, before = np.zeros(len(groups), dtype=np.int64), -1
        while before < out.sum() <= most:
            before = int(out.sum())
            x = np.bincount(same, weights=out).astype(np.int64)[same]
            a = t.numerator * (n - most) + (known - x).astype(kind) * t.denominator
            kept = (groups.sizes - frequent).astype(kind) * a // np.maximum(d - a, 1)
            out = np.where(a < d, np.maximum(frequent - kept, 0), 0).astype(np.int64)
        return out


def _numbered_sets(histogram: Histogram, chosen: Flags) -> NDArray[np.int64]:
    """The same number for groups with the same set of chosen values, if sets fit into a number; otherwise one each."""
    if len(histogram.whole) > _SET_BITS:
        return np.arange(len(histogram.sizes))
    bits = np.left_shift(1, histogram.values.astype(np.int64))
    return np.unique(histogram.sum(np.where(chosen, bits, 0)), return_inverse=True)[1]


def _larger(first: tuple[Whole, Whole], second: tuple[Whole, Whole]) -> tuple[Whole, Whole]:
    """The larger of two fractions, group by group."""
    (work, scale), (other_work, other_scale) = first, second
    exceeds = other_work * scale.astype(object) > work.astype(object) * other_scale
    return np.where(exceeds, other_work, work), np.where(exceeds, other_scale, scale)


def _level_distance(histogram: Histogram, levels: NDArray[np.integer]) -> tuple[Whole, Whole]:
    """Half the summed difference of shares, averaged over the levels of a taxonomy below its root.

    Values whose lowest common node is on level v of H agree on H - v levels, so that is the earth mover's distance for
    the ground distance v / H; the values themselves as the only level give the equal distance.
    """
    sizes, total = _wide_totals(histogram, len(levels))
    work = np.zeros_like(sizes)
    for node in levels:
        work = work + _surplus(histogram, node, sizes, total)
    return work, sizes * (total * len(levels))


def _surplus(histogram: Histogram, node: NDArray[np.integer], sizes: Whole, total: int) -> Whole:
    """For each group, the sum of the positive differences between its shares of nodes and those of the whole table.

    It equals the sum of the negative ones; both are scaled to whole numbers.
    """
    of_cell, group = node[histogram.values], histogram.group
    if not len(group):
        return sizes
    # A node is a range of codes and a group's cells are in code order, so cells of one node are adjacent.
    new = np.flatnonzero(np.concatenate([[True], (np.diff(group) != 0) | (np.diff(of_cell) != 0)]))
    counts, owner = np.add.reduceat(histogram.counts, new), group[new]
    whole = np.bincount(node, weights=histogram.whole).astype(np.int64)[of_cell[new]]
    surplus = np.maximum(counts.astype(sizes.dtype) * total - whole.astype(sizes.dtype) * sizes[owner], 0)
    return np.asarray(np.add.reduceat(surplus, np.flatnonzero(np.diff(owner, prepend=-1))))


def _ordered_distance(histogram: Histogram) -> tuple[Whole, Whole]:
    """The summed difference of cumulative shares over the values that occur, over their number less one.

    Between two of its values the cumulative count of a group does not change while that of the whole table grows, so
    each such stretch is two sums of the whole table's cumulative counts: up to where the two cross, and from there on.
    """
    occurs = histogram.whole > 0
    running = np.cumsum(histogram.whole[occurs])
    steps = len(running)
    sizes, total = _wide_totals(histogram, steps)
    if not len(sizes):
        return sizes, sizes
    prefix = np.concatenate([[0], np.cumsum(running)]).astype(sizes.dtype)
    n, starts = sizes[histogram.group], histogram.starts[:-1]
    here = (np.cumsum(occurs) - 1)[histogram.values]
    after = np.append(here[1:], steps)
    after[histogram.starts[1:] - 1] = steps
    passed = np.cumsum(histogram.counts)
    passed = passed - (passed - histogram.counts)[starts][histogram.group]
    level = passed.astype(sizes.dtype) * total
    # Before the crossing the group's cumulative share exceeds that of the whole table, behind it falls below. Integer
    # division is exact here: `running` holds whole numbers.
    crossing = np.clip(np.searchsorted(running, (level // n).astype(np.int64), side="right"), here, after)
    stretch = level * (2 * crossing - here - after) - n * (2 * prefix[crossing] - prefix[here] - prefix[after])
    # The last term covers the values before the first one of the group, where its cumulative count is 0.
    work = np.add.reduceat(stretch, starts) + sizes * prefix[here[starts]]
    return work, sizes * (total * max(steps - 1, 1))


def _wide_totals(histogram: Histogram, times: int) -> tuple[Whole, int]:
    """The totals of groups, in a type in which totals x whole total x `times` cannot overflow, and the whole total."""
    total = int(histogram.whole.sum())
    widest = int(histogram.totals.max(initial=0)) * total * max(times, 1)
    return histogram.totals.astype(np.int64 if widest < WIDEST else object), total
