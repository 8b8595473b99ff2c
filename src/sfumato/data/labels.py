"""What a column publishes: every label with the values it stands for and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain, Kind, written
from sfumato.taxonomies.taxonomy import ROOT, Taxonomy

Codes = NDArray[np.int32]
_SECONDS = 86_400


@dataclass(frozen=True, eq=False)
class Labels:
    """The published alphabet of one column; two labels never share a text, so equal codes are what a stranger sees.

    Label i stands for the original codes `lo[i]` to `hi[i]`, or for `sets[i]` where it is a set. `ncp` is the loss of a
    cell between 0 (exact) and 1 (anything), `climb` the share of the taxonomy's height it rose. `numbers` are what the
    labels publish where they are numbers (or days) themselves, as means and medians are; NaN for a missing one.
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

    @property
    def exact(self) -> bool:
        """Whether every label is a value as it was written, so that the column is published as it was."""
        if not np.array_equal(self.lo, self.hi):
            return False
        return all(self.domain.texts[code] == text for code, text in zip(self.lo, self.texts, strict=True))

    def covered(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each label, the total weight of the original codes it stands for."""
        running = np.concatenate([[0], np.cumsum(weights)])
        total: NDArray[np.int64] = running[self.hi + 1] - running[self.lo]
        for label, codes in self.sets.items():
            total[label] = weights[codes].sum()
        return total

    def covers(self, label: int) -> Codes:
        """The original codes a label stands for."""
        if label in self.sets:
            return self.sets[label]
        return np.arange(self.lo[label], self.hi[label] + 1, dtype=np.int32)

    def to_dict(self) -> dict[str, Any]:
        """Plain data from which the labels can be made again."""
        numbers = {name: getattr(self, name).tolist() for name in ("lo", "hi", "ncp", "climb")}
        sets = {str(label): codes.tolist() for label, codes in self.sets.items()}
        plain = {"domain": self.domain.to_dict(), "texts": list(self.texts), **numbers, "sets": sets}
        if self.numbers is not None:
            plain["numbers"] = [None if np.isnan(number) else number for number in self.numbers.tolist()]
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Labels:
        """The labels that `to_dict` told of."""
        lo, hi = (np.array(plain[name], dtype=np.int32) for name in ("lo", "hi"))
        ncp, climb = (np.array(plain[name], dtype=np.float64) for name in ("ncp", "climb"))
        sets = {int(label): np.array(codes, dtype=np.int32) for label, codes in plain["sets"].items()}
        shown = None if plain.get("numbers") is None else np.array(plain["numbers"], dtype=np.float64)
        return cls(Domain.from_dict(plain["domain"]), tuple(plain["texts"]), lo, hi, ncp, climb, sets, shown)

    @classmethod
    def of_nodes(cls, taxonomy: Taxonomy, nodes: Codes) -> tuple[Labels, Codes]:
        """Labels named like taxonomy nodes; also which label each of the given nodes became."""
        distinct, index = np.unique(nodes, return_inverse=True)
        lo, hi = taxonomy.lo[distinct], taxonomy.hi[distinct]
        texts = [
            taxonomy.domain.texts[node] if node < len(taxonomy.domain) else taxonomy.labels[node] for node in distinct
        ]
        climb = taxonomy.level_of()[distinct] / max(taxonomy.height, 1)
        made = cls(taxonomy.domain, tuple(texts), lo, hi, _range_loss(taxonomy.domain, lo, hi), climb)
        return made, index.astype(np.int32)

    @classmethod
    def of_ranges(cls, domain: Domain, taxonomy: Taxonomy | None, lo: Codes, hi: Codes) -> tuple[Labels, Codes]:
        """Tight closed intervals `[20, 29]`; a range that mixes values with missing ones becomes `*`."""
        lo, hi = lo.copy(), hi.copy()
        if domain.has_missing:
            mixed = (hi == domain.present) & (lo < hi)
            lo[mixed] = 0
        distinct, index = np.unique(lo.astype(np.int64) * len(domain) + hi, return_inverse=True)
        low, high = (distinct // len(domain)).astype(np.int32), (distinct % len(domain)).astype(np.int32)
        texts = tuple(_interval(domain, first, last) for first, last in zip(low, high, strict=True))
        climb = _climb(taxonomy, low, high)
        return cls(domain, texts, low, high, _range_loss(domain, low, high), climb), index.astype(np.int32)

    @classmethod
    def of_intervals(cls, domain: Domain, taxonomy: Taxonomy | None, starts: Codes) -> tuple[Labels, Codes]:
        """Half-open intervals that leave no gap: `<37`, `[37, 42)`, `>=42`; also the label of every code.

        `starts` are the codes at which an interval begins, 0 first. The outermost intervals are open, so that they are
        true of values nobody has seen yet, and do not give away the least and the largest one. One that starts at the
        missing value is that value; where only it is set apart, the others are `known`.
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
        made = cls(domain, tuple(texts), starts.astype(np.int32), hi, _range_loss(domain, starts, hi), climb)
        return made, np.repeat(np.arange(len(starts)), stops - starts).astype(np.int32)

    @classmethod
    def of_disclosed(cls, domain: Domain, taxonomy: Taxonomy | None, shown: NDArray[np.bool_]) -> tuple[Labels, Codes]:
        """Some values as they are and `*` for all others; also the label of every code, and of any value beyond."""
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
        """One number, or day, for each of the ranges, such as its mean; NaN is published as missing.

        Ranges that publish the same number share a label, which then stands for all of their values.
        """
        exact = domain.numbers[lo] if domain.numbers is not None else numbers
        shown, index = np.unique(np.where(lo == hi, exact, _rounded(domain, numbers)), return_inverse=True)
        low, high = np.full(len(shown), len(domain), dtype=np.int32), np.full(len(shown), -1, dtype=np.int32)
        np.minimum.at(low, index, lo)
        np.maximum.at(high, index, hi)
        loss, climb = _range_loss(domain, low, high), _climb(taxonomy, low, high)
        return cls(domain, _places(domain, shown), low, high, loss, climb, numbers=shown), index.astype(np.int32)

    @classmethod
    def of_examples(
        cls, domain: Domain, taxonomy: Taxonomy | None, groups: Codes, codes: Codes, examples: Codes
    ) -> tuple[Labels, Codes]:
        """One value for each of some groups, such as its commonest; a record of `groups[i]` has the value `codes[i]`.

        Groups with the same example share a label, which then stands for all of their values.
        """
        used, index = np.unique(examples, return_inverse=True)
        pairs = np.unique(index[groups].astype(np.int64) * len(domain) + codes)
        label, code = pairs // len(domain), (pairs % len(domain)).astype(np.int32)
        ends = np.cumsum(np.bincount(label))
        starts, lo, hi = np.append(0, ends[:-1]), code[np.append(0, ends[:-1])], code[ends - 1]
        sizes = ends - starts
        sets = {place: code[starts[place] : ends[place]] for place in np.flatnonzero(sizes != hi - lo + 1).tolist()}
        texts = tuple(domain.texts[example] for example in used)
        ncp = (sizes - 1) / max(len(domain) - 1, 1)
        return cls(domain, texts, lo, hi, ncp, _climb(taxonomy, lo, hi), sets), index.astype(np.int32)

    @classmethod
    def of_sets(cls, domain: Domain, taxonomy: Taxonomy | None, members: NDArray[np.bool_]) -> tuple[Labels, Codes]:
        """Sets `{A, B}` of exactly the values present; `members[g, code]` says which values group g has."""
        packed = np.packbits(members, axis=1)
        as_bytes = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
        _, first, index = np.unique(as_bytes, return_index=True, return_inverse=True)
        kept = members[first]
        sizes = kept.sum(axis=1)
        lo = kept.argmax(axis=1).astype(np.int32)
        hi = (len(domain) - 1 - kept[:, ::-1].argmax(axis=1)).astype(np.int32)
        sets = {
            label: np.flatnonzero(kept[label]).astype(np.int32)
            for label in np.flatnonzero(sizes != hi - lo + 1).tolist()
        }
        named = np.array([_quoted(domain.named(code)) for code in range(len(domain))], dtype=object)
        texts = tuple(
            domain.texts[lo[label]] if sizes[label] == 1 else "{" + ", ".join(named[kept[label]]) + "}"
            for label in range(len(kept))
        )
        ncp = (sizes - 1) / max(len(domain) - 1, 1)
        return cls(domain, texts, lo, hi, ncp, _climb(taxonomy, lo, hi), sets), index.astype(np.int32)


def _range_loss(domain: Domain, lo: Codes, hi: Codes) -> NDArray[np.float64]:
    """Width over the domain's width for ordered values, else the share of other values it could be."""
    if domain.numbers is None:
        return (hi - lo) / max(len(domain) - 1, 1)
    loss = np.zeros(len(lo), dtype=np.float64)
    if domain.present > 1:
        within = hi < domain.present
        span = domain.numbers[domain.present - 1] - domain.numbers[0]
        loss[within] = (domain.numbers[hi[within]] - domain.numbers[lo[within]]) / span
    loss[(hi >= domain.present) & (lo < hi)] = 1.0
    return loss


def _climb(taxonomy: Taxonomy | None, lo: Codes, hi: Codes) -> NDArray[np.float64]:
    if taxonomy is None:
        return np.asarray(lo != hi, dtype=np.float64)
    level = taxonomy.level_of()[taxonomy.lowest_common(lo, hi)]
    climbed: NDArray[np.float64] = level / max(taxonomy.height, 1)
    return climbed


def _rounded(domain: Domain, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """As exact as the column can say: whole days, seconds, or fifteen digits, so that 0.1 + 0.2 is written 0.3."""
    if domain.kind is Kind.NUMBER:
        return np.array([float(f"{number:.15g}") for number in numbers.tolist()], dtype=np.float64)
    return np.round(numbers) if _whole_days(domain) else np.round(numbers * _SECONDS) / _SECONDS


def _whole_days(domain: Domain) -> bool:
    return domain.numbers is not None and bool((domain.numbers[: domain.present] % 1 == 0).all())


def _places(domain: Domain, numbers: NDArray[np.float64]) -> tuple[str | None, ...]:
    """How numbers or days are written: as in the data where they occur there."""
    known = {} if domain.numbers is None else dict(zip(domain.numbers.tolist(), domain.texts, strict=True))
    whole = _whole_days(domain)
    told = (None if np.isnan(number) else known.get(number) for number in numbers.tolist())
    return tuple(
        _place(domain, number, whole) if text is None and not np.isnan(number) else text
        for text, number in zip(told, numbers.tolist(), strict=True)
    )


def _place(domain: Domain, number: float, whole: bool) -> str:
    if domain.kind is Kind.NUMBER:
        return written(number)
    day, seconds = divmod(round(number * _SECONDS), _SECONDS)
    moment = datetime.fromordinal(day) + timedelta(seconds=seconds)
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
    """What every value that is not missing is called, in brackets where the missing one has that name."""
    name = "known"
    while name in domain.texts:
        name = f"({name})"
    return name


def _quoted(text: str) -> str:
    """A value inside a set; quoted where it holds a character that sets use themselves."""
    if any(mark in text for mark in ',{}"\r\n') or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text
