"""Base of models of how different the sensitive values of a group are, with or without the missing ones."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.groups import Groups, Histogram
from sfumato.kernels.arrays import Flags
from sfumato.models.group_model import GroupModel

Missing = Literal["value", "no value"]
"""How a missing sensitive value counts."""
MISSING_DOC = 'whether a missing sensitive value counts as a value of its own ("value"), or not at all ("no value")'
"""The explanation of the setting `missing`, which every model of this base declares."""


class DiversityModel(GroupModel):
    """Base of models that judge the histogram of one sensitive column; an author writes `_level`.

    With `missing = "no value"`, the histogram has only the known values, and everything that the model says of the
    values of a group it says of these. A group without any known value does not hold: it has no different values, and
    that all of them are missing is certain. So groups that hold have known values, the known values of their union are
    those of all of them, and `kept_by_merging` stays true wherever it is true of plain histograms.
    """

    missing: Missing
    sensitive: str

    @property
    def missing_is_a_value(self) -> bool:
        """Whether a missing sensitive value counts as a value."""
        return self.missing == "value"

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The level of each group; the worst possible one without a known value."""
        histogram, known = self._values(groups)
        found = np.full(len(groups), 0.0 if self.better == "higher" else np.inf)
        found[known] = self._level(histogram)
        return found

    def holds(self, groups: Groups) -> Flags:
        """Whether each group satisfies the model; no group without a known value does."""
        histogram, known = self._values(groups)
        found = np.zeros(len(groups), dtype=bool)
        found[known] = self._holds(histogram)
        return found

    @abstractmethod
    def _level(self, histogram: Histogram) -> NDArray[np.float64]:
        """The level of each group of a histogram, in which no group is empty."""

    def _holds(self, histogram: Histogram) -> Flags:
        """Whether each group of a histogram holds."""
        level = self._level(histogram)
        return level >= self.required if self.better == "higher" else level <= self.required

    def _values(self, groups: Groups) -> tuple[Histogram, Flags]:
        """The histogram of the values that count, and which groups have any; the histogram leaves out the others."""
        column = groups.schema.one_sensitive(self.sensitive)
        histogram = groups.histogram(column)
        if self.missing_is_a_value:
            return histogram, np.ones(len(groups), dtype=bool)
        return histogram.of_known(groups.domain(column))
