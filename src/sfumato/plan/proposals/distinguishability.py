"""How well sets of columns distinguish the records of a table, and which persons they single out.

`proposal` proposes quasi-identifiers by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.row_keys import Packing
from sfumato.engines.base import Counted
from sfumato.runtime.representations import sizes_only

_SINGLES_OUT_NEARLY_ALL = 0.8
"""The share of persons from which a set of columns is not searched further."""
_MOST_DISTINGUISHING = 10
"""Columns among which small sets are searched: 175 sets of up to three."""


@dataclass(frozen=True)
class Separation:
    """How well a set of columns distinguishes records.

    `distinct` is the number of different combinations divided by the number of records; 1 means that the columns are a
    key. `separated` is the share of pairs of records that differ in at least one of the columns.

    >>> Separation.of_sizes(np.array([1, 1, 1, 2, 2]))
    Separation(distinct=0.7142857142857143, separated=0.9047619047619048)

    References: Motwani and Xu (2007), Efficient Algorithms for Masking and Finding Quasi-Identifiers.
    """

    distinct: float
    separated: float

    @classmethod
    def of_sizes(cls, sizes: NDArray[np.int64]) -> Separation:
        """Compute both ratios from the number of records of each combination."""
        records = int(sizes.sum())
        if records < 2:
            return cls(float(records > 0), 0.0)
        equal_pairs = float((sizes * (sizes - 1.0)).sum())
        return cls(len(sizes) / records, 1 - equal_pairs / (records * (records - 1.0)))

    @classmethod
    def of_columns(cls, counted: Counted, columns: Sequence[str]) -> Separation:
        """Compute both ratios for some columns of counted rows."""
        if not columns:
            return cls.of_sizes(np.array([counted.counts.sum()]))
        number = _numbered(counted, columns)
        return cls.of_sizes(np.bincount(number, weights=counted.counts).astype(np.int64))


@dataclass(frozen=True)
class Agreement:
    """How often two random records agree in a column: `within`, if they agree in another one, and `overall`.

    A column of which `within` is 1 depends on the other: a value of that one fixes its value.

    >>> codes = {"a": np.array([0, 0, 1]), "b": np.array([0, 0, 1])}
    >>> Agreement.of(Counted({"a": "xy", "b": "uv"}, codes, np.array([1, 2, 3])), "a", "b")
    Agreement(within=1.0, overall=0.4)
    """

    within: float
    overall: float

    @classmethod
    def of(cls, counted: Counted, key: str, column: str, rows: NDArray[np.bool_] | None = None) -> Agreement:
        """Count it in some rows, or in all; `within` is 0 if no two records agree in the first column."""
        chosen = np.ones(len(counted.counts), dtype=bool) if rows is None else rows
        sizes = [
            np.bincount(_numbered(counted, names)[chosen], weights=counted.counts[chosen])
            for names in ([key], [key, column], [column])
        ]
        same_key, same_both, same_column = (float((size * (size - 1.0)).sum()) for size in sizes)
        records = float(counted.counts[chosen].sum())
        overall = same_column / (records * (records - 1.0)) if records > 1 else 1.0
        return cls(same_both / same_key if same_key else 0.0, overall)


def variance_within(
    counted: Counted, key: str, column: str, numbers: NDArray[np.float64], rows: NDArray[np.bool_]
) -> float:
    """The variance of a column of numbers among records with the same key, as a share of that among all; 1 if unknown.

    It is about 1 if the column does not depend on the key. `numbers` has the number of each written value.
    """
    values, counts = numbers[counted.codes[column]], counted.counts
    chosen = rows & np.isfinite(values)
    values, counts, group = (
        values[chosen],
        counts[chosen],
        np.unique(counted.codes[key][chosen], return_inverse=True)[1],
    )
    records = counts.sum()
    if not len(group) or records <= group.max() + 1:
        return 1.0
    overall = float((counts * (values - np.average(values, weights=counts)) ** 2).sum() / (records - 1))
    sizes = np.bincount(group, weights=counts)
    means = np.bincount(group, weights=counts * values) / sizes
    within = float((counts * (values - means[group]) ** 2).sum() / (records - len(sizes)))
    return within / overall if overall else 1.0


@dataclass(frozen=True)
class ColumnSet:
    """A set of columns, and the share of persons who are the only ones with their values in it."""

    columns: tuple[str, ...]
    unique: float


@dataclass(frozen=True, eq=False)
class Individuals:
    """The persons of counted rows, and how many of them a set of columns singles out.

    `person` is the column of the person key; without one, every record is a person.
    """

    counted: Counted
    person: str = ""

    def __repr__(self) -> str:
        return sizes_only(self)

    @cached_property
    def number(self) -> int:
        """The number of persons."""
        return len(np.unique(self._persons))

    @cached_property
    def unit(self) -> str:
        """What is counted: records or persons."""
        return "persons" if self.person else "records"

    def unique(self, columns: Sequence[str]) -> float:
        """The share of persons who are the only ones with one of their combinations of values."""
        return self._alone_among(self._numbers(columns), self.number - 1, only=True)

    def alone_among(self, columns: Sequence[str], others: int) -> float:
        """The expected share of persons with a record whose combination of values none of so many random others has.

        Records of a group agree in all quasi columns, and columns that are published unchanged may still single persons
        out. If these columns do not depend on the quasi columns, this is how often they do if every record is in a
        group of `others` + 1 persons.
        """
        return self._alone_among(self._numbers(columns), others)

    def plain_columns(self, columns: Sequence[str], others: int, most: float) -> list[str]:
        """The columns that together leave at most a share of persons alone among so many others, greedily.

        A column that singles out few persons comes first. If there are as many others as persons, persons who are
        unique count.
        """
        only = others >= self.number - 1
        numbers = {name: self._numbers([name]) for name in columns}
        shares = {name: self._alone_among(number, others, only=only) for name, number in numbers.items()}
        kept: list[str] = []
        together = np.zeros(len(self.counted.counts), dtype=np.int64)
        for name in sorted((name for name in columns if shares[name] <= most), key=shares.__getitem__):
            number = numbers[name]
            _, joined = Packing.of([together, number], [int(together.max()) + 1, int(number.max()) + 1])
            if self._alone_among(joined.astype(np.int64), others, only=only) <= most:
                kept.append(name)
                together = joined.astype(np.int64)
        return [name for name in columns if name in kept]

    def small_sets(
        self, columns: Sequence[str], least: float, *, most_columns: int = 3, also: Sequence[str] = ()
    ) -> list[ColumnSet]:
        """The small sets of columns that single out at least a share of persons, those that single out most first.

        They are searched among the columns with most different values. A set is left out if it adds little to a part of
        it: if it neither doubles the share nor reaches half of the persons whom the part leaves. `also` is a larger set
        that is looked at beside them; it comes first.
        """
        by_values = sorted(columns, key=lambda name: -len(self.counted.raw[name]))[:_MOST_DISTINGUISHING]
        chosen = [name for name in columns if name in by_values]
        shares: dict[tuple[str, ...], float] = {}
        found: list[ColumnSet] = []
        for size in range(1, most_columns + 1):
            for one in combinations(chosen, size):
                part = max((shares[smaller] for smaller in combinations(one, size - 1) if smaller), default=0.0)
                if part >= _SINGLES_OUT_NEARLY_ALL:
                    shares[one] = part
                    continue
                shares[one] = max(part, self.unique(one))
                if shares[one] >= max(least, min(2 * part, (1 + part) / 2)):
                    found.append(ColumnSet(one, shares[one]))
        found.sort(key=lambda one: (-one.unique, len(one.columns)))
        if len(also) > most_columns and (unique := self.unique(also)) >= least:
            return [ColumnSet(tuple(also), unique), *found]
        return found

    def partners(self, name: str, others: Sequence[str], *, most: int = 2) -> Iterator[tuple[ColumnSet, float]]:
        """A column alone, then with one other column, then with two; `most` is the largest number of others.

        Each time that other column is added with which the column makes most additional persons unique. The second
        number is the share of persons whom the others make unique without the column.
        """
        chosen: tuple[str, ...] = ()
        yield ColumnSet((name,), self.unique([name])), 0.0
        left = sorted(others, key=lambda other: -len(self.counted.raw[other]))[:_MOST_DISTINGUISHING]
        for _ in range(min(most, len(left))):
            found = []
            for other in (other for other in left if other not in chosen):
                with_it = ColumnSet((name, *chosen, other), self.unique((name, *chosen, other)))
                found.append((with_it, self.unique((*chosen, other))))
            best = max(found, key=lambda pair: pair[0].unique - pair[1])
            chosen = best[0].columns[1:]
            yield best

    @cached_property
    def _persons(self) -> NDArray[np.int64]:
        """The number of the person of each row; a row without a person key is a person of its own."""
        rows = len(self.counted.counts)
        if not self.person:
            return np.arange(rows)
        codes = self.counted.codes[self.person].astype(np.int64)
        without = np.array([text is None for text in self.counted.raw[self.person]], dtype=bool)[codes]
        return np.where(without, len(self.counted.raw[self.person]) + np.arange(rows), codes)

    def _are_alone(self, number: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each person is the only one with one of these combinations; found without sorting."""
        person = self._person_numbers
        owner = np.zeros(int(number.max()) + 1, dtype=np.int64)
        owner[number] = person  # the last record of each combination wins
        shared = np.zeros(len(owner), dtype=bool)
        shared[number[owner[number] != person]] = True
        alone = np.zeros(self.number, dtype=bool)
        alone[person[~shared[number]]] = True
        return alone

    @cached_property
    def _person_numbers(self) -> NDArray[np.int64]:
        """The same as consecutive numbers from 0."""
        return np.unique(self._persons, return_inverse=True)[1].astype(np.int64)

    def _numbers(self, columns: Sequence[str]) -> NDArray[np.int64]:
        return _numbered(self.counted, columns)

    def _alone_among(self, number: NDArray[np.int64], others: int, *, only: bool = False) -> float:
        """The share of persons with a combination that none of so many others has; if `only`, that nobody has."""
        sizes = np.bincount(number, weights=self.counted.counts).astype(np.float64)
        if not self.person:
            alone = (sizes == 1).astype(np.float64) if only else _none_of(sizes, others)
            return float((sizes * alone).sum() / sizes.sum())
        if only:
            return float(self._are_alone(number).mean())
        with np.errstate(divide="ignore"):  # a person who is alone for sure has the logarithm of zero
            hidden = np.log1p(-_none_of(sizes, others))[number]
        return float(-np.expm1(np.bincount(self._person_numbers, weights=hidden)).mean())


def _none_of(sizes: NDArray[np.float64], others: int) -> NDArray[np.float64]:
    """For combinations of these sizes, the chance that none of so many random other records has the same one."""
    records = sizes.sum()
    if records < 2:
        return np.ones(len(sizes))
    return np.asarray(np.clip((records - sizes) / (records - 1), 0, 1) ** others)


def _numbered(counted: Counted, columns: Sequence[str]) -> NDArray[np.int64]:
    """The number of the combination of values of each row."""
    radices = [max(len(counted.raw[name]), 1) for name in columns]
    _, number = Packing.of([counted.codes[name] for name in columns], radices)
    return number.astype(np.int64)
