"""Distinct l-diversity: every group leaves several answers open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.disclosure.groups import Groups, Histogram
from sfumato.models.group_model import GroupModel
from sfumato.models.search_bounds import LESS_THAN_ONE, SearchBounds
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class DistinctLDiversity(GroupModel):
    """Every group has at least l different values of the sensitive column.

    Whoever finds a person's group still has l values to choose from, and every group has l records at least. How often
    each value occurs is not looked at: one of them may be nearly certain. A missing value counts as a value. To ask for
    a size too (p-sensitive k-anonymity) join it with k-anonymity by `&`.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> groups = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}).groups()
    >>> DistinctLDiversity(l=2).measure(groups)
    2.0

    References: Machanavajjhala et al. (2007); book, section 2.2.1.
    """

    guards_against = frozenset({"record linkage", "attribute linkage"})

    l: int = param(doc="fewest different sensitive values in a group", at_least=1)
    sensitive: str = param("", doc="the sensitive column; may stay empty where there is only one")
    quasi: str = param("", doc="name of the quasi-identifier; empty means all quasi columns")

    @property
    def required(self) -> float:
        """At least l different values."""
        return self.l

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """How many different values each group has."""
        return self._histogram(groups).distinct.astype(np.float64)

    @property
    def bounds(self) -> SearchBounds:
        """Different values need different records."""
        return RunBounds(self.l, self.sensitive)

    def _histogram(self, groups: Groups) -> Histogram:
        return groups.histogram(groups.schema.one_sensitive(self.sensitive))


@dataclass(frozen=True)
class DistinctValueBounds(SearchBounds):
    """Bounds of groups with at least l different values of a sensitive column, which several models imply."""

    l: int
    sensitive: str = ""

    def least_size(self) -> int:
        """Different values need different records."""
        return self.l

    def max_groups(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """Every group needs l - j records outside the j most frequent values, whatever j is."""
        histogram = groups.histogram(groups.schema.one_sensitive(self.sensitive))
        ordered, outside = histogram.descending, groups.sizes.copy()
        room = groups.sizes / least
        for taken in range(self.l):
            room = np.minimum(room, outside / (self.l - taken))
            there = histogram.distinct > taken
            if not there.any():
                break
            outside[there] -= ordered[histogram.starts[:-1][there] + taken]
        return np.maximum(room, LESS_THAN_ONE)


class RunBounds(DistinctValueBounds):
    """The same for models that ask for l different values and nothing else: more records never spoil a run."""

    def latest_starts(self, line: NDArray[np.int32], domain: Domain) -> NDArray[np.int64]:
        """At the last record of the l-th different value, counted back from each record."""
        places = np.arange(len(line))
        last = np.flatnonzero(np.append(line[1:] != line[:-1], True)[: len(line)])
        kind = np.repeat(np.arange(len(last)), np.diff(last, prepend=-1)) - (self.l - 1)
        return np.where(kind < 0, -1, np.minimum(last[np.maximum(kind, 0)], places)) if len(line) else places
