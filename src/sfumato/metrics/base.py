"""The contract of a metric: what a candidate costs, as one number that knows which direction is better."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.data.labels import Labels
from sfumato.data.table import Table
from sfumato.errors import ParameterError, UnsuitableError, UsageError, nearest
from sfumato.metrics.paired_numbers import Masked
from sfumato.releases.candidate import Candidate
from sfumato.settings.params import Declared

Codes = NDArray[np.int32]
Prices = NDArray[np.float64]


class Metric(Declared):
    """Base of all metrics; an author writes `_measure`.

    Facts that others read: `better` (whether a lower or a higher number is the better one), `limits` (between which
    numbers every answer lies), `kept_by_merging` (merging groups never makes the number better, so a search may stop
    where it is good enough), `needs_target` (it asks for a target column, by a setting `target` that may be left out
    where there is only one) and `needs_numbers` (how many columns must be published as numbers). The first sentence of
    a metric's docstring explains it to the reader of a report.
    """

    better: ClassVar[Literal["lower", "higher"]] = "lower"
    limits: ClassVar[tuple[float, float]] = (0.0, inf)
    kept_by_merging: ClassVar[bool] = True
    needs_target: ClassVar[bool] = False
    needs_numbers: ClassVar[int] = 0

    def suits(self, original: Table, candidate: Candidate) -> bool:
        """Whether it has anything to say about the candidate; a report passes over a metric that has not."""
        return True

    def measure(self, original: Table, candidate: Candidate) -> float:
        """What publishing the candidate in place of the original costs."""
        stands_for = candidate.published.records
        if stands_for != original.records:
            raise UsageError(
                f"the candidate stands for {stands_for} records and the original has {original.records}; "
                "measure a candidate against the table it was made from."
            )
        return float(self._measure(original, candidate))

    @abstractmethod
    def _measure(self, original: Table, candidate: Candidate) -> float:
        """The number itself; original and candidate belong together."""


@dataclass(frozen=True, eq=False)
class Cells:
    """One quasi column of a candidate, row by row: the value it had and the label it is published under."""

    column: str
    original: Table
    values: Codes
    labels: Labels
    published: Codes

    @classmethod
    def of(cls, original: Table, candidate: Candidate, column: str) -> Cells:
        """The column as the candidate publishes it; one that was left alone is published value by value."""
        found = candidate.published.domains[column]
        values, published = original.codes[column][candidate.origin], candidate.published.codes[column]
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


class CellMetric(Metric):
    """Metrics that price every cell on its own; an author writes `_price`, `_full_price` and `_measure`."""

    def per_cell(self, original: Table, candidate: Candidate) -> dict[str, Prices]:
        """For each quasi column the price of every published row's cell; a suppressed row pays the full price."""
        return {name: self._cells(original, candidate, name) for name in original.schema.quasi}

    def _cells(self, original: Table, candidate: Candidate, column: str) -> Prices:
        cells = Cells.of(original, candidate, column)
        return np.where(candidate.suppressed, self._full_price(cells), self._price(cells))

    def _totals(self, original: Table, candidate: Candidate) -> dict[str, float]:
        """The prices of all records added up, column by column."""
        counts = candidate.published.counts.astype(np.float64)
        return {name: float(prices @ counts) for name, prices in self.per_cell(original, candidate).items()}

    @abstractmethod
    def _price(self, cells: Cells) -> Prices:
        """The price of every row's cell as it is published."""

    @abstractmethod
    def _full_price(self, cells: Cells) -> Prices | float:
        """The price of every row's cell when nothing of it is published."""


class NumberMetric(Metric):
    """Metrics that compare numbers before and after masking; an author writes `_score`.

    They judge columns that are published as numbers, such as means of groups; what is published vaguer is not looked
    at, and suppressed records are left out. Merging groups may lower any of them, since nothing says which number
    stands for a group.
    """

    kept_by_merging = False
    needs_numbers = 1

    def suits(self, original: Table, candidate: Candidate) -> bool:
        """Whether enough columns are published as numbers, and not all of them as they were."""
        masked = Masked.of_candidate(candidate)
        return len(masked.columns) >= self.needs_numbers and masked.changed

    def compare(self, masked: Masked) -> float:
        """What masking cost, over the records that miss no number; where none is left, the worst there is."""
        if len(masked.columns) < self.needs_numbers:
            raise UnsuitableError(
                f"{self.name()} compares {self.needs_numbers} or more columns of numbers, and {len(masked.columns)} "
                "are published as numbers; mask or microaggregate more, or use a metric such as ncp."
            )
        complete = masked.complete
        worst = self.limits[1] if self.better == "lower" else self.limits[0]
        return float(self._score(complete)) if len(complete.counts) else worst

    def _measure(self, original: Table, candidate: Candidate) -> float:
        return self.compare(Masked.of_candidate(candidate))

    @abstractmethod
    def _score(self, masked: Masked) -> float:
        """The number itself, from at least one record and no missing number."""


def of_whole(part: float, whole: float) -> float:
    """A part as a share of the whole; nothing is no share of anything, and something of nothing is without limit.

    >>> of_whole(1, 4), of_whole(0, 0), of_whole(1, 0)
    (0.25, 0.0, inf)
    """
    return float(part / whole) if whole > 0 else 0.0 if part == 0 else inf


def weigh(weights: Mapping[str, float] | None, columns: tuple[str, ...]) -> dict[str, float]:
    """How much each column counts: 1 where nothing is said.

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
