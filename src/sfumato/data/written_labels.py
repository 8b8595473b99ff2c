"""Published labels that are read back from their texts: which original values each of them covers.

`Labels` knows what it stands for as long as a release is in memory. A release that was read from a file, perhaps of
another tool, has only texts. `disclosure.paired_labels` compares them with the original values.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.data.labels import known_text, range_loss
from sfumato.kernels.arrays import Flags
from sfumato.taxonomies.taxonomy import ROOT, Taxonomy, interval_bounds

Codes = NDArray[np.int32]
_BELOW = re.compile(r"^\s*(<=?)\s*(\S.*?)\s*$")
_ABOVE = re.compile(r"^\s*(>=?)\s*(\S.*?)\s*$")
_NO_CODES = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False, repr=False)
class WrittenLabels:
    """The texts of a published column, and the codes of the original domain that each of them covers.

    Label i covers the codes `lo[i]` to `hi[i]`, or `sets[i]`; a label that covers no original value has `hi < lo`.
    `understood[i]` says whether the text could be read at all.

    >>> domain, _ = Domain.of("age", ["20", "24", "31"])
    >>> labels = WrittenLabels.read(["[20, 29]", "31", "33", "old"], domain)
    >>> [labels.covered(label).tolist() for label in range(4)], labels.understood.tolist()
    ([[0, 1], [2], [], []], [True, True, True, False])
    """

    domain: Domain
    lo: Codes
    hi: Codes
    sets: Mapping[int, Codes]
    understood: Flags

    def __len__(self) -> int:
        return len(self.lo)

    def __repr__(self) -> str:
        return f"<WrittenLabels of {self.domain.column!r}: {len(self):,} for {len(self.domain):,} values>"

    @classmethod
    def read(cls, texts: Sequence[str | None], domain: Domain, taxonomy: Taxonomy | None = None) -> WrittenLabels:
        """Read the texts of labels: values, `*`, `known`, ranges, sets, masked codes and nodes of a taxonomy.

        `taxonomy`, if given, is one over the same domain.
        """
        nodes = _nodes(taxonomy)
        lo = domain.codes_of(texts)
        hi, sets = lo.copy(), {}
        understood = np.ones(len(texts), dtype=bool)
        for label in np.flatnonzero(lo < 0).tolist():
            found = _covered(texts[label], domain, nodes)
            if found is None:
                understood[label], found = False, _NO_CODES
            lo[label], hi[label] = (found[0], found[-1]) if len(found) else (0, -1)
            if len(found) != hi[label] - lo[label] + 1:
                sets[label] = found
        return cls(domain, lo, hi, sets, understood)

    def covered(self, label: int) -> Codes:
        """The original codes that a label covers."""
        return self.sets.get(label, np.arange(self.lo[label], self.hi[label] + 1, dtype=np.int32))

    def cover(self, labels: NDArray[np.integer], codes: NDArray[np.integer]) -> Flags:
        """Whether each of the given labels covers the original code beside it."""
        found = np.array((self.lo[labels] <= codes) & (codes <= self.hi[labels]), dtype=bool)
        if self.sets:
            width = len(self.domain)
            members = np.concatenate([label * width + codes.astype(np.int64) for label, codes in self.sets.items()])
            listed = np.isin(labels, list(self.sets))
            found[listed] &= np.isin(labels[listed].astype(np.int64) * width + codes[listed], members)
        return found

    @property
    def exact(self) -> Flags:
        """Whether each label covers a single value."""
        return np.asarray(self.lo == self.hi, dtype=bool)

    @property
    def loss(self) -> NDArray[np.float64]:
        """The normalized certainty penalty of each label, as `Labels.ncp`: 0 for one value, 1 for all of them."""
        lost = range_loss(self.domain, self.lo, np.maximum(self.lo, self.hi))
        others = max(len(self.domain) - 1, 1)
        for label, members in self.sets.items():
            lost[label] = (len(members) - 1) / others
        return lost


def _nodes(taxonomy: Taxonomy | None) -> dict[str, Codes]:
    """The codes under each inner node of a taxonomy, by its label."""
    if taxonomy is None:
        return {}
    inner = range(len(taxonomy.domain), len(taxonomy.labels))
    return {
        taxonomy.labels[node]: np.arange(taxonomy.lo[node], taxonomy.hi[node] + 1, dtype=np.int32) for node in inner
    }


def _covered(text: str | None, domain: Domain, nodes: Mapping[str, Codes]) -> Codes | None:
    """The codes that the text of a label covers; None if it cannot be read."""
    if text is None or domain.position_of(text) is not None:
        return _NO_CODES  # no value, or a number or day that no record has
    whole = {ROOT: len(domain), known_text(domain): domain.present}
    if text in nodes or text in whole:
        return nodes[text] if text in nodes else np.arange(whole[text], dtype=np.int32)
    if text.startswith("{") and text.endswith("}"):
        return _of_set(text, domain)
    found = _of_range(text, domain) if domain.ordered else None
    return _of_mask(text, domain) if found is None else found


def _of_set(text: str, domain: Domain) -> Codes | None:
    """The codes of `{cook, "nurse, retired"}`; None if a member is no value of the column."""
    try:
        members = next(csv.reader([text[1:-1]], skipinitialspace=True, strict=True))
    except csv.Error:
        return None
    codes = [domain.code_of(member) for member in members]
    return None if None in codes else np.unique(np.array(codes, dtype=np.int32))


def _of_range(text: str, domain: Domain) -> Codes | None:
    """The codes of `[20, 29]`, `[20, 30)`, `20-29`, `<30` or `>=30`; a missing value lies in none of them."""
    numbers = domain.numbers[: domain.present] if domain.numbers is not None else np.zeros(0)
    bounds = interval_bounds(text, domain.kind)
    below, above = _BELOW.match(text), _ABOVE.match(text)
    if bounds is None and (below or above):
        sign, end = (below or above or ("", "", ""))[1], (below or above or ("", "", ""))[2]
        place = domain.position_of(end)
        if place is not None:
            bounds = (-np.inf, True, place, sign == "<=") if below else (place, sign == ">=", np.inf, True)
    if bounds is None:
        return None
    low, low_in, high, high_in = bounds
    first = np.searchsorted(numbers, low, side="left" if low_in else "right")
    stop = np.searchsorted(numbers, high, side="right" if high_in else "left")
    return np.arange(first, stop, dtype=np.int32)


def _of_mask(text: str, domain: Domain) -> Codes | None:
    """The codes that begin as `101**` or end as `**01`, by the rules of the taxonomy of masked codes.

    A shorter text is padded with spaces on the masked side, a shorter number with leading zeros.
    """
    shown = text.strip(ROOT)
    right = text.startswith(shown)
    if (
        shown == text
        or ROOT in shown
        or not (right or text.endswith(shown))
        or domain.kind not in (Kind.TEXT, Kind.NUMBER)
    ):
        return None
    pad = str.zfill if domain.kind is Kind.NUMBER else str.ljust if right else str.rjust
    fits = str.startswith if right else str.endswith
    padded = [pad(domain.named(code), len(text)) for code in range(domain.present)]
    codes = [code for code, value in enumerate(padded) if len(value) == len(text) and fits(value, shown)]
    return np.array(codes, dtype=np.int32)
