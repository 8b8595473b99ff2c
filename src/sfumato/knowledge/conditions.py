"""Conditions: the sets of persons that rules describe, and the distribution of sensitive values in each set.

`priors` calls this module to turn rules into a probability of every value for every record.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.errors import KnowledgeError
from sfumato.kernels.arrays import Flags
from sfumato.knowledge.item import Item
from sfumato.knowledge.knowledge import Knowledge
from sfumato.knowledge.rule import Rule

Numbers = NDArray[np.float64]
Meaning = tuple[tuple[str, bytes], ...]

_ROWS = 2**16
"""The number of rows that are compared with all conditions at once, which limits the memory of the matrices."""
_EXACT = 1e-9
"""Tolerance for shares that should add up to 1; hand-written shares are no more precise than this."""


@dataclass(frozen=True, eq=False)
class Conditions:
    """Conditions (sets of items that hold together) and the distribution of sensitive values under each.

    `items` are the distinct items as (column, mask of codes); `needs[c, i]` says that condition c includes item i;
    `implies[c, d]` that condition d holds wherever c does. `base` is the distribution over all records, and
    `ratios[c, v]` is how much more likely value v is under condition c than in `base`. A condition that implies
    another one is more specific, and its shares take precedence.
    """

    items: tuple[tuple[str, bytes], ...]
    needs: Flags
    implies: Flags
    base: Numbers
    ratios: Numbers

    def __len__(self) -> int:
        return len(self.needs)

    @classmethod
    def of(cls, knowledge: Knowledge, table: Table) -> Conditions:
        """The conditions of all rules that state a share; rules of kind `never` set shares of 0 under them."""
        # A negative rule with exceptions states a small share and is treated like any other share. A strict one
        # (share 0) is applied to every condition that implies its items, not only to its own.
        nearly = [rule for rule in knowledge.never if rule.share]
        stated_shares = _StatedShares.of(table, knowledge.sensitive, [*knowledge.shares, *knowledge.likely, *nearly])
        nevers = _StatedShares.of(table, knowledge.sensitive, [rule for rule in knowledge.never if not rule.share])
        meanings = tuple(meaning for meaning in stated_shares.shares if meaning)
        items = tuple(dict.fromkeys(item for meaning in (*meanings, *nevers.shares) for item in meaning))
        needs, barred = (_needs(some, items) for some in (meanings, tuple(nevers.shares)))
        # `fulfilled[c, i]`: item i holds under condition c, because
        # c needs an item whose codes are a subset of those of i.
        fulfilled = (needs.astype(np.float32) @ _implications(items).astype(np.float32)) > 0
        # `never[c, v]`: some strict negative rule about value v applies wherever condition c holds.
        never = _any_in_common(~_lacks_item(fulfilled, barred), nevers.rows(tuple(nevers.shares)) == 0)
        # The empty meaning is everybody: its shares are the base,
        # and a strict negative rule takes precedence over a share.
        overall = stated_shares.shares.get((), {}) | nevers.shares.get((), {})
        around = table.histogram(knowledge.sensitive) / table.records
        base = complete_shares(_row(overall, len(around)), stated_shares.outside.get((), 0.0), around)
        made = cls(items, needs, ~_lacks_item(fulfilled, needs), base, np.ones((len(needs), len(base))))
        made._fill(stated_shares, meanings, never)
        return made

    def matches(self, table: Table) -> Flags:
        """Which conditions hold for each row of a table."""
        found = np.empty((len(table), len(self)), dtype=bool)
        for start in range(0, len(table), _ROWS):
            rows = slice(start, start + _ROWS)
            true_of = np.empty((len(found[rows]), len(self.items)), dtype=bool)
            for place, (column, codes) in enumerate(self.items):
                true_of[:, place] = np.frombuffer(codes, dtype=bool)[table.codes[column][rows]]
            found[rows] = ~_lacks_item(true_of, self.needs)
        return found

    def distribution(self, matches: Flags) -> Numbers:
        """The distribution of values where these conditions hold, one row per row of `matches`.

        Only the most specific conditions count. Their ratios are multiplied, as if they were independent (naive Bayes).
        """
        # A condition that another matching condition implies is more general than that one, and is dropped: its
        # information is contained in the ratios of the specific one (see `_fill`).
        strict = (self.implies & ~np.eye(len(self), dtype=bool)).astype(np.float32)
        kept = (matches & ~((matches.astype(np.float32) @ strict) > 0)).astype(np.float64)
        with np.errstate(divide="ignore"):
            # Products of ratios as sums of logarithms, in one matrix product. Ratios of 0 have no logarithm and are
            # handled by the next line: one of them is enough to rule a value out.
            logs = np.where(self.ratios > 0, np.log(self.ratios), 0.0)
        found = np.where(kept @ (self.ratios == 0) > 0, 0.0, self.base * np.exp(kept @ logs))
        return normalize_rows(found)

    def _fill(self, stated_shares: _StatedShares, meanings: tuple[Meaning, ...], never: Flags) -> None:
        """Compute the ratios, the most general conditions first, because each builds on those that it implies."""
        stated = stated_shares.rows(meanings)
        # A condition implies strictly more conditions than any condition that it implies, so general conditions come
        # first. Equal conditions cannot occur, because `_meaning` gives them one key.
        for place in np.argsort(self.implies.sum(axis=1), kind="stable").tolist():
            below = self.implies[place] & (np.arange(len(self)) != place)
            row = np.where(never[place], 0.0, stated[place])
            spread = complete_shares(
                row, stated_shares.outside.get(meanings[place], 0.0), self.distribution(below[None, :])[0]
            )
            self.ratios[place] = np.divide(spread, self.base, out=np.zeros_like(spread), where=self.base > 0)


@dataclass
class _StatedShares:
    """The shares that rules state, by condition: of values in the table, and in total of values not in the table."""

    values: int
    shares: dict[Meaning, dict[int, float]] = field(default_factory=dict)
    outside: dict[Meaning, float] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table, sensitive: str, rules: Iterable[Rule]) -> _StatedShares:
        domain = table.domain(sensitive)
        made = cls(len(domain))
        for rule in dict.fromkeys((rule.when, rule.value, rule.share) for rule in rules):
            meaning = _meaning(table, rule[0])
            if meaning is not None:
                made._add(meaning, domain.code_of(rule[1]), rule[2])
        return made

    def _add(self, meaning: Meaning, code: int | None, share: float) -> None:
        here = self.shares.setdefault(meaning, {})
        if code is None:
            self.outside[meaning] = self.outside.get(meaning, 0.0) + share
        # The same rule may be stated twice, for example by a miner and by hand, as long as both agree.
        elif abs(here.setdefault(code, share) - share) > _EXACT:
            raise KnowledgeError("two rules give one value different shares under the same items; keep one of them.")

    def rows(self, meanings: tuple[Meaning, ...]) -> Numbers:
        """The stated share of every value under each condition, nan where no rule states one."""
        return np.array([_row(self.shares[meaning], self.values) for meaning in meanings]).reshape(-1, self.values)


def complete_shares(stated: Numbers, outside: float, around: Numbers) -> Numbers:
    """Complete stated shares to a distribution: values without a share divide the rest in proportion to `around`.

    `stated` is nan where no share is stated; `outside` is the share of values that the table does not have.

    >>> complete_shares(np.array([0.3, np.nan, np.nan]), 0.1, np.array([0.5, 0.25, 0.25])).round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    open_ = np.isnan(stated)
    rest = 1 - outside - float(np.nansum(stated))
    if rest < -_EXACT:
        raise KnowledgeError("the shares of the values under the same items add up to more than 1; lower some of them.")
    # Nothing is left to divide, or nobody to give it to; then the stated shares are scaled to a sum of 1 instead.
    free = np.where(open_, around, 0.0)
    if free.sum() > 0 and rest > _EXACT:
        free *= rest / free.sum()
        return normalize_rows(np.where(open_, free, stated))
    return normalize_rows(np.where(open_, 0.0, stated))


