"""A taxonomy: how the values of one column grow vaguer, as a rooted tree over its codes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import Domain, Kind, position
from sfumato.errors import TaxonomyError, listed

ROOT = "*"


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """A rooted tree whose leaves are the codes of a domain and whose every node is a range of codes.

    `nodes[level, code]` is the node that stands for a code at a level: level 0 is the code itself, the last level the
    root. Leaves have the node numbers of their codes. A branch that is shorter than the others repeats its last node.
    `misnamed` lists labels such as `15-19` that do not contain every value they stand for.
    """

    domain: Domain
    nodes: NDArray[np.int32]
    labels: tuple[str, ...]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    misnamed: tuple[str, ...] = ()

    @property
    def height(self) -> int:
        """Steps from a value to the root."""
        return len(self.nodes) - 1

    @property
    def root(self) -> int:
        """The node that stands for every value."""
        return int(self.nodes[-1, 0])

    @property
    def leaves(self) -> NDArray[np.int32]:
        """How many values each node stands for."""
        return self.hi - self.lo + 1

    def lowest_common(self, lo: NDArray[np.int32], hi: NDArray[np.int32]) -> NDArray[np.int32]:
        """The lowest node over every code from lo to hi, for arrays of ranges at once."""
        found = np.full(len(lo), self.root, dtype=np.int32)
        for level in range(self.height, -1, -1):
            same = self.nodes[level][lo] == self.nodes[level][hi]
            found[same] = self.nodes[level][lo[same]]
        return found

    def level_of(self) -> NDArray[np.int32]:
        """The lowest level each node appears on: how many steps a value climbed to get there."""
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
        """How many ways there are to choose one node on every path from root to leaf (book, 3.1)."""
        parent = self.parents()
        children: dict[int, list[int]] = {}
        for node in range(len(self.labels)):
            if node != parent[node]:
                children.setdefault(int(parent[node]), []).append(node)

        def cuts(node: int) -> int:
            below = children.get(node)
            return 1 if not below else prod(cuts(child) for child in below) + 1

        return cuts(self.root)

    def level_rows(self) -> list[list[str]]:
        """One row a value, level 0 first: what a level file holds."""
        return [[self.labels[node] for node in self.nodes[:, code]] for code in range(len(self.domain))]

    @classmethod
    def of_levels(cls, domain: Domain, levels: Sequence[Sequence[str]]) -> tuple[Taxonomy, NDArray[np.int64]]:
        """Build from labels per level above the values (`levels[0]` is level 1), one label for every present value.

        A missing value hangs directly under the root. Returns the taxonomy and the order of codes that makes every
        node a range: `order[i]` is the old code of new code i.
        """
        names = [[domain.named(code) for code in range(domain.present)], *map(list, levels)]
        _check_functional(domain.column, names)
        names = _with_one_root(domain.column, names)
        if domain.has_missing:
            last = domain.named(len(domain) - 1)
            names = [[*row, names[-1][0] if level == len(names) - 1 and domain.present else last]
                     for level, row in enumerate(names)]
        order = _depth_first(names)
        if domain.ordered and not np.array_equal(order, np.arange(len(order))):
            raise TaxonomyError(
                f"the taxonomy of {domain.column!r} puts values together that are not neighbours in order; "
                "declare the column as type = \"text\" if its order does not matter."
            )
        names = [[row[code] for code in order] for row in names]
        domain = domain.reordered(order)
        nodes, labels, lo, hi = _numbered(domain.column, names)
        return cls(domain, nodes, labels, lo, hi, _misnamed(domain, names)), order


def _check_functional(column: str, names: list[list[str]]) -> None:
    """Each level must be a function of the one below."""
    for level in range(1, len(names)):
        above: dict[str, set[str]] = {}
        for below, up in zip(names[level - 1], names[level], strict=True):
            above.setdefault(below, set()).add(up)
        torn = [below for below, ups in above.items() if len(ups) > 1]
        if torn:
            raise TaxonomyError(
                f"the taxonomy of {column!r} gives {listed(torn)} on level {level - 1} more than one parent; "
                "each level must be a function of the one below."
            )


def _with_one_root(column: str, names: list[list[str]]) -> list[list[str]]:
    tops = list(dict.fromkeys(names[-1]))
    if len(tops) > 1 and len(names) > 1:
        raise TaxonomyError(
            f"the taxonomy of {column!r} has {len(tops)} roots ({listed(tops)}); its last level must be one node."
        )
    return names if len(names) > 1 else [*names, [ROOT] * len(names[0])]


def _depth_first(names: list[list[str]]) -> NDArray[np.int64]:
    """Codes sorted so that every node is a range: top level first, each level in order of first appearance."""
    keys = []
    for row in names:
        rank = {label: index for index, label in enumerate(dict.fromkeys(row))}
        keys.append(np.array([rank[label] for label in row], dtype=np.int64))
    return np.lexsort(keys) if keys and len(keys[0]) else np.zeros(0, dtype=np.int64)


def _numbered(
    column: str, names: list[list[str]]
) -> tuple[NDArray[np.int32], tuple[str, ...], NDArray[np.int32], NDArray[np.int32]]:
    count = len(names[0])
    nodes = np.empty((len(names), count), dtype=np.int32)
    nodes[0] = np.arange(count)
    labels, lo, hi = list(names[0]), list(range(count)), list(range(count))
    known = {(label, code, code): code for code, label in enumerate(labels)}
    for level in range(1, len(names)):
        start = 0
        while start < count:
            stop = start
            while stop + 1 < count and names[level][stop + 1] == names[level][start]:
                stop += 1
            key = (names[level][start], start, stop)
            if key not in known:
                known[key] = len(labels)
                labels.append(names[level][start])
                lo.append(start)
                hi.append(stop)
            nodes[level, start : stop + 1] = known[key]
            start = stop + 1
    seen: dict[str, int] = {}
    twice = [label for node, label in enumerate(labels) if seen.setdefault(label, node) != node]
    if twice:
        raise TaxonomyError(
            f"the taxonomy of {column!r} uses {listed(dict.fromkeys(twice))} for different sets of values; "
            "a reader of the release could not tell them apart. Give each node its own name."
        )
    return nodes, tuple(labels), np.array(lo, dtype=np.int32), np.array(hi, dtype=np.int32)


_BRACKETED = re.compile(r"^\s*([\[(])\s*(\S+?)\s*,\s*(\S+?)\s*([\])])\s*$")
_FROM_TO = re.compile(r"^\s*(-?\d+(?:\.\d+)?)\s*-\s*(-?\d+(?:\.\d+)?)\s*$")


def interval_bounds(label: str, kind: Kind) -> tuple[float, bool, float, bool] | None:
    """Low end, whether it belongs, high end, whether it belongs; None if the label is no interval.

    >>> interval_bounds("[20, 30)", Kind.NUMBER)
    (20.0, True, 30.0, False)
    """
    match = _BRACKETED.match(label)
    if match:
        low, high = position(match[2], kind), position(match[3], kind)
        return None if low is None or high is None else (low, match[1] == "[", high, match[4] == "]")
    match = _FROM_TO.match(label) if kind is Kind.NUMBER else None
    return (float(match[1]), True, float(match[2]), True) if match else None


def _misnamed(domain: Domain, names: list[list[str]]) -> tuple[str, ...]:
    """Labels that read as an interval without containing all their values.

    A bracketed interval is a statement and must be true. `15-19` may be just a name, and a widely used file of ages
    puts 20 under it, so such labels are reported instead of refused.
    """
    outside: dict[str, list[str]] = {}
    for row in names[1:] if domain.numbers is not None else ():
        for code in range(domain.present):
            if not _contains(interval_bounds(row[code], domain.kind), domain.numbers[code]):
                outside.setdefault(row[code], []).append(domain.named(code))
    false = {label: values for label, values in outside.items() if _BRACKETED.match(label)}
    if false:
        offenders = [f"{value} under {label}" for label, values in false.items() for value in values]
        raise TaxonomyError(
            f"the taxonomy of {domain.column!r} puts {len(offenders)} values under an interval that does not contain "
            f"them: {listed(offenders)}."
        )
    return tuple(outside)


def _contains(bounds: tuple[float, bool, float, bool] | None, number: float) -> bool:
    if bounds is None:
        return True
    low, low_in, high, high_in = bounds
    return (number > low or (low_in and number == low)) and (number < high or (high_in and number == high))
