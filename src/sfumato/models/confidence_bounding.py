"""Confidence bounding: nobody's value can be guessed too surely."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.exact_ratios import against, as_meant
from sfumato.disclosure.groups import Groups
from sfumato.errors import ParameterError
from sfumato.models.group_model import GroupModel
from sfumato.models.search_bounds import LESS_THAN_ONE, SearchBounds
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class ConfidenceBounding(GroupModel):
    """In no group does a value of the sensitive column make up more than the share h.

    With `value` only that one is bounded, say the one illness that must not become known, and groups without it are
    safe; without it all values are. Several bounds, each with its own value, share and quasi-identifier, are joined
    with `&`. Whoever can rule values out, by knowing that somebody does not have them, may still guess more surely.

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
    value: str | None = param(None, doc="the value that is bounded; all values without it")
    sensitive: str = param("", doc="the sensitive column; may stay empty where there is only one")
    quasi: str = param("", doc="name of the quasi-identifier; empty means all quasi columns")

    @property
    def required(self) -> float:
        """At most the share h."""
        return self.h

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The share of the bounded value, or of the most frequent one, in each group."""
        return self.frequent(groups) / groups.sizes

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Whether each share is at most h, in whole numbers."""
        return against(self.frequent(groups), groups.sizes, self.h) <= 0

    @property
    def bounds(self) -> SearchBounds:
        """One record is all of its group, and every group needs records outside the bounded value."""
        return _ShareBounds(self)

    def frequent(self, groups: Groups) -> NDArray[np.int64]:
        """How often the bounded value, or the most frequent one, occurs in each group."""
        column = groups.schema.one_sensitive(self.sensitive)
        if self.value is None:
            return groups.histogram(column).largest()
        code = groups.domain(column).code_of(self.value)
        if code is None:
            raise ParameterError(
                f"'value' of ConfidenceBounding must be a value of column {column!r}; none of its "
                f"{len(groups.domain(column))} different values is {self.value!r}. Leave it out to bound every value."
            )
        return groups.histogram(column).of_value(code)


@dataclass(frozen=True)
class _ShareBounds(SearchBounds):
    """Bounds of groups in which no value exceeds a share."""

    model: ConfidenceBounding

    def least_size(self) -> int:
        """Without a named value, some value always has its share of a group."""
        return 1 if self.model.value is not None else ceil(1 / as_meant(self.model.h))

    def max_groups(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """Every group needs the share 1 - h of its records outside the value that is most frequent here."""
        smallest = max(least, self.least_size())
        needed = ceil((1 - as_meant(self.model.h)) * smallest)
        room = groups.sizes / smallest
        if needed:
            room = np.minimum(room, (groups.sizes - self.model.frequent(groups)) / needed)
        return np.maximum(room, LESS_THAN_ONE)
