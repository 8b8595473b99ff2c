"""Labels: what a column publishes, the original values that each label stands for, and the information it loses.

Operations build labels from taxonomy nodes, intervals, sets, means or example values; recodings map codes to them, and
metrics read their losses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain, written
from sfumato.data.kinds import Kind
from sfumato.kernels.arrays import Flags
from sfumato.taxonomies.taxonomy import ROOT, Taxonomy

Codes = NDArray[np.int32]
_SECONDS = 86_400
_WORD = 64
_SPARSE = 8
"""Marking cells in an array of all possible ones is faster than sorting up to this many cells for every record."""


@dataclass(frozen=True, eq=False, repr=False)
class Labels:
    """The published values of one column.

    No two labels have the same text, so an attacker can distinguish two cells exactly if their label codes differ.
    Label i stands for the original codes `lo[i]` to `hi[i]`, or for `sets[i]` if it is a set. `ncp` is the normalized
    certainty penalty of a cell, between 0 (exact) and 1 (any value); `climb` is its level over the taxonomy's height.
    `numbers` are the positions of labels that are themselves numbers or days, such as means; NaN for a missing one.
    """

    domain: Domain
    texts: tuple[str | None, ...]
    lo: Codes
    hi: Codes
    ncp: NDArray[np.float64]
    climb: NDArray[np.float64]
    sets: Mapping[int, Codes] = field(default_factory=dict)
    numbers: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"<Labels of {self.domain.column!r}: {len(self):,} for {len(self.domain):,} values>"

    @property
    def exact(self) -> bool:
        """Whether every label is an original value, so that the column is published unchanged."""
        if not np.array_equal(self.lo, self.hi):
            return False
        return all(self.domain.texts[code] == text for code, text in zip(self.lo, self.texts, strict=True))

    def covered(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """The total weight of the original codes that each label stands for."""
        running = np.concatenate([[0], np.cumsum(weights)])
        total: NDArray[np.int64] = running[self.hi + 1] - running[self.lo]
        for label, codes in self.sets.items():
            total[label] = weights[codes].sum()
        return total

    def covers(self, label: int) -> Codes:
        """The original codes that a label stands for."""
        if label in self.sets:
            return self.sets[label]
        return np.arange(self.lo[label], self.hi[label] + 1, dtype=np.int32)

    def to_dict(self) -> dict[str, Any]:
        """Plain data from which `from_dict` rebuilds the labels."""
        numbers = {name: getattr(self, name).tolist() for name in ("lo", "hi", "ncp", "climb")}
        sets = {str(label): codes.tolist() for label, codes in self.sets.items()}
        plain = {"domain": self.domain.to_dict(), "texts": list(self.texts), **numbers, "sets": sets}
        if self.numbers is not None:
            plain["numbers"] = [None if np.isnan(number) else number for number in self.numbers.tolist()]
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Labels:
        """Rebuild the labels from the result of `to_dict`."""
        lo, hi = (np.array(plain[name], dtype=np.int32) for name in ("lo", "hi"))
        ncp, climb = (np.array(plain[name], dtype=np.float64) for name in ("ncp", "climb"))
        sets = {int(label): np.array(codes, dtype=np.int32) for label, codes in plain["sets"].items()}
        shown = None if plain.get("numbers") is None else np.array(plain["numbers"], dtype=np.float64)
        return cls(Domain.from_dict(plain["domain"]), tuple(plain["texts"]), lo, hi, ncp, climb, sets, shown)

    @classmethod
    def of_nodes(cls, taxonomy: Taxonomy, nodes: Codes) -> tuple[Labels, Codes]:
        """Labels with the names of taxonomy nodes; also the label of each given node."""
        distinct, index = np.unique(nodes, return_inverse=True)
        lo, hi = taxonomy.lo[distinct], taxonomy.hi[distinct]
        texts = [
            taxonomy.domain.texts[node] if node < len(taxonomy.domain) else taxonomy.labels[node] for node in distinct
        ]
        climb = taxonomy.level_of()[distinct] / max(taxonomy.height, 1)
        made = cls(taxonomy.domain, tuple(texts), lo, hi, range_loss(taxonomy.domain, lo, hi), climb)
        return made, index.astype(np.int32)

    @classmethod
    def of_ranges(cls, domain: Domain, taxonomy: Taxonomy | None, lo: Codes, hi: Codes) -> tuple[Labels, Codes]:
        """Closed intervals such as `[20, 29]`; a range that includes the missing value becomes `*`."""
        lo, hi = lo.copy(), hi.copy()
        if domain.has_missing:
            mixed = (hi == domain.present) & (lo < hi)
            lo[mixed] = 0
        distinct, index = np.unique(lo.astype(np.int64) * len(domain) + hi, return_inverse=True)
        low, high = (distinct // len(domain)).astype(np.int32), (distinct % len(domain)).astype(np.int32)
        texts = tuple(_interval(domain, first, last) for first, last in zip(low, high, strict=True))
        climb = _climb(taxonomy, low, high)
        return cls(domain, texts, low, high, range_loss(domain, low, high), climb), index.astype(np.int32)

    @classmethod
    def of_intervals(cls, domain: Domain, taxonomy: Taxonomy | None, starts: Codes) -> tuple[Labels, Codes]:
        """Half-open intervals that leave no gap: `<37`, `[37, 42)`, `>=42`; also the label of every code.

        `starts` are the codes at which intervals begin, 0 first. The outermost intervals are unbounded, so that they
        hold for values outside the domain and do not disclose the smallest and the largest value. An interval that
        starts at the missing value is that value; if it is the only separate one, all other values become `known`.
        """
        stops = np.append(starts[1:], len(domain)).astype(np.int32)
        numbered = starts[starts < domain.present]
        texts = []
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
            if start >= domain.present:
                texts.append(domain.texts[start])
            elif len(numbered) == 1:
                texts.append(ROOT if len(starts) == 1 else known_text(domain))
            else:
                texts.append(_half_open(domain, start, stop, first=start == 0, last=start == numbered[-1]))
        hi = (stops - 1).astype(np.int32)
        climb = _climb(taxonomy, starts, hi)
        made = cls(domain, tuple(texts), starts.astype(np.int32), hi, range_loss(domain, starts, hi), climb)
        return made, np.repeat(np.arange(len(starts)), stops - starts).astype(np.int32)

    @classmethod
    def of_disclosed(cls, domain: Domain, taxonomy: Taxonomy | None, shown: Flags) -> tuple[Labels, Codes]:
        """Some values unchanged, `*` for all others; also the label of every code, and last of unknown values."""
        hidden = np.flatnonzero(~shown).astype(np.int32)
        exact = np.flatnonzero(shown).astype(np.int32)
        some = len(hidden) > 0
        lo = np.append(exact, hidden[0] if some else 0).astype(np.int32)
        hi = np.append(exact, hidden[-1] if some else len(domain) - 1).astype(np.int32)
        stands = len(hidden) if some else len(domain)
        loss = np.append(np.zeros(len(exact)), (stands - 1) / max(len(domain) - 1, 1))
        sets = {len(exact): hidden} if some and len(hidden) != hi[-1] - lo[-1] + 1 else {}
        texts = (*(domain.texts[code] for code in exact), ROOT)
        made = cls(domain, texts, lo, hi, loss, _climb(taxonomy, lo, hi), sets)
        label_of = np.full(len(domain) + 1, len(exact), dtype=np.int32)
        label_of[exact] = np.arange(len(exact))
        return made, label_of

    @classmethod
    def of_numbers(
        cls, domain: Domain, taxonomy: Taxonomy | None, lo: Codes, hi: Codes, numbers: NDArray[np.float64]
    ) -> tuple[Labels, Codes]:
        """One number or day for each range of codes, such as its mean; NaN is published as a missing value.

        Ranges that publish the same number share one label, which stands for the values of all of them.
        """
        exact = domain.numbers[lo] if domain.numbers is not None else numbers
        shown, index = np.unique(np.where(lo == hi, exact, _rounded(domain, numbers)), return_inverse=True)
        low, high = np.full(len(shown), len(domain), dtype=np.int32), np.full(len(shown), -1, dtype=np.int32)
        np.minimum.at(low, index, lo)
        np.maximum.at(high, index, hi)
        loss, climb = range_loss(domain, low, high), _climb(taxonomy, low, high)
        return cls(domain, _places(domain, shown), low, high, loss, climb, numbers=shown), index.astype(np.int32)

    @classmethod
    def of_examples(
        cls, domain: Domain, taxonomy: Taxonomy | None, groups: Codes, codes: Codes, examples: Codes
    ) -> tuple[Labels, Codes]:
        """One original value for each group, such as its mode; a record of `groups[i]` has the value `codes[i]`.

        Groups with the same example share one label, which stands for the values of all of them.
        """
        used, index = np.unique(examples, return_inverse=True)
        code, starts = _distinct_values(index[groups].astype(np.int32), codes, len(domain))
        starts, ends = starts[:-1], starts[1:]
        lo, hi, sizes = code[starts], code[ends - 1], ends - starts
        sets = {place: code[starts[place] : ends[place]] for place in np.flatnonzero(sizes != hi - lo + 1).tolist()}
        texts = tuple(domain.texts[example] for example in used)
        ncp = (sizes - 1) / max(len(domain) - 1, 1)
        return cls(domain, texts, lo, hi, ncp, _climb(taxonomy, lo, hi), sets), index.astype(np.int32)

    @classmethod
    def of_sets(cls, domain: Domain, taxonomy: Taxonomy | None, groups: Codes, codes: Codes) -> tuple[Labels, Codes]:
        """Sets such as `{A, B}` of the values of each group; a record of `groups[i]` has the value `codes[i]`.

        The groups are numbered from 0 without gaps. Groups with the same values share one label.
        """
        code, starts = _distinct_values(groups, codes, len(domain))
        first, index = _distinct_sets(code, starts, len(domain))
        starts, stops = starts[first], starts[first + 1]
        lo, hi, sizes = code[starts], code[stops - 1], stops - starts
        kept = [code[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
        sets = {label: kept[label] for label in np.flatnonzero(sizes != hi - lo + 1).tolist()}
        named = np.array([_quoted(domain.named(one)) for one in range(len(domain))], dtype=object)
        texts = tuple(domain.texts[one[0]] if len(one) == 1 else "{" + ", ".join(named[one]) + "}" for one in kept)
        ncp = (sizes - 1) / max(len(domain) - 1, 1)
        return cls(domain, texts, lo, hi, ncp, _climb(taxonomy, lo, hi), sets), index


def range_loss(domain: Domain, lo: Codes, hi: Codes) -> NDArray[np.float64]:
    """The loss of each range: its share of the domain's width, or for texts of the other values."""
    if domain.numbers is None:
        return (hi - lo) / max(len(domain) - 1, 1)
    loss = np.zeros(len(lo), dtype=np.float64)
    if domain.present > 1:
        within = hi < domain.present
        span = domain.numbers[domain.present - 1] - domain.numbers[0]
        loss[within] = (domain.numbers[hi[within]] - domain.numbers[lo[within]]) / span
    loss[(hi >= domain.present) & (lo < hi)] = 1.0
    return loss


