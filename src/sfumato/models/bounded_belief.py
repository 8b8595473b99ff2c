"""Bounded belief: an attacker with background knowledge cannot believe in a sensitive value too strongly."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.disclosure.exact_ratios import as_meant
from sfumato.disclosure.groups import Groups
from sfumato.errors import ParameterError, UsageError
from sfumato.kernels.arrays import Flags
from sfumato.knowledge.inference import beliefs
from sfumato.knowledge.knowledge import Knowledge
from sfumato.knowledge.miner import Miner
from sfumato.knowledge.priors import Priors, priors_of
from sfumato.models.group_model import quasi_setting, sensitive_setting
from sfumato.models.knowledge_model import KnowledgeModel
from sfumato.models.search_bounds import LeastSize, SearchBounds
from sfumato.settings.params import param

_ROUNDING = 1e-10
"""Tolerance for rounding: a belief of exactly a third is a sum of rounded numbers and must satisfy c = 1/3."""


@dataclass(frozen=True, kw_only=True)
class BoundedBelief(KnowledgeModel):
    """In every group, an attacker's belief in a sensitive value of a record is at most c, given background knowledge.

    The knowledge gives every record a prior: the probability of each value for a person like this, 0 if a rule excludes
    it. The published values of the group turn the prior into a posterior belief. The level of a group is the largest
    belief in any value of any of its records, or in one of `values` if given. A group that contradicts the knowledge
    fails whatever c is.

    The belief is computed by Bayes' rule over all assignments of the values to the records (`exact`); a group with too
    many records and values for that fails with level 1. `maximum_entropy` uses expected counts, in groups of any size,
    and `omega` is a fast estimate. The latter two may underestimate the belief, most of all in small groups.

    Bucketization algorithms start from buckets of 1 / c records, the smallest that could hold. Beliefs are rarely
    distributed so evenly; combined with `distinct_l_diversity`, this model gets larger buckets.

    Merging groups may increase the belief. Two women have ovarian cancer and flu, two men have flu and a cold, and each
    belief is 1/2; in the group of all four, men cannot have ovarian cancer and have flu with probability 2/3.

    >>> from sfumato.datasets import hospital
    >>> known = {"sensitive": "Disease", "never": [{"when": {"Sex": "Female"}, "value": "Hepatitis"}]}
    >>> model = BoundedBelief(c=0.75, knowledge=known)
    >>> everybody = Groups.of(model.with_derived_columns(hospital()), [])
    >>> model.level(everybody).round(3).tolist(), model.holds(everybody).tolist()
    ([0.8], [False])
    >>> str(model)
    'bounded_belief(c=0.75, knowledge=1 rule)'

    References: Du, Teng and Zhu (2008); Li and Li (2009); Li and Li (2008), section VIII; book, section 2.5.
    """

    derives = "prior of"
    kept_by_merging = False
    guards_against = frozenset({"attribute linkage", "background knowledge", "probabilistic attack"})
    better = "lower"

    c: float = param(doc="largest belief of an attacker in a value of a record", above=0, at_most=1)
    knowledge: Knowledge | Miner | Path = param(
        Miner(), doc="background knowledge: rules, a file of rules, or how to mine them from the table"
    )
    inference: Literal["exact", "omega", "maximum_entropy"] = param(
        "exact", doc="how beliefs are computed; groups that are too large for exact inference fail"
    )
    values: tuple[str, ...] = param((), doc="the values whose belief is bounded; empty means all values")
    sensitive: str = sensitive_setting()
    quasi: str = quasi_setting()

    @property
    def required(self) -> float:
        """A belief of at most c."""
        return self.c

    def _derived(self, table: Table, column: str) -> tuple[Priors, NDArray[np.int32]]:
        return priors_of(self.rules, table, column)

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The largest belief of each group; 1 if it cannot be computed."""
        return np.nan_to_num(self._largest(groups), nan=1.0)

    def holds(self, groups: Groups) -> Flags:
        """Whether the largest belief of each group is at most c; false if it cannot be computed."""
        # NaN compares as false, so a group whose belief is unknown fails.
        return np.asarray(self._largest(groups) <= self.c + _ROUNDING, dtype=np.bool_)

    @property
    def named_values(self) -> tuple[str, ...]:
        """The values that rules are about, and those whose belief is bounded."""
        return (*super().named_values, *self.values)

    @property
    def bounds(self) -> SearchBounds:
        """In a group of n records, some value of a record has a belief of at least 1 / n."""
        return LeastSize(1 if self.values else ceil(1 / as_meant(self.c)))

    def beliefs(self, groups: Groups) -> NDArray[np.float64]:
        """For every cell of the histogram of priors, the largest belief in a value of one of its records.

        It is NaN if the knowledge contradicts the group, or if the group is too large for exact inference.
        """
        priors = groups.table.domains.get(self.column)
        if not isinstance(priors, Priors):
            raise UsageError(
                f"{self} needs a table with the prior of every record; "
                "use the groups of model.with_derived_columns(table), made from the original values."
            )
        secrets, classes = groups.histogram(self.rules.sensitive), groups.histogram(self.column)
        chances = priors.chances_of(groups.domain(self.rules.sensitive).texts)
        return beliefs(secrets, classes, chances, self._watched(groups), self.inference)

    def _largest(self, groups: Groups) -> NDArray[np.float64]:
        found = self.beliefs(groups)
        starts = groups.histogram(self.column).starts[:-1]
        return np.maximum.reduceat(found, starts) if len(groups) else found[:0]

    def _watched(self, groups: Groups) -> Flags:
        domain = groups.domain(self.rules.sensitive)
        if not self.values:
            return np.ones(len(domain), dtype=bool)
        watched = np.zeros(len(domain), dtype=bool)
        codes = [domain.code_of(value) for value in self.values]
        if None in codes:
            raise ParameterError(
                f"'values' of BoundedBelief must be values of column {domain.column!r}; {codes.count(None)} of "
                f"{len(codes)} are none of its {len(domain)} different values. Leave them out to bound every value."
            )
        watched[[code for code in codes if code is not None]] = True
        return watched
