"""Ladders: the ways down from `*` to the exact values of one column, one refinement after the other.

A column with a taxonomy goes from a node to its children; numbers and dates without one are cut in two where that tells
most about the target; categories without one are shown value by value, while all others stay `*`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.labels import Labels
from sfumato.metrics.information_gain import gain, gains
from sfumato.taxonomies.taxonomy import Taxonomy

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]
Cut = tuple[Labels, Codes]


@dataclass(frozen=True, eq=False)
class Refinement:
    """One step down: the codes from `first` on go to parts 0 to `parts` - 1 by `part_of`; -1 where not concerned.

    `value` is the published text that it replaces, or the one that it shows, `at` where an interval is cut; `gain` is
    what it tells about the target in bits, `mixed` whether its records are of several classes, `records` how many they
    are, `fewest` those of its smallest part. One that `shows` a single value has the parts of all others in `parting`.
    """

    place: int
    first: int
    parting: Codes
    parts: int
    gain: float
    mixed: bool
    records: int
    fewest: int
    value: str
    at: str = ""
    shows: int = -1

    @property
    def last(self) -> int:
        """The last code that it may concern."""
        return self.first + len(self.parting) - 1

    @property
    def order(self) -> tuple[int, int]:
        """Among equals the first column, and in it the first value, comes first."""
        return self.place, max(self.first, self.shows)

    @property
    def part_of(self) -> Codes:
        """The part of every code from `first` to `last`."""
        if self.shows < 0:
            return self.parting
        part_of = self.parting.copy()
        part_of[self.shows] = 1
        return part_of


class Ladder(ABC):
    """One column on its way down; `counts[code, class]` are the records of every value and class."""

    replaces_all = False
    """Whether taking one refinement makes all others of the column void and gives them anew."""

    def __init__(self, place: int, domain: Domain, counts: Counts) -> None:
        self.place, self.domain, self.counts = place, domain, counts

    @abstractmethod
    def start(self) -> list[Refinement]:
        """The refinements of a column of which nothing is shown yet."""

    @abstractmethod
    def take(self, refinement: Refinement) -> list[Refinement]:
        """Go a step down; the refinements that this makes possible."""

    @abstractmethod
    def cut(self) -> Cut:
        """What is published now: the labels, and the label of every code."""

    def _step(self, first: int, part_of: Codes, parts: int, value: str, at: str = "") -> Refinement | None:
        """The refinement that parts the codes from `first` on; None if no record is concerned."""
        concerned = np.flatnonzero(part_of >= 0)
        by_part = np.zeros((parts, self.counts.shape[1]), dtype=np.int64)
        np.add.at(by_part, part_of[concerned], self.counts[first + concerned])
        sizes = by_part.sum(axis=1)
        if not sizes.any():
            return None
        mixed = int(np.count_nonzero(by_part.sum(axis=0))) > 1
        fewest = int(sizes[sizes > 0].min())
        return Refinement(self.place, first, part_of, parts, gain(by_part), mixed, int(sizes.sum()), fewest, value, at)


class TaxonomyLadder(Ladder):
    """From a node of the taxonomy to its children; a cut across the tree is published."""

    def __init__(self, place: int, taxonomy: Taxonomy, counts: Counts) -> None:
        super().__init__(place, taxonomy.domain, counts)
        self._taxonomy = taxonomy
        self._node = np.full(len(taxonomy.domain), taxonomy.root, dtype=np.int32)
        self._children = _children(taxonomy)

    def start(self) -> list[Refinement]:
        """The root to its children."""
        return self._below(self._taxonomy.root)

    def take(self, refinement: Refinement) -> list[Refinement]:
        """The node's children take its place, and can be refined in turn."""
        node = int(self._node[refinement.first])
        below = self._children[node]
        for child in below:
            self._node[self._taxonomy.lo[child] : self._taxonomy.hi[child] + 1] = child
        return [step for child in below for step in self._below(child)]

    def cut(self) -> Cut:
        """The nodes that are published."""
        return Labels.of_nodes(self._taxonomy, self._node)

    def _below(self, node: int) -> list[Refinement]:
        below = self._children.get(node)
        if not below:
            return []
        lo = int(self._taxonomy.lo[node])
        part_of = np.empty(int(self._taxonomy.hi[node]) - lo + 1, dtype=np.int32)
        for part, child in enumerate(below):
            part_of[self._taxonomy.lo[child] - lo : self._taxonomy.hi[child] + 1 - lo] = part
        step = self._step(lo, part_of, len(below), self._taxonomy.labels[node])
        return [] if step is None else [step]


