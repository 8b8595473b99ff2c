"""Confidence bounding: no sensitive value is too frequent in a group."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.disclosure.exact_ratios import against, as_meant
from sfumato.disclosure.groups import Groups
from sfumato.errors import ParameterError
from sfumato.kernels.arrays import Flags
from sfumato.models.group_model import GroupModel, quasi_setting, sensitive_setting
from sfumato.models.search_bounds import LESS_THAN_ONE, SearchBounds
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class ConfidenceBounding(GroupModel):
    """In no group does a value of the sensitive column make up more than the share h.

    With `value` only that value is bounded, such as one illness that must not be disclosed; without it all values are.
    Several bounds, each with its own value, share and quasi-identifier, are joined with `&`. An attacker who can rule
    out other values of a person may still infer a value with a higher confidence.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.operations.generalize import generalize_levels
    >>> groups = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}).groups()
    >>> ConfidenceBounding(h=0.1, value="HIV").measure(groups)
    0.75

    References: Wang, Fung and Yu (2007), privacy templates; book, section 2.2.2.
    """

    guards_against = frozenset({"attribute linkage"})
    better = "lower"

    h: float = param(doc="largest share of a group that may have the value", above=0, at_most=1)
    value: str | None = param(None, doc="the value that is bounded; all values if it is not given")
    sensitive: str = sensitive_setting()
    quasi: str = quasi_setting()

    @property
    def required(self) -> float:
        """At most the share h."""
        return self.h

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The share of the bounded value, or of the most frequent one, in each group."""
        return self.frequent(groups) / groups.sizes

    def holds(self, groups: Groups) -> Flags:
        """Whether each share is at most h, compared without rounding."""
        return against(self.frequent(groups), groups.sizes, self.h) <= 0

    def most_confidence(self, share: float) -> float:
        """At most h, if every value is bounded."""
        return self.h if self.value is None else 1.0

    @property
    def named_values(self) -> tuple[str, ...]:
        """The bounded value, if one is given."""
        return () if self.value is None else (self.value,)

    def values_read(self, column: str, schema: Schema) -> int:
        """The most frequent one; a value that is bounded is named."""
        return 1

    @property
    def bounds(self) -> SearchBounds:
        """A group needs a share 1 - h of its records outside the bounded value."""
        return _ShareBounds(self)

    def frequent(self, groups: Groups) -> NDArray[np.int64]:
        """The count of the bounded value, or of the most frequent one, in each group."""
        column = groups.schema.one_sensitive(self.sensitive)
        if self.value is None:
            return groups.histogram(column).largest()
        code = groups.domain(column).code_of(self.value)
        if code is None:
            raise ParameterError(
                f"a bounded value must be a value of column {column!r}; none of its "
                f"{len(groups.domain(column))} different values is {self.value!r}. Leave it out to bound every value."
            )
        return groups.histogram(column).of_value(code)


@dataclass(frozen=True)
class _ShareBounds(SearchBounds):
    """Bounds of groups in which no value exceeds a share."""

    model: ConfidenceBounding

    def least_size(self) -> int:
        """Without a named value, the most frequent value of n records has at least the share 1 / n."""
        return 1 if self.model.value is not None else ceil(1 / as_meant(self.model.h))

    def max_groups(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """Every group needs the share 1 - h of its records outside the value that is most frequent here."""
        smallest = max(least, self.least_size())
        # The records of a group outside its bounded value cannot
        # serve two groups, so they limit the number of groups.
        needed = ceil((1 - as_meant(self.model.h)) * smallest)
        most = groups.sizes / smallest
        if needed:
            most = np.minimum(most, (groups.sizes - self.model.frequent(groups)) / needed)
        return np.maximum(most, LESS_THAN_ONE)
