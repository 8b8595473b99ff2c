"""(k,e)-anonymity: the sensitive numbers of every group are different and span a wide range."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups, Histogram
from sfumato.errors import SchemaError
from sfumato.kernels.arrays import Flags
from sfumato.models.distinct_l_diversity import DistinctLDiversity
from sfumato.models.group_model import GroupModel, quasi_setting, sensitive_setting
from sfumato.models.search_bounds import LESS_THAN_ONE, RunBounds, SearchBounds
from sfumato.settings.params import param

Numbers = NDArray[np.float64]

_ULPS = 4
"""Tolerance in units in the last place: 0.3 - 0.1 is slightly less than 0.2 in binary and must satisfy e = 0.2."""


@dataclass(frozen=True, kw_only=True)
class KEAnonymity(GroupModel):
    """Every group has at least k different values of a numerical sensitive column, with a range of at least e.

    Ten salaries between 30 and 31 are different and still disclose a salary; so the largest and the smallest value of a
    group must differ by at least e. The distribution between them is not bounded: one distant value suffices. The level
    is the smaller of the number of values over k and the range over e; a group below 1 fails. A missing value counts as
    a value but does not widen the range. For dates, e is a number of days.

    >>> from sfumato.data.schema import Schema
    >>> pay = {"job": ["artist"] * 4, "salary": ["30", "31", "33", "80"]}
    >>> groups = Groups.of(Table.of_rows(Schema.of(quasi=["job"], sensitive=["salary"]), pay), ["job"])
    >>> KEAnonymity(k=4, e=50).holds(groups).tolist(), KEAnonymity(k=4, e=51).holds(groups).tolist()
    ([True], [False])

    References: Zhang, Koudas, Srivastava and Yu (2007); book, section 2.2.7.
    """

    guards_against = frozenset({"attribute linkage"})
    about_distances = True

    k: int = param(doc="fewest different sensitive values in a group", at_least=1)
    e: float = param(doc="least difference between the largest and the smallest value of a group", at_least=0)
    sensitive: str = sensitive_setting()
    quasi: str = quasi_setting()

    @property
    def required(self) -> float:
        """Level 1: both k values and the range e."""
        return 1.0

    def with_knowledge(self, table: Table | None) -> KEAnonymity:
        """The model itself; raises an error for a column of texts before a search starts."""
        if table is not None:
            self.numbers(table.domain(table.schema.one_sensitive(self.sensitive)))
        return self

    def level(self, groups: Groups) -> Numbers:
        """The number of values over k or the range over e, whichever is smaller."""
        variety = self._variety.level(groups) / self.k
        if self.e == 0:
            return variety
        low, high = self.ends(groups)
        return np.minimum(variety, np.maximum(high - low, 0) / self.e)

    def holds(self, groups: Groups) -> Flags:
        """Whether each group has k different values with a range of at least e."""
        low, high = self.ends(groups)
        return np.asarray(self._variety.holds(groups) & (high - low >= self._least_range(groups)), dtype=np.bool_)

    @property
    def bounds(self) -> SearchBounds:
        """Different values need different records, and a range needs two records."""
        return _Bounds(self)

    @cached_property
    def _variety(self) -> DistinctLDiversity:
        return DistinctLDiversity(l=self.k, sensitive=self.sensitive)

    def _histogram(self, groups: Groups) -> Histogram:
        return groups.histogram(groups.schema.one_sensitive(self.sensitive))

    def _domain(self, groups: Groups) -> Domain:
        return groups.domain(groups.schema.one_sensitive(self.sensitive))

    def numbers(self, domain: Domain) -> Numbers:
        """The position of each value; NaN for a missing one. Raises an error for texts."""
        if domain.numbers is None:
            raise SchemaError(
                f"{self} needs numbers or dates, and the values of {domain.column!r} are texts; "
                "use distinct_l_diversity, or declare the column as numbers."
            )
        return domain.numbers

    def ends(self, groups: Groups) -> tuple[Numbers, Numbers]:
        """The smallest and the largest value of each group; infinity and -infinity if all are missing."""
        histogram = self._histogram(groups)
        place = self.numbers(self._domain(groups))[histogram.values]
        if not len(groups):
            return place, place
        low = np.minimum.reduceat(np.where(np.isnan(place), np.inf, place), histogram.starts[:-1])
        high = np.maximum.reduceat(np.where(np.isnan(place), -np.inf, place), histogram.starts[:-1])
        return low, high

    def _least_range(self, groups: Groups) -> float:
        return self.span(self.numbers(self._domain(groups)))

    def span(self, numbers: Numbers) -> float:
        """The least range of a group, with the tolerance for rounding; -infinity if e is 0."""
        if self.e == 0:
            return -np.inf
        widest = max(float(np.nanmax(np.abs(numbers), initial=0.0)), self.e)
        return self.e - _ULPS * float(np.spacing(widest))


@dataclass(frozen=True)
class _Bounds(SearchBounds):
    """Bounds of groups with k different values that span at least e."""

    model: KEAnonymity

    @property
    def _variety(self) -> RunBounds:
        return RunBounds(self.model.k, self.model.sensitive)

    def least_size(self) -> int:
        """Different values need different records."""
        return self.model.k if self.model.e == 0 else max(self.model.k, 2)

    def max_groups(self, groups: Groups, least: int) -> Numbers:
        """Every group needs k different values, a value with another e above it, and one with another e below it."""
        most = self._variety.max_groups(groups, least)
        if self.model.e == 0:
            return most
        column = groups.schema.one_sensitive(self.model.sensitive)
        histogram, numbers = groups.histogram(column), self.model.numbers(groups.domain(column))
        (low, high), span = self.model.ends(groups), self.model.span(numbers)
        place, group = numbers[histogram.values], histogram.group
        # A group of the split needs two values at a distance of e. The lower one has another value e above it in the
        # whole group, and the upper one another value e below it.
        upper, lower = high[group] - place >= span, place - low[group] >= span
        for there in (upper, lower):
            most = np.minimum(most, histogram.sum(np.where(there, histogram.counts, 0)))
        return np.maximum(most, LESS_THAN_ONE)

    def latest_starts(self, line: NDArray[np.int32], domain: Domain) -> NDArray[np.int64]:
        """The start of the shortest run that ends at each record, has k values and spans e."""
        starts, numbers = self._variety.latest_starts(line, domain), self.model.numbers(domain)
        if self.model.e == 0 or not len(line):
            return starts
        place, least = numbers[line], self.model.span(numbers)
        if np.isnan(place[0]):  # missing values come last, so there is no number at all
            return np.full(len(line), -1)
        end = np.maximum.accumulate(np.where(np.isnan(place), -np.inf, place))
        far = np.searchsorted(end, end - least, side="right") - 1
        # `end - least` is rounded, so the search may be off by a step; the difference itself decides, as in `holds`.
        while (short := (far >= 0) & (end - end[far] < least)).any():
            far[short] -= 1
        return np.minimum(starts, far)
