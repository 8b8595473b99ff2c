"""The contract of a metric: what a release costs, as one number that says which direction is better.

`Metric` is the base of all, `TableMetric` of those that measure tables. `CellMetric` adds up what every published cell
costs; `NumberMetric` compares columns that are published as numbers. Reports, certificates and searches measure through
`Metric.measure`.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import ClassVar, Generic, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.data.labels import Labels
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.errors import ParameterError, UnsuitableError, nearest
from sfumato.settings.params import Declared

Codes = NDArray[np.int32]
Prices = NDArray[np.float64]
Given = TypeVar("Given")
MeasuredT = TypeVar("MeasuredT")


class PublishedNumbers(Protocol):
    """Whatever publishes numbers whose original ones are known."""

    @property
    def numbers(self) -> PairedNumbers:
        """The published numbers beside the original ones."""


class Measurable(PublishedNumbers, Protocol):
    """What a metric measures: a candidate, which searches compare with others, or a release.

    Row i of `published` stands for `published.counts[i]` records of row `origin[i]` of the original; rows marked in
    `suppressed` are left out.
    """

    @property
    def original(self) -> Table:
        """The table that it was made from."""

    @property
    def published(self) -> Table:
        """The rows as they are published."""

    @property
    def origin(self) -> NDArray[np.int64]:
        """The row of the original that each published row stands for."""

    @property
    def suppressed(self) -> NDArray[np.bool_]:
        """The published rows that are left out."""

    @property
    def suppressed_records(self) -> int:
        """How many records are left out."""

    def record_groups(self) -> Groups:
        """Records that cannot be told apart by the quasi columns that are published together."""


class Metric(Declared, Generic[MeasuredT]):
    """Base of all metrics, for any kind of data; an author writes `_measure`.

    Facts that others read: `better` (whether a lower or a higher number is the better one), `limits` (between which
    numbers every answer lies), `kept_by_merging` (merging groups never makes the number better, so a search may stop
    where it is good enough), `needs_target` (it needs a target column, named by a setting `target` that may be left out
    where there is only one), `needs_numbers` (how many columns must be published as numbers) and `serves` (the kinds of
    data it is for). The first sentence of a metric's docstring explains it to the reader of a report.
    """

    better: ClassVar[Literal["lower", "higher"]] = "lower"
    limits: ClassVar[tuple[float, float]] = (0.0, inf)
    kept_by_merging: ClassVar[bool] = True
    needs_target: ClassVar[bool] = False
    needs_numbers: ClassVar[int] = 0
    serves: ClassVar[frozenset[str]] = frozenset({"table"})

    def suits(self, release: MeasuredT) -> bool:
        """Whether it has anything to say about the release; a report leaves out a metric that has not."""
        return True

    def measure(self, release: MeasuredT, candidate: MeasuredT | None = None) -> float:
        """What publishing the release in place of its original costs. `candidate` is of an earlier way to call it."""
        return float(self._measure(_only_release(release, candidate)))

    @abstractmethod
    def _measure(self, release: MeasuredT) -> float:
        """The number itself."""


class TableMetric(Metric[Measurable]):
    """Metrics of tables; an author writes `_measure`, which reads what `Measurable` lists."""


@dataclass(frozen=True, eq=False)
class Cells:
    """One quasi column of a release, row by row: the value it had and the label it is published under."""

    column: str
    original: Table
    values: Codes
    labels: Labels
    published: Codes

    @classmethod
    def of(cls, release: Measurable, column: str) -> Cells:
        """The column as the release publishes it; an unchanged column publishes every value as it is."""
        original, found = release.original, release.published.domains[column]
        values, published = original.codes[column][release.origin], release.published.codes[column]
        if isinstance(found, Labels):
            return cls(column, original, values, found, published)
        every = np.arange(len(found), dtype=np.int32)
        labels, _ = Labels.of_ranges(found, original.taxonomies.get(column), every, every)
        return cls(column, original, values, labels, published)

    @property
    def steps(self) -> int:
        """How many steps lead from a value to the vaguest label; one where there is no taxonomy."""
        taxonomy = self.original.taxonomies.get(self.column)
        return 1 if taxonomy is None else taxonomy.height


class CellMetric(TableMetric):
    """Metrics that price every cell on its own; an author writes `_price`, `_full_price` and `_measure`."""

    def per_cell(self, release: Measurable) -> dict[str, Prices]:
        """For each quasi column the price of every published row's cell; a suppressed row pays the full price."""
        return {name: self._cells(release, name) for name in release.original.schema.quasi}

    def _cells(self, release: Measurable, column: str) -> Prices:
        cells = Cells.of(release, column)
        return np.where(release.suppressed, self._full_price(cells), self._price(cells))

    def _totals(self, release: Measurable) -> dict[str, float]:
        """The prices of all records added up, column by column."""
        counts = release.published.counts.astype(np.float64)
        return {name: float(prices @ counts) for name, prices in self.per_cell(release).items()}

    @abstractmethod
    def _price(self, cells: Cells) -> Prices:
        """The price of every row's cell as it is published."""

    @abstractmethod
    def _full_price(self, cells: Cells) -> Prices | float:
        """The price of every row's cell when nothing of it is published."""