def normalize_rows(rows: Numbers) -> Numbers:
    """Scale every row to a sum of 1; rows of zeros stay as they are."""
    whole = rows.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(rows, whole, out=np.zeros_like(rows), where=whole > 0), dtype=np.float64)


def _meaning(table: Table, when: tuple[Item, ...]) -> Meaning | None:
    """A canonical form of items: the covered codes by column. None if an item covers no value of the table.

    Items that cover every value are dropped, so that different spellings of one condition become equal.
    """
    found = []
    for item in when:
        codes = item.true_of(table.domain(item.column))
        if not codes.any():
            return None
        if not codes.all():
            found.append((item.column, codes.tobytes()))
    return tuple(sorted(found))


def _needs(meanings: tuple[Meaning, ...], items: tuple[tuple[str, bytes], ...]) -> Flags:
    place = {item: at for at, item in enumerate(items)}
    needs = np.zeros((len(meanings), len(items)), dtype=bool)
    for row, meaning in enumerate(meanings):
        needs[row, [place[item] for item in meaning]] = True
    return needs


def _implications(items: tuple[tuple[str, bytes], ...]) -> Flags:
    """`found[i, j]`: item j holds wherever item i holds."""
    found = np.zeros((len(items), len(items)), dtype=bool)
    codes = [np.frombuffer(mask, dtype=bool) for _, mask in items]
    for one, (column, _) in enumerate(items):
        for other, (same, _) in enumerate(items):
            found[one, other] = column == same and bool((codes[other] | ~codes[one]).all())
    return found


def _lacks_item(has: Flags, needs: Flags) -> Flags:
    """`found[r, c]`: row r lacks at least one item that condition c needs."""
    return _any_in_common(~has, needs.T)


def _any_in_common(left: Flags, right: Flags) -> Flags:
    # A product of 0/1 matrices counts the common entries. It runs in BLAS, which integer and boolean products do not,
    # and float32 cannot round a positive count to 0.
    return np.asarray((left.astype(np.float32) @ right.astype(np.float32)) > 0, dtype=np.bool_)


def _row(stated: dict[int, float], values: int) -> Numbers:
    row = np.full(values, np.nan)
    row[list(stated)] = list(stated.values())
    return row
