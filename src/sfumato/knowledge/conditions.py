"""Conditions: the sets of people that rules speak of, and how values are spread over each of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.errors import KnowledgeError
from sfumato.knowledge.item import Item
from sfumato.knowledge.knowledge import Knowledge
from sfumato.knowledge.rule import Rule

Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]
Meaning = tuple[tuple[str, bytes], ...]

_ROWS = 2**16
_EXACT = 1e-9
"""Shares as people write them do not add up to 1 more exactly than this."""


@dataclass(frozen=True, eq=False)
class Conditions:
    """Sets of people, each all of whom some items are true of, and what is told of their values.

    `ratios[c, v]` is how much more likely value v is under condition c than for everybody (`base`). A condition that
    implies another one is the more specific, and what it tells goes before what the other tells.
    """

    items: tuple[tuple[str, bytes], ...]
    needs: Mask
    implies: Mask
    base: Numbers
    ratios: Numbers

    def __len__(self) -> int:
        return len(self.needs)

    @classmethod
    def of(cls, knowledge: Knowledge, table: Table) -> Conditions:
        """All conditions of rules that tell a share, in which what is never so has its place, too."""
        nearly = [rule for rule in knowledge.never if rule.share]
        told = _Told.of(table, knowledge.sensitive, [*knowledge.shares, *knowledge.likely, *nearly])
        nevers = _Told.of(table, knowledge.sensitive, [rule for rule in knowledge.never if not rule.share])
        meanings = tuple(meaning for meaning in told.stated if meaning)
        items = tuple(dict.fromkeys(item for meaning in (*meanings, *nevers.stated) for item in meaning))
        needs, barred = (_needs(some, items) for some in (meanings, tuple(nevers.stated)))
        fulfilled = (needs.astype(np.float32) @ _implied(items).astype(np.float32)) > 0
        never = _counted(~_lacking(fulfilled, barred), nevers.rows(tuple(nevers.stated)) == 0)
        everybody = told.stated.get((), {}) | nevers.stated.get((), {})
        around = table.histogram(knowledge.sensitive) / table.records
        base = completed(_row(everybody, len(around)), told.outside.get((), 0.0), around)
        made = cls(items, needs, ~_lacking(fulfilled, needs), base, np.ones((len(needs), len(base))))
        made._fill(told, meanings, never)
        return made

    def applying(self, table: Table) -> Mask:
        """Which conditions are true of each row of a table."""
        found = np.empty((len(table), len(self)), dtype=bool)
        for start in range(0, len(table), _ROWS):
            rows = slice(start, start + _ROWS)
            true_of = np.empty((len(found[rows]), len(self.items)), dtype=bool)
            for place, (column, codes) in enumerate(self.items):
                true_of[:, place] = np.frombuffer(codes, dtype=bool)[table.codes[column][rows]]
            found[rows] = ~_lacking(true_of, self.needs)
        return found

    def combined(self, applying: Mask) -> Numbers:
        """How values are spread where these conditions are true: the most specific ones, as if each told its own."""
        strict = (self.implies & ~np.eye(len(self), dtype=bool)).astype(np.float32)
        kept = (applying & ~((applying.astype(np.float32) @ strict) > 0)).astype(np.float64)
        with np.errstate(divide="ignore"):
            logs = np.where(self.ratios > 0, np.log(self.ratios), 0.0)
        found = np.where(kept @ (self.ratios == 0) > 0, 0.0, self.base * np.exp(kept @ logs))
        return summing_up(found)

    def _fill(self, told: _Told, meanings: tuple[Meaning, ...], never: Mask) -> None:
        """Work the ratios out, the most general conditions first; each builds on those that it implies."""
        stated = told.rows(meanings)
        for place in np.argsort(self.implies.sum(axis=1), kind="stable").tolist():
            below = self.implies[place] & (np.arange(len(self)) != place)
            row = np.where(never[place], 0.0, stated[place])
            spread = completed(row, told.outside.get(meanings[place], 0.0), self.combined(below[None, :])[0])
            self.ratios[place] = np.divide(spread, self.base, out=np.zeros_like(spread), where=self.base > 0)


@dataclass
class _Told:
    """The share of each value by what conditions mean, and the share of values that the table does not have."""

    values: int
    stated: dict[Meaning, dict[int, float]] = field(default_factory=dict)
    outside: dict[Meaning, float] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table, sensitive: str, rules: Iterable[Rule]) -> _Told:
        domain = table.domain(sensitive)
        made = cls(len(domain))
        for rule in dict.fromkeys((rule.when, rule.value, rule.share) for rule in rules):
            meaning = _meaning(table, rule[0])
            if meaning is not None:
                made._add(meaning, domain.code_of(rule[1]), rule[2])
        return made

    def _add(self, meaning: Meaning, code: int | None, share: float) -> None:
        here = self.stated.setdefault(meaning, {})
        if code is None:
            self.outside[meaning] = self.outside.get(meaning, 0.0) + share
        elif abs(here.setdefault(code, share) - share) > _EXACT:
            raise KnowledgeError("two rules give one value different shares under the same items; keep one of them.")

    def rows(self, meanings: tuple[Meaning, ...]) -> Numbers:
        """What is told of every value, nan where nothing is."""
        return np.array([_row(self.stated[meaning], self.values) for meaning in meanings]).reshape(-1, self.values)


def completed(stated: Numbers, outside: float, around: Numbers) -> Numbers:
    """What is told of some values, and the rest spread over the others as it was; `outside` is told of none of them.

    >>> completed(np.array([0.3, np.nan, np.nan]), 0.1, np.array([0.5, 0.25, 0.25])).round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    open_ = np.isnan(stated)
    rest = 1 - outside - float(np.nansum(stated))
    if rest < -_EXACT:
        raise KnowledgeError("the shares of the values under the same items add up to more than 1; lower some of them.")
    free = np.where(open_, around, 0.0)
    if free.sum() > 0 and rest > _EXACT:
        free *= rest / free.sum()
        return summing_up(np.where(open_, free, stated))
    return summing_up(np.where(open_, 0.0, stated))


