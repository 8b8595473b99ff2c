"""Bounded belief: nobody can be too sure of a value, even by what was likely of people beforehand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError, UsageError
from sfumato.groups import Groups
from sfumato.knowledge.inference import beliefs
from sfumato.knowledge.knowledge import Knowledge
from sfumato.knowledge.miner import Miner
from sfumato.knowledge.priors import Priors, priors_of
from sfumato.knowledge.source import (
    learned,
    refuse_published,
    rules_at_hand,
    source_brief,
    source_of,
    source_settings,
    source_words,
)
from sfumato.models.base import PrivacyModel
from sfumato.params import param
from sfumato.ratios import as_meant
from sfumato.schema import Schema
from sfumato.table import Table

_ROUNDING = 1e-10
"""A belief of a third is a sum of rounded numbers and no reason to refuse a bound of a third."""


@dataclass(frozen=True, kw_only=True)
class BoundedBelief(PrivacyModel):
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
    >>> everybody = Groups.of(model.prepared(hospital()), [])
    >>> model.level(everybody).round(3).tolist(), model.holds(everybody).tolist()
    ([0.8], [False])
    >>> str(model)
    'bounded_belief(c=0.75, knowledge=1 rule)'

    References: Du, Teng and Zhu (2008); Li and Li (2009); Li and Li (2008), section VIII; book, section 2.5.
    """

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

    def __post_init__(self) -> None:
        object.__setattr__(self, "knowledge", source_of(self.knowledge, self.sensitive))
        super().__post_init__()

    @property
    def required(self) -> float:
        """A belief of at most c."""
        return self.c

    def informed(self, table: Table | None) -> BoundedBelief:
        """The model with rules: read from the file, or mined from the table."""
        found = learned(self.knowledge, table, self.sensitive, self)
        return self if found is self.knowledge else replace(self, knowledge=found)

    def prepared(self, table: Table) -> Table:
        """The table with a column that says what is likely of each record."""
        name, rules = self._column, self._rules
        if name in table.domains:
            return table
        refuse_published((*rules.never, *rules.likely, *rules.shares), table)
        priors, codes = priors_of(rules, table, name)
        return table.with_column(name, codes, priors)

    def sensitive_columns(self, schema: Schema) -> tuple[str, ...]:
        """The sensitive column, and that of what is likely."""
        return schema.one_sensitive(self._rules.sensitive), self._column

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The largest belief of each group; 1 where there is none to be found."""
        return np.nan_to_num(self._largest(groups), nan=1.0)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Whether each largest belief is at most c; never where there is none to be found."""
        return np.asarray(self._largest(groups) <= self.c + _ROUNDING, dtype=np.bool_)

    def least_size(self) -> int:
        """One of the values of a group is believed with its share of them at least."""
        return 1 if self.values else ceil(1 / as_meant(self.c))

    def beliefs(self, groups: Groups) -> NDArray[np.float64]:
        """For every cell of the histogram of what is likely, the largest belief in a value of one of its records.

        It is not a number where what is known contradicts the group, or the group is too large to infer exactly.
        """
        priors = groups.table.domains.get(self._column)
        if not isinstance(priors, Priors):
            raise UsageError(
                f"{self} cannot judge a table that does not say what is likely of whom; "
                "use the groups of model.prepared(table), made from the original values."
            )
        secrets, classes = groups.histogram(self._rules.sensitive), groups.histogram(self._column)
        chances = priors.chances_of(groups.domain(self._rules.sensitive).texts)
        return beliefs(secrets, classes, chances, self._watched(groups), self.inference)

    def in_brief(self) -> dict[str, Any]:
        """Name and settings; of what is known only how much it is, and how to tell it from anything else."""
        return self.to_dict() | {"knowledge": source_brief(self.knowledge)}

    def to_dict(self) -> dict[str, Any]:
        """Name and settings; what is known as plain tables, as the name of its file, or as how to mine it."""
        return source_settings(super().to_dict())

    def __str__(self) -> str:
        plain = super().to_dict() | {"knowledge": source_words(self.knowledge)}
        shown = {setting.name: plain[setting.name] for setting in self.settings() if setting.name in plain}
        return f"{self.name()}({', '.join(f'{key}={value}' for key, value in shown.items())})"

    def _largest(self, groups: Groups) -> NDArray[np.float64]:
        found = self.beliefs(groups)
        starts = groups.histogram(self._column).starts[:-1]
        return np.maximum.reduceat(found, starts) if len(groups) else found[:0]

    def _watched(self, groups: Groups) -> NDArray[np.bool_]:
        domain = groups.domain(self._rules.sensitive)
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

    @property
    def _rules(self) -> Knowledge:
        return rules_at_hand(self.knowledge, self)

    @property
    def _column(self) -> str:
        """The name of the column of what is likely."""
        return f"prior of {self._rules.sensitive} ({self._rules.digest})"