class IntervalLadder(Ladder):
    """From an interval to its two sides, cut where that tells most about the target; grown while it is used.

    Where nothing is to be predicted it is cut in the middle. Where values are missing, the first step sets them apart.
    """

    def __init__(self, place: int, domain: Domain, counts: Counts, taxonomy: Taxonomy | None = None) -> None:
        super().__init__(place, domain, counts)
        self._taxonomy = taxonomy
        self._starts = {0}

    def start(self) -> list[Refinement]:
        """The whole range in two; or known and missing values apart."""
        present = self.domain.present
        if self.domain.has_missing and present > 0:
            part_of = (np.arange(len(self.domain)) >= present).astype(np.int32)
            step = self._step(0, part_of, 2, self._text(0, len(self.domain) - 1), "missing")
            return [] if step is None else [step]
        return self._between(0, present - 1)

    def take(self, refinement: Refinement) -> list[Refinement]:
        """Both sides can be cut in turn; the missing value cannot."""
        middle = refinement.first + int(np.searchsorted(refinement.part_of, 1))
        self._starts.add(middle)
        below = self._between(refinement.first, middle - 1)
        return below if middle >= self.domain.present else below + self._between(middle, refinement.last)

    def cut(self) -> Cut:
        """The intervals that are published."""
        return Labels.of_intervals(self.domain, self._taxonomy, np.array(sorted(self._starts), dtype=np.int32))

    def _between(self, first: int, last: int) -> list[Refinement]:
        from sfumato.algorithms.specialization.loops.leaves import best_cut

        predicts = self.counts.shape[1] > 1
        place, told = best_cut(self.counts, first, last) if predicts else (_middle(self.counts, first, last), 0.0)
        if place < 0:
            return []
        inside = self.counts[first : last + 1]
        lower, upper = inside[: place - first].sum(axis=0), inside[place - first :].sum(axis=0)
        mixed = int(np.count_nonzero(lower + upper)) > 1
        part_of = (np.arange(first, last + 1) >= place).astype(np.int32)
        sizes = int(lower.sum()), int(upper.sum())
        text, at = self._text(first, last), self.domain.named(place)
        return [Refinement(self.place, first, part_of, 2, told, mixed, sum(sizes), min(sizes), text, at)]

    def _text(self, first: int, last: int) -> str:
        return f"[{self.domain.named(first)}, {self.domain.named(last)}]"


class PoolLadder(Ladder):
    """From `*` to one value after the other; those not shown yet stay `*` together."""

    replaces_all = True

    def __init__(self, place: int, domain: Domain, counts: Counts, taxonomy: Taxonomy | None = None) -> None:
        super().__init__(place, domain, counts)
        self._taxonomy = taxonomy
        self._shown = np.zeros(len(domain), dtype=bool)

    def start(self) -> list[Refinement]:
        """Any value that occurs."""
        codes = np.flatnonzero(~self._shown & (self.counts.sum(axis=1) > 0))
        if not len(codes):
            return []
        hidden = np.where(self._shown, -1, 0).astype(np.int32)
        alone = self.counts[codes]
        whole = alone.sum(axis=0)
        told = gains(np.stack([alone, whole - alone], axis=1))
        mixed = int(np.count_nonzero(whole)) > 1
        sizes, records = alone.sum(axis=1), int(whole.sum())
        fewest = np.where(sizes == records, records, np.minimum(sizes, records - sizes))
        return [
            Refinement(self.place, 0, hidden, 2, tells, mixed, records, least, self.domain.named(code), "", code)
            for code, tells, least in zip(codes.tolist(), told.tolist(), fewest.tolist(), strict=True)
        ]

    def take(self, refinement: Refinement) -> list[Refinement]:
        """The value is shown; what showing the others would tell has changed."""
        self._shown[refinement.shows] = True
        return self.start()

    def cut(self) -> Cut:
        """The values shown, and `*`."""
        return Labels.of_disclosed(self.domain, self._taxonomy, self._shown)


def _middle(counts: Counts, first: int, last: int) -> int:
    """Where cutting leaves sides that are as even as can be; -1 if fewer than two values occur."""
    codes = first + np.flatnonzero(counts[first : last + 1, 0])
    if len(codes) < 2:
        return -1
    below = np.cumsum(counts[codes, 0])[:-1]
    return int(codes[1 + np.argmin(np.abs(2 * below - counts[codes, 0].sum()))])


def _children(taxonomy: Taxonomy) -> dict[int, list[int]]:
    """The children of every inner node, in order of their codes."""
    below: dict[int, list[int]] = {}
    parent = taxonomy.parents()
    for node in np.argsort(taxonomy.lo, kind="stable").tolist():
        if node != taxonomy.root:
            below.setdefault(int(parent[node]), []).append(node)
    return below