def summing_up(rows: Numbers) -> Numbers:
    """Rows that add up to 1; those of nothing stay nothing."""
    whole = rows.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(rows, whole, out=np.zeros_like(rows), where=whole > 0), dtype=np.float64)


def _meaning(table: Table, when: tuple[Item, ...]) -> Meaning | None:
    """The codes that items are true of, by column, without those true of everybody; None if true of nobody."""
    found = []
    for item in when:
        codes = item.true_of(table.domain(item.column))
        if not codes.any():
            return None
        if not codes.all():
            found.append((item.column, codes.tobytes()))
    return tuple(sorted(found))


def _needs(meanings: tuple[Meaning, ...], items: tuple[tuple[str, bytes], ...]) -> Mask:
    place = {item: at for at, item in enumerate(items)}
    needs = np.zeros((len(meanings), len(items)), dtype=bool)
    for row, meaning in enumerate(meanings):
        needs[row, [place[item] for item in meaning]] = True
    return needs


def _implied(items: tuple[tuple[str, bytes], ...]) -> Mask:
    """Which items are true wherever another is."""
    found = np.zeros((len(items), len(items)), dtype=bool)
    codes = [np.frombuffer(mask, dtype=bool) for _, mask in items]
    for one, (column, _) in enumerate(items):
        for other, (same, _) in enumerate(items):
            found[one, other] = column == same and bool((codes[other] | ~codes[one]).all())
    return found


def _lacking(has: Mask, needs: Mask) -> Mask:
    """Whether row r lacks an item that condition c needs."""
    return _counted(~has, needs.T)


def _counted(left: Mask, right: Mask) -> Mask:
    return np.asarray((left.astype(np.float32) @ right.astype(np.float32)) > 0, dtype=np.bool_)


def _row(stated: dict[int, float], values: int) -> Numbers:
    row = np.full(values, np.nan)
    row[list(stated)] = list(stated.values())
    return row
