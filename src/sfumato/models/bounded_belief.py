"""Bounded belief: nobody can be too sure of a value, even by what was likely of people beforehand."""

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
from sfumato.knowledge.inference import beliefs
from sfumato.knowledge.knowledge import Knowledge
from sfumato.knowledge.miner import Miner
from sfumato.knowledge.priors import Priors, priors_of
from sfumato.models.knowledge_model import KnowledgeModel
from sfumato.models.search_bounds import LeastSize, SearchBounds
from sfumato.settings.params import param

_ROUNDING = 1e-10
"""A belief of a third is a sum of rounded numbers and no reason to refuse a bound of a third."""


@dataclass(frozen=True, kw_only=True)
class BoundedBelief(KnowledgeModel):
    """In no group does anybody's belief in a value of a record exceed c, for all that was likely of people beforehand.

    What is known gives every record a prior: how likely each value is for somebody like that, 0 for what is never so.
    Seeing the values of its group turns that into a belief. The level of a group is the largest belief in any value of
    any of its records, or in one of `values` where given. A group that what is known contradicts fails whatever c is.

    The belief is worked out by Bayes' rule over every way to hand the values out (`exact`), and a group of too many
    records and values for that fails, with level 1; from the expected counts of `maximum_entropy`, in groups of any
    size; or by the quick `omega` estimate. The latter two may be less sure than one can be, most so in small groups.

    Algorithms that make buckets look for as few records as could do, 1 / c. Beliefs are rarely spread so evenly; joined
    with `distinct_l_diversity`, this model gets larger buckets.

    Merging may make surer. Two women have ovarian cancer and flu, two men have flu and a cold, and each is one half
    sure; of all four, men who never have ovarian cancer have flu with two thirds.

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

    notes = "prior of"
    kept_by_merging = False
    guards_against = frozenset({"attribute linkage", "background knowledge", "probabilistic attack"})
    better = "lower"

    c: float = param(doc="largest belief that anybody may have in a value of a record", above=0, at_most=1)
    knowledge: Knowledge | Miner | Path = param(
        Miner(), doc="what is known of people: rules, a file of rules, or how to mine them from the table"
    )
    inference: Literal["exact", "omega", "maximum_entropy"] = param(
        "exact", doc="how a belief follows from a group; exact fails groups too large for it"
    )
    values: tuple[str, ...] = param((), doc="the values that are bounded; all values without it")
    sensitive: str = param("", doc="the sensitive column; may stay empty where there is only one")
    quasi: str = param("", doc="name of the quasi-identifier; empty means all quasi columns")

    @property
    def required(self) -> float:
        """A belief of at most c."""
        return self.c

    def _noted(self, table: Table, column: str) -> tuple[Priors, NDArray[np.int32]]:
        return priors_of(self.rules, table, column)

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The largest belief of each group; 1 where there is none to be found."""
        return np.nan_to_num(self._largest(groups), nan=1.0)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Whether each largest belief is at most c; never where there is none to be found."""
        return np.asarray(self._largest(groups) <= self.c + _ROUNDING, dtype=np.bool_)

    @property
    def bounds(self) -> SearchBounds:
        """One of the values of a group is believed with its share of them at least."""
        return LeastSize(1 if self.values else ceil(1 / as_meant(self.c)))

    def beliefs(self, groups: Groups) -> NDArray[np.float64]:
        """For every cell of the histogram of what is likely, the largest belief in a value of one of its records.

        It is not a number where what is known contradicts the group, or the group is too large to infer exactly.
        """
        priors = groups.table.domains.get(self.column)
        if not isinstance(priors, Priors):
            raise UsageError(
                f"{self} cannot judge a table that does not say what is likely of whom; "
                "use the groups of model.with_derived_columns(table), made from the original values."
            )
        secrets, classes = groups.histogram(self.rules.sensitive), groups.histogram(self.column)
        chances = priors.chances_of(groups.domain(self.rules.sensitive).texts)
        return beliefs(secrets, classes, chances, self._watched(groups), self.inference)

    def _largest(self, groups: Groups) -> NDArray[np.float64]:
        found = self.beliefs(groups)
        starts = groups.histogram(self.column).starts[:-1]
        return np.maximum.reduceat(found, starts) if len(groups) else found[:0]

    def _watched(self, groups: Groups) -> NDArray[np.bool_]:
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
