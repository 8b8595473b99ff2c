"""Specialization paths: how one column is refined step by step from `*` to its exact values.

A column with a taxonomy is refined from a node to its children. Numbers and dates without one are cut in two at the
point with the highest information gain. Categories without one are shown value by value, while all others stay `*`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

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
    """One step: divides the codes from `first` on into parts 0 to `parts` - 1; codes with part -1 are not affected."""

    place: int
    """The position of the column."""
    first: int
    parts_by_code: Codes
    """The part of each code from `first` on; see `shown_code`."""
    parts: int
    gain: float
    """The information gain about the target in bits."""
    several_classes: bool
    """Whether the affected records are of several classes."""
    records: int
    """The number of affected records."""
    smallest_part: int
    """The number of records of the smallest part."""
    value: str = field(repr=False)
    """The published text that is replaced, or the value that is shown."""
    at: str = field(default="", repr=False)
    """Where an interval is cut."""
    shown_code: int = -1
    """The code of a value that is shown alone, in part 1 whatever `parts_by_code` says; -1 for other refinements."""

    @property
    def last(self) -> int:
        """The last code that can be affected."""
        return self.first + len(self.parts_by_code) - 1

    @property
    def order(self) -> tuple[int, int]:
        """The rank among refinements with equal scores: by column, then by value."""
        return self.place, max(self.first, self.shown_code)

    @property
    def part_of(self) -> Codes:
        """The part of every code from `first` to `last`."""
        if self.shown_code < 0:
            return self.parts_by_code
        part_of = self.parts_by_code.copy()
        part_of[self.shown_code] = 1
        return part_of


class SpecializationPath(ABC):
    """The refinements of one column; `counts[code, class]` is the number of records of each value and class."""

    replaces_all = False
    """Whether applying one refinement replaces all other refinements of the column by new ones."""

    def __init__(self, place: int, domain: Domain, counts: Counts) -> None:
        self.place, self.domain, self.counts = place, domain, counts

    @abstractmethod
    def start(self) -> list[Refinement]:
        """The refinements of a fully generalized column."""

    @abstractmethod
    def apply(self, refinement: Refinement) -> list[Refinement]:
        """Apply a refinement; returns the refinements that it makes possible."""

    @abstractmethod
    def cut(self) -> Cut:
        """The current labels, and the label of every code."""

    def _step(self, first: int, part_of: Codes, parts: int, value: str, at: str = "") -> Refinement | None:
        """The refinement that divides the codes from `first` on; None if no record is affected."""
        affected = np.flatnonzero(part_of >= 0)
        by_part = np.zeros((parts, self.counts.shape[1]), dtype=np.int64)
        np.add.at(by_part, part_of[affected], self.counts[first + affected])
        sizes = by_part.sum(axis=1)
        if not sizes.any():
            return None
        several = int(np.count_nonzero(by_part.sum(axis=0))) > 1
        # Empty parts are children without records; they make no groups.
        smallest = int(sizes[sizes > 0].min())
        return Refinement(
            self.place,
            first,
            part_of,
            parts,
            gain(by_part),
            several,
            int(sizes.sum()),
            smallest,
            value,
            at,
        )


class TaxonomyPath(SpecializationPath):
    """From a node of the taxonomy to its children; the published nodes are a cut through the tree."""

    def __init__(self, place: int, taxonomy: Taxonomy, counts: Counts) -> None:
        super().__init__(place, taxonomy.domain, counts)
        self._taxonomy = taxonomy
        self._node = np.full(len(taxonomy.domain), taxonomy.root, dtype=np.int32)
        self._children = _children(taxonomy)

    def start(self) -> list[Refinement]:
        """From the root to its children."""
        return self._below(self._taxonomy.root)

    def apply(self, refinement: Refinement) -> list[Refinement]:
        """Replace a node by its children, which can be refined in turn."""
        node = int(self._node[refinement.first])
        below = self._children[node]
        for child in below:
            self._node[self._taxonomy.lo[child] : self._taxonomy.hi[child] + 1] = child
        return [step for child in below for step in self._below(child)]

    def cut(self) -> Cut:
        """The nodes that are published."""
        return Labels.of_nodes(self._taxonomy, self._node)

    def _below(self, node: int) -> list[Refinement]:
        """The refinement of a node, if it has children with records."""
        below = self._children.get(node)
        if not below:
            return []
        lo = int(self._taxonomy.lo[node])
        part_of = np.empty(int(self._taxonomy.hi[node]) - lo + 1, dtype=np.int32)
        for part, child in enumerate(below):
            part_of[self._taxonomy.lo[child] - lo : self._taxonomy.hi[child] + 1 - lo] = part
        step = self._step(lo, part_of, len(below), self._taxonomy.labels[node])
        return [] if step is None else [step]


class IntervalPath(SpecializationPath):
    """From an interval to two halves, cut at the point with the highest information gain about the target.

    Without a target it is cut in the middle. If values are missing, the first step separates them.
    """

    def __init__(self, place: int, domain: Domain, counts: Counts, taxonomy: Taxonomy | None = None) -> None:
        super().__init__(place, domain, counts)
        self._taxonomy = taxonomy
        self._starts = {0}

    def start(self) -> list[Refinement]:
        """Cut the whole range in two, or separate known and missing values."""
        present = self.domain.present
        if self.domain.has_missing and present > 0:
            part_of = (np.arange(len(self.domain)) >= present).astype(np.int32)
            step = self._step(0, part_of, 2, self._text(0, len(self.domain) - 1), "missing")
            return [] if step is None else [step]
        return self._between(0, present - 1)

    def apply(self, refinement: Refinement) -> list[Refinement]:
        """Both sides can be cut in turn; the missing value cannot."""
        # Parts are 0 up to the cut and 1 from it on.
        middle = refinement.first + int(np.searchsorted(refinement.part_of, 1))
        self._starts.add(middle)
        below = self._between(refinement.first, middle - 1)
        return below if middle >= self.domain.present else below + self._between(middle, refinement.last)

    def cut(self) -> Cut:
        """The intervals that are published."""
        return Labels.of_intervals(self.domain, self._taxonomy, np.array(sorted(self._starts), dtype=np.int32))

    def _between(self, first: int, last: int) -> list[Refinement]:
        """The best cut of an interval; none if fewer than two of its values occur."""
        from sfumato.algorithms.specialization.loops.leaves import best_cut

        predicts = self.counts.shape[1] > 1
        place, gained = best_cut(self.counts, first, last) if predicts else (_middle(self.counts, first, last), 0.0)
        if place < 0:
            return []
        inside = self.counts[first : last + 1]
        lower, upper = inside[: place - first].sum(axis=0), inside[place - first :].sum(axis=0)
        several = int(np.count_nonzero(lower + upper)) > 1
        part_of = (np.arange(first, last + 1) >= place).astype(np.int32)
        sizes = int(lower.sum()), int(upper.sum())
        text, at = self._text(first, last), self.domain.named(place)
        return [Refinement(self.place, first, part_of, 2, gained, several, sum(sizes), min(sizes), text, at)]

    def _text(self, first: int, last: int) -> str:
        return f"[{self.domain.named(first)}, {self.domain.named(last)}]"


class DisclosurePath(SpecializationPath):
    """From `*` to one value after the other; the values that are not shown yet are all published as `*`."""

    replaces_all = True

    def __init__(self, place: int, domain: Domain, counts: Counts, taxonomy: Taxonomy | None = None) -> None:
        super().__init__(place, domain, counts)
        self._taxonomy = taxonomy
        self._shown = np.zeros(len(domain), dtype=bool)

    def start(self) -> list[Refinement]:
        """Show any value that occurs and is not shown yet."""
        codes = np.flatnonzero(~self._shown & (self.counts.sum(axis=1) > 0))
        if not len(codes):
            return []
        # One array for all refinements of this step; each only adds its `shown_code`
        # when it is used. A copy per value would need quadratic memory.
        hidden = np.where(self._shown, -1, 0).astype(np.int32)
        alone = self.counts[codes]
        whole = alone.sum(axis=0)
        gained = gains(np.stack([alone, whole - alone], axis=1))
        several = int(np.count_nonzero(whole)) > 1
        sizes, records = alone.sum(axis=1), int(whole.sum())
        # The last hidden value leaves nothing as `*`, so the group of the rest does not exist.
        smallest = np.where(sizes == records, records, np.minimum(sizes, records - sizes))
        return [
            Refinement(self.place, 0, hidden, 2, bits, several, records, least, self.domain.named(code), "", code)
            for code, bits, least in zip(codes.tolist(), gained.tolist(), smallest.tolist(), strict=True)
        ]

    def apply(self, refinement: Refinement) -> list[Refinement]:
        """Show the value; the gain of showing each other value has changed."""
        self._shown[refinement.shown_code] = True
        return self.start()

    def cut(self) -> Cut:
        """The values that are shown, and `*`."""
        return Labels.of_disclosed(self.domain, self._taxonomy, self._shown)


def _middle(counts: Counts, first: int, last: int) -> int:
    """The code at which a cut leaves the most even sides; -1 if fewer than two values occur."""
    codes = first + np.flatnonzero(counts[first : last + 1, 0])
    if len(codes) < 2:
        return -1
    # `below[i]` records are on the lower side of a cut before
    # `codes[i + 1]`; twice that nearest to the total is most even.
    below = np.cumsum(counts[codes, 0])[:-1]
    return int(codes[1 + np.argmin(np.abs(2 * below - counts[codes, 0].sum()))])


def _children(taxonomy: Taxonomy) -> dict[int, list[int]]:
    """The children of every inner node, in the order of their codes."""
    below: dict[int, list[int]] = {}
    parent = taxonomy.parents()
    for node in np.argsort(taxonomy.lo, kind="stable").tolist():
        if node != taxonomy.root:
            below.setdefault(int(parent[node]), []).append(node)
    return below