def _distinct_values(groups: Codes, codes: Codes, domain: int) -> tuple[Codes, NDArray[np.int64]]:
    """The distinct codes of every group in ascending order, group after group, and where those of each group begin.

    The last entry of the second array is the end of the last group.
    """
    key, how_many = groups.astype(np.int64) * domain + codes, int(groups.max()) + 1
    if how_many * domain <= _SPARSE * len(key):
        found = np.zeros(how_many * domain, dtype=bool)
        found[key] = True
        pairs = np.flatnonzero(found)
    else:
        pairs = np.unique(key)
    starts = np.concatenate([[0], np.cumsum(np.bincount(pairs // domain, minlength=how_many))])
    return (pairs % domain).astype(np.int32), starts


def _distinct_sets(code: Codes, starts: NDArray[np.int64], domain: int) -> tuple[NDArray[np.int64], Codes]:
    """A group of every distinct set of codes, and the number of each group's set; the codes are those of all groups.

    Sets are in the order of their rows of flags: of two sets the one comes last that has the smallest code in which
    they differ.
    """
    if domain <= _WORD:
        bits = np.bitwise_or.reduceat(np.uint64(1) << (_WORD - 1 - code).astype(np.uint64), starts[:-1])
        _, found, inverse = np.unique(bits, return_index=True, return_inverse=True)
        return found.astype(np.int64), inverse.astype(np.int32)
    # bytes of whole numbers, most significant byte first, are in the order of the numbers
    descending = (domain - 1 - code).astype(">u4")
    whole, ends = descending.tobytes(), (starts * descending.itemsize).tolist()
    keys = [whole[start:stop] for start, stop in pairwise(ends)]
    number = {key: label for label, key in enumerate(sorted(set(keys)))}
    index = np.array([number[key] for key in keys], dtype=np.int32)
    first = np.zeros(len(number), dtype=np.int64)
    first[index] = np.arange(len(keys))
    return first, index


def _climb(taxonomy: Taxonomy | None, lo: Codes, hi: Codes) -> NDArray[np.float64]:
    """The level of each range's lowest common node over the taxonomy's height; without a taxonomy 0 or 1."""
    if taxonomy is None:
        return np.asarray(lo != hi, dtype=np.float64)
    level = taxonomy.level_of()[taxonomy.lowest_common(lo, hi)]
    climbed: NDArray[np.float64] = level / max(taxonomy.height, 1)
    return climbed


def _rounded(domain: Domain, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to the precision of the column: months, days, seconds, or 15 digits, so that 0.1 + 0.2 is written 0.3."""
    if domain.kind is Kind.NUMBER:
        return np.array([float(f"{number:.15g}") for number in numbers.tolist()], dtype=np.float64)
    if domain.kind is Kind.MONTH:
        return np.array([_first_of_month(number) for number in numbers.tolist()], dtype=np.float64)
    return np.round(numbers) if _whole_days(domain) else np.round(numbers * _SECONDS) / _SECONDS


def _first_of_month(number: float) -> float:
    return number if np.isnan(number) else float(date.fromordinal(round(number)).replace(day=1).toordinal())


def _whole_days(domain: Domain) -> bool:
    return domain.numbers is not None and bool((domain.numbers[: domain.present] % 1 == 0).all())


def _places(domain: Domain, numbers: NDArray[np.float64]) -> tuple[str | None, ...]:
    """The written forms of numbers or days; values that occur in the data are written as they are there."""
    known = {} if domain.numbers is None else dict(zip(domain.numbers.tolist(), domain.texts, strict=True))
    whole = _whole_days(domain)
    texts = (None if np.isnan(number) else known.get(number) for number in numbers.tolist())
    return tuple(
        _place(domain, number, whole) if text is None and not np.isnan(number) else text
        for text, number in zip(texts, numbers.tolist(), strict=True)
    )


def _place(domain: Domain, number: float, whole: bool) -> str:
    if domain.kind is Kind.NUMBER:
        return written(number)
    day, seconds = divmod(round(number * _SECONDS), _SECONDS)
    moment = datetime.fromordinal(day) + timedelta(seconds=seconds)
    if domain.kind is Kind.MONTH:
        return moment.strftime("%Y-%m")
    return moment.date().isoformat() if whole else moment.isoformat(timespec="seconds")


def _interval(domain: Domain, lo: int, hi: int) -> str | None:
    if lo == hi:
        return domain.texts[lo]
    if not domain.ordered or hi >= domain.present:
        return ROOT
    return f"[{domain.texts[lo]}, {domain.texts[hi]}]"


def _half_open(domain: Domain, start: int, stop: int, *, first: bool, last: bool) -> str:
    if first:
        return f"<{domain.texts[stop]}"
    return f">={domain.texts[start]}" if last else f"[{domain.texts[start]}, {domain.texts[stop]})"


def known_text(domain: Domain) -> str:
    """The label of all values that are not missing: `known`, in parentheses if a value already has that text."""
    name = "known"
    while name in domain.texts:
        name = f"({name})"
    return name


def _quoted(text: str) -> str:
    """A value as an element of a set; quoted if it contains a character of the set notation."""
    if any(mark in text for mark in ',{}"\r\n') or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text