class NumberMetric(TableMetric):
    """Metrics that compare numbers before and after masking; an author writes `_score`.

    They read the columns that are published as numbers, such as means of groups, and no column that is published as
    ranges or categories. Suppressed records, and records that miss a number, are left out. Merging groups may lower any
    of these metrics, because the number that stands for a group is not fixed.
    """

    kept_by_merging = False
    needs_numbers = 1

    def suits(self, release: PublishedNumbers) -> bool:
        """Whether enough columns are published as numbers, and not all of them unchanged."""
        return len(release.numbers.columns) >= self.needs_numbers and release.numbers.changed

    def measure(self, release: PublishedNumbers, candidate: PublishedNumbers | None = None) -> float:
        """What masking cost, over the records that miss no number; the worst limit where no record is left."""
        return float(self._measure(_only_release(release, candidate)))

    def _measure(self, release: PublishedNumbers) -> float:
        numbers = release.numbers
        if len(numbers.columns) < self.needs_numbers:
            raise UnsuitableError(
                f"{self.name()} compares {self.needs_numbers} or more columns of numbers, and {len(numbers.columns)} "
                "are published as numbers; mask or microaggregate more, or use a metric such as ncp."
            )
        worst = self.limits[1] if self.better == "lower" else self.limits[0]
        return self._score(numbers.complete) if len(numbers.complete.counts) else worst

    @abstractmethod
    def _score(self, numbers: PairedNumbers) -> float:
        """The number itself, from at least one record and no missing number."""


def _only_release(release: Given, candidate: Given | None) -> Given:
    """What is to be measured, also where it is the second argument, after its original."""
    if candidate is None:
        return release
    warnings.warn(
        "measure(original, candidate) is called measure(candidate) or measure(release) now; both know their original.",
        DeprecationWarning,
        stacklevel=3,
    )
    return candidate


def of_whole(part: float, whole: float) -> float:
    """A part as a share of the whole: 0 for 0 of 0, and infinity for more than 0 of 0.

    >>> of_whole(1, 4), of_whole(0, 0), of_whole(1, 0)
    (0.25, 0.0, inf)
    """
    return float(part / whole) if whole > 0 else 0.0 if part == 0 else inf


def weigh(weights: Mapping[str, float] | None, columns: tuple[str, ...]) -> dict[str, float]:
    """How much each column counts: 1 where no weight is given.

    >>> weigh({"Age": 2}, ("Job", "Age"))
    {'Job': 1.0, 'Age': 2.0}
    """
    given = dict(weights or {})
    for name, weight in given.items():
        if name not in columns:
            raise ParameterError(f"'weights' names {name!r}, which is not a quasi column; {nearest(name, columns)}")
        if not 0 <= weight < inf:
            raise ParameterError(f"the weight of {name!r} must be a number >= 0; got {weight!r}.")
    found = {name: float(given.get(name, 1.0)) for name in columns}
    if not any(found.values()):
        raise ParameterError("'weights' must leave at least one quasi column a weight above 0; got only zeros.")
    return found
