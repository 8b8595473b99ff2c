"""A taxonomy: the generalization hierarchy of one column, as a rooted tree over its codes.

Builders create it; algorithms, metrics and labels read it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain, position
from sfumato.data.kinds import Kind
from sfumato.errors import TaxonomyError, listed, shortened

ROOT = "*"


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """A rooted tree whose leaves are the codes of a domain, and in which every node is a range of codes.

    `nodes[level, code]` is the node of a code at a level: level 0 is the code itself, the last level the root. Leaves
    have the node numbers of their codes. A branch that is shorter than the others repeats its last node. Node n has the
    label `labels[n]` and covers the codes `lo[n]` to `hi[n]`. `misnamed` lists labels such as `15-19` that do not
    contain every value under them.
    """

    domain: Domain
    nodes: NDArray[np.int32]
    labels: tuple[str, ...] = field(repr=False)
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    misnamed: tuple[str, ...] = field(default=(), repr=False)

    @property
    def height(self) -> int:
        """The number of levels above the values."""
        return len(self.nodes) - 1

    @property
    def root(self) -> int:
        """The node over all values."""
        return int(self.nodes[-1, 0])

    @property
    def leaves(self) -> NDArray[np.int32]:
        """The number of values under each node."""
        return self.hi - self.lo + 1

    def lowest_common(self, lo: NDArray[np.int32], hi: NDArray[np.int32]) -> NDArray[np.int32]:
        """The lowest node over every code from lo to hi, for arrays of ranges at once."""
        found = np.full(len(lo), self.root, dtype=np.int32)
        for level in range(self.height, -1, -1):
            same = self.nodes[level][lo] == self.nodes[level][hi]
            found[same] = self.nodes[level][lo[same]]
        return found

    def level_of(self) -> NDArray[np.int32]:
        """The lowest level on which each node appears."""
        found = np.full(len(self.labels), self.height, dtype=np.int32)
        for level in range(self.height, -1, -1):
            found[self.nodes[level]] = level
        return found

    def parents(self) -> NDArray[np.int32]:
        """The parent of every node; the root is its own."""
        parent = np.full(len(self.labels), self.root, dtype=np.int32)
        for level in range(self.height, 0, -1):
            below, above = self.nodes[level - 1], self.nodes[level]
            parent[below[below != above]] = above[below != above]
        return parent

    def count_cuts(self) -> int:
        """The number of cuts, that is, of ways to choose one node on every path from root to leaf (book, 3.1)."""
        parent, cuts, below = self.parents(), [1] * len(self.labels), [0] * len(self.labels)
        for node in np.argsort(self.level_of(), kind="stable").tolist():
            cuts[node] = below[node] + 1 if below[node] else 1
            above = int(parent[node])
            if above != node:
                below[above] = max(below[above], 1) * cuts[node]
        return cuts[self.root]

    def level_rows(self) -> list[list[str]]:
        """One row of labels per value, level 0 first, as in a level file."""
        return [[self.labels[node] for node in self.nodes[:, code]] for code in range(len(self.domain))]

    @classmethod
    def of_levels(cls, domain: Domain, levels: Sequence[Sequence[str]]) -> tuple[Taxonomy, NDArray[np.int64]]:
        """Build from the labels of each level above the values (`levels[0]` is level 1), one for every present value.

        A missing value is placed directly under the root. Returns the taxonomy and the order of codes in which every
        node is a range: `order[i]` is the old code of new code i.
        """
        names = [[domain.named(code) for code in range(domain.present)], *map(list, levels)]
        names = names if len(names) > 1 else [*names, [ROOT] * domain.present]
        check_levels(domain.column, names)
        names = _with_missing(domain, names)
        order = _depth_first(names)
        if domain.ordered and not np.array_equal(order, np.arange(len(order))):
            raise TaxonomyError(
                f"the taxonomy of {domain.column!r} groups values that are not neighbours in their order; "
                'declare the column as type = "text" if its order does not matter.'
            )
        names = [[row[code] for code in order] for row in names]
        taxonomy = cls(domain.reordered(order), *_number_nodes(names))
        _check_labels(taxonomy)
        return replace(taxonomy, misnamed=_misleading_labels(taxonomy)), order


def check_levels(column: str, names: Sequence[Sequence[str]]) -> None:
    """Refuse levels (values first) that are not a tree: a node with two parents, a cycle, several roots."""
    for level, (lower, upper) in enumerate(pairwise(names)):
        parents: dict[str, dict[str, None]] = {}
        for below, up in zip(lower, upper, strict=True):
            parents.setdefault(below, {})[up] = None
        conflicting = [f"{below!r} under {listed(ups)}" for below, ups in parents.items() if len(ups) > 1]
        if conflicting:
            raise TaxonomyError(
                f"the taxonomy of {column!r} gives labels on level {level} more than one parent: "
                f"{shortened(conflicting)}; each level must be a function of the one below."
            )
    _check_cycles(column, names)
    tops = dict.fromkeys(names[-1])
    if len(tops) > 1:
        raise TaxonomyError(
            f"the taxonomy of {column!r} has {len(tops)} roots ({listed(tops)}); its last level must be one node."
        )


def _check_cycles(column: str, names: Sequence[Sequence[str]]) -> None:
    """Refuse cycles. A value that is not also a label above cannot lie on a cycle, so only labels are followed."""
    inner = {label for row in names[1:] for label in row}
    above: dict[str, set[str]] = {}
    for lower, upper in pairwise(names):
        for below, up in set(zip(lower, upper, strict=True)):
            if below != up and below in inner:
                above.setdefault(below, set()).add(up)
    try:
        TopologicalSorter(above).prepare()
    except CycleError as error:
        raise TaxonomyError(
            f"the taxonomy of {column!r} has a cycle through {listed(sorted(set(error.args[1])))}; "
            "no node can lie under itself."
        ) from None


def _with_missing(domain: Domain, names: list[list[str]]) -> list[list[str]]:
    """The levels with the missing value as a branch of its own, directly under the root.

    A root that reads as an interval would be false for a missing value, so it gets a root `*` above it.
    """
    if not domain.has_missing:
        return names
    if domain.present and interval_bounds(names[-1][0], domain.kind) is not None:
        names = [*names, [ROOT] * domain.present]
    itself, root = domain.named(domain.present), names[-1][0] if domain.present else ROOT
    return [*([*row, itself] for row in names[:-1]), [*names[-1], root]]


def _depth_first(names: list[list[str]]) -> NDArray[np.int64]:
    """The order of codes in which every node is a range: by top level, then by each lower level."""
    keys = []
    for row in names:
        rank = {label: index for index, label in enumerate(dict.fromkeys(row))}
        keys.append(np.array([rank[label] for label in row], dtype=np.int64))
    return np.lexsort(keys) if keys and len(keys[0]) else np.zeros(0, dtype=np.int64)


def _number_nodes(
    names: list[list[str]],
) -> tuple[NDArray[np.int32], tuple[str, ...], NDArray[np.int32], NDArray[np.int32]]:
    """Number the nodes; equal labels over equal ranges are the same node on every level."""
    count = len(names[0])
    nodes = np.empty((len(names), count), dtype=np.int32)
    nodes[0] = np.arange(count)
    found = {(label, code, code): code for code, label in enumerate(names[0])}
    for level in range(1, len(names)):
        row = names[level]
        starts = [code for code in range(count) if code == 0 or row[code] != row[code - 1]]
        for start, stop in pairwise([*starts, count]):
            nodes[level, start:stop] = found.setdefault((row[start], start, stop - 1), len(found))
    labels, lo, hi = zip(*found, strict=True) if found else ((), (), ())
    return nodes, labels, np.array(lo, dtype=np.int32), np.array(hi, dtype=np.int32)


def _check_labels(taxonomy: Taxonomy) -> None:
    """Refuse ambiguous and empty labels, because a reader of the release sees only labels."""
    column, values = taxonomy.domain.column, len(taxonomy.domain)
    seen: dict[str, int] = {}
    twice = {label: None for node, label in enumerate(taxonomy.labels) if seen.setdefault(label, node) != node}
    if twice:
        raise TaxonomyError(
            f"the taxonomy of {column!r} uses {listed(twice)} for different sets of values; "
            "a reader of the release could not distinguish them. Give each node its own name."
        )
    if any(not label.strip() for label in taxonomy.labels[values:]):
        raise TaxonomyError(
            f"the taxonomy of {column!r} has a node without a name; it would look like a missing value."
        )


_BRACKETED = re.compile(r"^\s*([\[(])\s*(\S+?)\s*,\s*(\S+?)\s*([\])])\s*$")
_FROM_TO = re.compile(r"^\s*(-?\d+(?:\.\d+)?)\s*-\s*(-?\d+(?:\.\d+)?)\s*$")


def interval_bounds(label: str, kind: Kind) -> tuple[float, bool, float, bool] | None:
    """The low end, whether it is included, the high end, whether it is included; None if the label is no interval.

    >>> interval_bounds("[20, 30)", Kind.NUMBER)
    (20.0, True, 30.0, False)
    """
    match = _BRACKETED.match(label)
    if match:
        low, high = position(match[2], kind), position(match[3], kind)
        return None if low is None or high is None else (low, match[1] == "[", high, match[4] == "]")
    match = _FROM_TO.match(label) if kind is Kind.NUMBER else None
    return (float(match[1]), True, float(match[2]), True) if match else None


def _misleading_labels(taxonomy: Taxonomy) -> tuple[str, ...]:
    """Labels that read as an interval but do not contain all their values.

    A bracketed interval is a claim and must be true, otherwise it is refused. `15-19` may be just a name, and a widely
    used file of ages places 20 under it, so such labels are only reported.
    """
    outside = {}
    for node in range(len(taxonomy.domain), len(taxonomy.labels)):
        values = _values_outside(taxonomy, node)
        if values:
            outside[taxonomy.labels[node]] = values
    false = {label: values for label, values in outside.items() if _BRACKETED.match(label)}
    if false:
        offenders = [f"{value} under {label}" for label, values in false.items() for value in values]
        raise TaxonomyError(
            f"the taxonomy of {taxonomy.domain.column!r} places {len(offenders)} values under an interval that does "
            f"not contain them: {listed(offenders)}."
        )
    return tuple(outside)


def _values_outside(taxonomy: Taxonomy, node: int) -> list[str]:
    """The values under a node that its label, read as an interval, does not contain."""
    domain = taxonomy.domain
    bounds = interval_bounds(taxonomy.labels[node], domain.kind)
    if bounds is None or domain.numbers is None:
        return []
    low, low_in, high, high_in = bounds
    first, stop = int(taxonomy.lo[node]), min(int(taxonomy.hi[node]) + 1, domain.present)
    numbers = domain.numbers[first:stop]
    above = (numbers >= low) if low_in else (numbers > low)
    below = (numbers <= high) if high_in else (numbers < high)
    return [domain.named(first + place) for place in np.flatnonzero(~(above & below)).tolist()]
