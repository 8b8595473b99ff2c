"""The contract of a metric: it measures the information loss or utility of a release as one number.

`Metric` is the base of all metrics, `TableMetric` of those for tables. A `CellMetric` adds up the costs of published
cells; a `NumberMetric` compares columns that are published as numbers. Reports, certificates and searches call
`Metric.measure`.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from numbers import Real
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.data.labels import Labels
from sfumato.data.row_keys import Packing
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.errors import ParameterError, UnsuitableError, nearest
from sfumato.kernels.arrays import Flags
from sfumato.runtime.representations import sizes_only
from sfumato.settings.params import Declared

Codes = NDArray[np.int32]
Prices = NDArray[np.float64]
Totals = Mapping[str, Any]
"""The summed prices of every column: one number each, or an array with the numbers of several releases."""
_HEAVIEST = 1e100
"""The greatest weight of a column, so that sums of weighted prices are finite."""
Given = TypeVar("Given")
MeasuredT = TypeVar("MeasuredT")


class PublishedNumbers(Protocol):
    """Anything with published numbers whose original values are known."""

    @property
    def numbers(self) -> PairedNumbers:
        """The published numbers, paired with the original ones."""


class Measurable(PublishedNumbers, Protocol):
    """What a metric measures: a release, or a candidate that a search compares with others.

    Row i of `published` stands for `published.counts[i]` records of row `origin[i]` of the original; rows marked in
    `suppressed` are not published.
    """

    @property
    def original(self) -> Table:
        """The original table."""

    @property
    def published(self) -> Table:
        """The published rows, including suppressed ones."""

    @property
    def origin(self) -> NDArray[np.int64]:
        """The row of the original for each published row."""

    @property
    def suppressed(self) -> Flags:
        """Which of the published rows are suppressed."""

    @property
    def suppressed_records(self) -> int:
        """The number of suppressed records."""

    def record_groups(self) -> Groups:
        """Groups of records that agree in all quasi columns that are published together."""


class Metric(Declared, Generic[MeasuredT]):
    """Base of all metrics, for any kind of data; an author writes `_measure`.

    Class attributes declare facts: `better` (whether a lower or a higher number is better), `limits` (the range of
    possible results), `kept_by_merging` (merging groups never improves the number, so a search may stop early),
    `needs_target` (it needs a target column, named by a setting `target` that may be left out if there is only one),
    `needs_numbers` (how many columns must be published as numbers), `raw_sum` (the number is a sum that grows with the
    table, and says little without a scale), `has_scale` (a number between that of the unchanged table and that of the
    table as one group means something as a share of the way) and `serves` (the kinds of data it is for). The first
    sentence of the docstring of a metric explains it to the reader of a report.
    """

    better: ClassVar[Literal["lower", "higher"]] = "lower"
    limits: ClassVar[tuple[float, float]] = (0.0, inf)
    kept_by_merging: ClassVar[bool] = True
    needs_target: ClassVar[bool] = False
    needs_numbers: ClassVar[int] = 0
    raw_sum: ClassVar[bool] = False
    has_scale: ClassVar[bool] = True
    serves: ClassVar[frozenset[str]] = frozenset({"table"})

    def suits(self, release: MeasuredT) -> bool:
        """Whether the metric is meaningful for the release; a report leaves out other metrics."""
        return True

    def measure(self, release: MeasuredT, candidate: MeasuredT | None = None) -> float:
        """The cost of publishing the release in place of its original. `candidate` is deprecated."""
        return float(self._measure(_only_release(release, candidate)))

    @abstractmethod
    def _measure(self, release: MeasuredT) -> float:
        """Compute the number."""


class TableMetric(Metric[Measurable]):
    """Metrics of tables; an author writes `_measure`, which reads what `Measurable` lists."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of one quasi column of a release: original values, published labels, and whether they are suppressed.

    There is one for every row, or, where several metrics share them, one for every different cell; `counts` are the
    numbers of records.
    """

    column: str
    original: Table
    values: Codes
    labels: Labels
    published: Codes
    suppressed: Flags
    counts: NDArray[np.int64]

    def __repr__(self) -> str:
        return sizes_only(self)

    @classmethod
    def of(cls, release: Measurable, column: str) -> Cells:
        """The column as it is published; in an unchanged column every value is its own label."""
        if isinstance(release, SharedCells):
            return release.cells(column)
        original, found = release.original, release.published.domains[column]
        values, published = original.codes[column][release.origin], release.published.codes[column]
        if not isinstance(found, Labels):
            every = np.arange(len(found), dtype=np.int32)
            found, _ = Labels.of_ranges(found, original.taxonomies.get(column), every, every)
        return cls(column, original, values, found, published, release.suppressed, release.published.counts)

    def distinct(self) -> Cells:
        """The different cells, each with the number of its records."""
        keys = self.values, self.published, self.suppressed.astype(np.int32)
        packing, number = Packing.of(keys, [int(self.values.max(initial=0)) + 1, len(self.labels), 2])
        place = np.empty(len(packing), dtype=np.int64)
        place[number] = np.arange(len(number))
        counts = np.bincount(number, weights=self.counts, minlength=len(packing)).astype(np.int64)
        return replace(
            self,
            values=self.values[place],
            published=self.published[place],
            suppressed=self.suppressed[place],
            counts=counts,
        )

    @property
    def steps(self) -> int:
        """The number of steps from a value to the root of the taxonomy; 1 without a taxonomy."""
        taxonomy = self.original.taxonomies.get(self.column)
        return 1 if taxonomy is None else taxonomy.height


@dataclass(frozen=True, eq=False)
class SharedCells:
    """A release that several metrics measure: its different cells are counted once for all of them.

    There are far fewer of them than rows, so that every further metric costs next to nothing.
    """

    release: Measurable
    _counted: dict[str, Cells] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<SharedCells of {self.release!r}>"

    @classmethod
    def of(cls, release: Measurable) -> Measurable:
        """The same release for several metrics."""
        return cls(release)

    def cells(self, column: str) -> Cells:
        """The different cells of a column."""
        if column not in self._counted:
            self._counted[column] = Cells.of(self.release, column).distinct()
        return self._counted[column]

    def __getattr__(self, name: str) -> Any:
        """Everything else is as the release has it."""
        return getattr(self.release, name)


class CellMetric(TableMetric):
    """Metrics with a cost for every cell; an author writes `_price`, `_full_price` and `_combine`.

    Searches over levels compute the totals of a column from its values alone, without making a release, and of many
    nodes at once. They rely on `_combine`: if any total grows, the number never gets better.
    """

    def _measure(self, release: Measurable) -> float:
        return float(self.combined(self.totals(release), release.original))

    def combined(self, totals: Totals, original: Table) -> Any:
        """The number that follows from the summed prices of every quasi column; an array of them for arrays."""
        return self._combine(totals, original)

    def prices(self, cells: Cells) -> tuple[Prices, Prices]:
        """The price of each cell if it is published, and if it is suppressed."""
        full = np.broadcast_to(np.asarray(self._full_price(cells), dtype=np.float64), cells.values.shape)
        return self._price(cells), full

    @abstractmethod
    def _combine(self, totals: Totals, original: Table) -> Any:
        """Compute the number from the summed prices of every quasi column, element by element for arrays."""

    def per_cell(self, release: Measurable) -> dict[str, Prices]:
        """For each quasi column the price of the cell in every row; cells of suppressed rows have the full price."""
        return {name: self._prices(Cells.of(release, name)) for name in release.original.schema.quasi}

    def _prices(self, cells: Cells) -> Prices:
        return np.where(cells.suppressed, self._full_price(cells), self._price(cells))

    def totals(self, release: Measurable) -> dict[str, float]:
        """For each quasi column the sum of the prices over all records."""
        columns = {name: Cells.of(release, name) for name in release.original.schema.quasi}
        return {name: float(self._prices(cells) @ cells.counts) for name, cells in columns.items()}

    @abstractmethod
    def _price(self, cells: Cells) -> Prices:
        """The price of the published cell in every row."""

    @abstractmethod
    def _full_price(self, cells: Cells) -> Prices | float:
        """The price of the cell in every row if it is suppressed."""


class NumberMetric(TableMetric):
    """Metrics that compare numbers before and after masking; an author writes `_score`.

    They use the columns that are published as numbers, such as means of groups, and ignore columns that are published
    as ranges or categories. Suppressed records and records with a missing number are left out. Merging groups may
    improve any of these metrics, because a group may be published as any number.
    """

    kept_by_merging = False
    needs_numbers = 1

    def suits(self, release: PublishedNumbers) -> bool:
        """Whether enough columns are published as numbers, and at least one of them is changed."""
        return len(release.numbers.columns) >= self.needs_numbers and release.numbers.changed

    def measure(self, release: PublishedNumbers, candidate: PublishedNumbers | None = None) -> float:
        """The cost of masking over the records without missing numbers; the worst limit if no record is left."""
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
        """Compute the number from at least one record, without missing numbers."""


def _only_release(release: Given, candidate: Given | None) -> Given:
    """The release to measure: the second argument in the deprecated form `measure(original, candidate)`."""
    if candidate is None:
        return release
    warnings.warn(
        "measure(original, candidate) is deprecated; call measure(candidate) or measure(release) now.",
        DeprecationWarning,
        stacklevel=3,
    )
    return candidate


def of_whole(part: float, whole: float) -> float:
    """A part divided by the whole: 0 for 0 / 0, and infinity for x / 0.

    >>> of_whole(1, 4), of_whole(0, 0), of_whole(1, 0)
    (0.25, 0.0, inf)
    """
    return float(part / whole) if whole > 0 else 0.0 if part == 0 else inf


def weigh(weights: Mapping[str, float] | None, columns: tuple[str, ...]) -> dict[str, float]:
    """The weight of each column: 1 if none is given.

    >>> weigh({"Age": 2}, ("Job", "Age"))
    {'Job': 1.0, 'Age': 2.0}
    """
    given = dict(weights or {})
    for name, weight in given.items():
        if name not in columns:
            raise ParameterError(f"'weights' names {name!r}, which is not a quasi column; {nearest(name, columns)}")
        is_number = isinstance(weight, Real) and not isinstance(weight, bool)
        plain = float(weight) if isinstance(weight, np.floating) else weight  # few bits cannot hold the bound
        if not (is_number and 0 <= plain <= _HEAVIEST):
            got = repr(weight) if weight is None or isinstance(weight, (str, bool, float)) else type(weight).__name__
            raise ParameterError(f"the weight of {name!r} must be a number >= 0 and <= {_HEAVIEST:g}; got {got}.")
    found = {name: float(given.get(name, 1.0)) for name in columns}
    if not any(found.values()):
        raise ParameterError("'weights' must give at least one quasi column a weight above 0; got only zeros.")
    return found
