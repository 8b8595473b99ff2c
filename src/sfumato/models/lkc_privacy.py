"""LKC-privacy: protection against an attacker who knows at most l quasi values of a person."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.known_columns import KnownColumns
from sfumato.errors import ParameterError
from sfumato.kernels.arrays import Flags
from sfumato.models.confidence_bounding import ConfidenceBounding
from sfumato.models.group_model import GroupModel, quasi_setting, sensitive_setting
from sfumato.models.search_bounds import SearchBounds, SizeAndShareBounds
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class LkcPrivacy(GroupModel):
    """An attacker who knows at most l quasi values of a person finds k records or more, and no value above the share c.

    With many quasi columns an attacker rarely knows all of them. Groups are formed by every choice of l quasi columns;
    each must have k records and no guarded value above the share c. `values` are the guarded values; without it, all
    values of the sensitive column are guarded. With c = 1 no sensitive column is needed. The level of a group is the
    larger of k over its size and its largest share over c; a group above 1 fails.

    If l is the number of quasi columns, this is k-anonymity (c = 1), confidence bounding (k = 1) or
    (alpha,k)-anonymity. Groups by fewer than l columns are unions of groups by l columns and hold if those do.

    >>> from sfumato.datasets import hospital
    >>> LkcPrivacy(l=1, k=2, c=0.75).holds(Groups.of(hospital(), ["Sex"])).tolist()
    [True, True]
    >>> len(LkcPrivacy(l=2, k=2, c=0.75).known_columns(hospital().schema))
    3

    References: Mohammed, Fung, Hung and Lee (2009); book, definition 2.4 and section 6.2.1.
    """

    about_secrets = False
    guards_against = frozenset({"record linkage", "attribute linkage"})
    better = "lower"

    l: int = param(doc="most quasi values of a person that an attacker knows", at_least=1)
    k: int = param(doc="fewest records in a group", at_least=1)
    c: float = param(1.0, doc="largest share of a group that may have the same guarded value", above=0, at_most=1)
    values: tuple[str, ...] = param((), doc="the guarded values of the sensitive column; none means all of them")
    sensitive: str = sensitive_setting("the sensitive column; may stay empty where there is only one, or with c = 1")
    quasi: str = quasi_setting()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.values and self.c == 1:
            raise ParameterError("'values' of LkcPrivacy are guarded by a share c below 1; got c = 1.")

    @property
    def required(self) -> float:
        """At most level 1: k records, and no share above c."""
        return 1.0

    def known_columns(self, schema: Schema) -> KnownColumns:
        """Any l of the quasi columns."""
        return KnownColumns(schema.known_together(self.quasi), self.l)

    def sensitive_columns(self, schema: Schema) -> tuple[str, ...]:
        """The sensitive column; none if every share is allowed."""
        return self._shares[0].sensitive_columns(schema) if self.c < 1 else ()

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The larger of k over the size and the largest share over c, for each group."""
        used = [self.k / groups.sizes]
        if self.c < 1:
            used += [share.level(groups) / self.c for share in self._shares]
        return np.asarray(np.maximum.reduce(used), dtype=np.float64)

    def holds(self, groups: Groups) -> Flags:
        """Whether each group has k records and no guarded value above the share c."""
        holds = groups.sizes >= self.k
        for share in self._shares if self.c < 1 else ():
            holds = holds & share.holds(groups)
        return np.asarray(holds, dtype=np.bool_)

    @property
    def named_values(self) -> tuple[str, ...]:
        """The guarded values, if some are given."""
        return self.values

    def values_read(self, column: str, schema: Schema) -> int:
        """The most frequent one; guarded values are named."""
        return 1

    @property
    def bounds(self) -> SearchBounds:
        """Groups have at least k records, and the bound on shares limits how many there can be."""
        return _LkcBounds(self.k, tuple(share.bounds for share in self._shares) if self.c < 1 else ())

    @cached_property
    def _shares(self) -> tuple[ConfidenceBounding, ...]:
        return tuple(
            ConfidenceBounding(h=self.c, value=value, sensitive=self.sensitive) for value in self.values or (None,)
        )


class _LkcBounds(SizeAndShareBounds):
    """The bounds of (alpha,k)-anonymity; searches weigh sizes, as HDTDS of Mohammed et al. (2009) does."""

    def safety(self, groups: Groups) -> NDArray[np.float64]:
        """The size of each group."""
        return groups.sizes.astype(np.float64)
