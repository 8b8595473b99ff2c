"""Conjunctions of models, written `a & b`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.view import View
from sfumato.errors import ParameterError
from sfumato.kernels.arrays import Flags
from sfumato.models.base import PrivacyModel
from sfumato.models.group_model import GroupModel
from sfumato.models.search_bounds import SearchBounds
from sfumato.releases.verdict import Verdict
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.models.population_model import PopulationModel

_EVERY = ("kept_by_merging", "kept_by_suppressing", "about_secrets")
_SOME = ("about_distances", "one_record_a_person")


@dataclass(frozen=True, kw_only=True)
class AllOf(GroupModel):
    """All of several models hold; written `a & b`.

    Groups are judged by the members that judge groups; accounted members, and those that compare with a population, are
    checked on their own. A fact such as `kept_by_merging` is true if it is true of all members that are not accounted;
    `about_distances` and `one_record_a_person` are true if they are true of one.

    >>> from sfumato.models import DistinctLDiversity, KAnonymity
    >>> str(KAnonymity(k=3) & DistinctLDiversity(l=2))
    'k_anonymity(k=3) & distinct_l_diversity(l=2)'
    """

    models: tuple[PrivacyModel, ...] = param(doc="the models that must all hold")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.models:
            raise ParameterError("'models' of AllOf must name at least one model; got none.")
        for fact in _EVERY:
            # The facts are class attributes of single models; a conjunction has its own, which shadow them.
            object.__setattr__(self, fact, all(getattr(model, fact) for model in self._judging()))
        for fact in _SOME:
            object.__setattr__(self, fact, any(getattr(model, fact) for model in self._judging()))
        object.__setattr__(self, "guards_against", frozenset().union(*(m.guards_against for m in self.models)))
        object.__setattr__(self, "serves", frozenset.intersection(*(m.serves for m in self.models)))

    @property
    def required(self) -> float:
        """The number of members that judge groups."""
        return len(self.measured())

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The number of members that hold in each group."""
        held = [model.holds(groups) for model in self.measured()]
        return np.sum(held, axis=0, dtype=np.float64) if held else np.zeros(len(groups))

    def holds(self, groups: Groups) -> Flags:
        """Whether all members that judge groups hold in each group."""
        held = [model.holds(groups) for model in self.measured()]
        return np.asarray(np.logical_and.reduce(held), dtype=np.bool_) if held else np.ones(len(groups), dtype=bool)

    def check(self, view: View) -> Verdict:
        """One verdict on all members; `judge` checks the members one by one instead, which gives more detail."""
        verdicts = [model.check(view) for model in self.models]
        held = sum(verdict.holds for verdict in verdicts)
        worst = next((verdict for verdict in verdicts if not verdict.holds), verdicts[0])
        return replace(
            worst,
            model=self.public_settings(),
            described=str(self),
            level=float(held),
            required=float(len(self.models)),
            better="higher",
        )

    def with_knowledge(self, table: Table | None) -> AllOf:
        """The same conjunction, with knowledge for every member."""
        return replace(self, models=tuple(model.with_knowledge(table) for model in self.models))

    def with_derived_columns(self, table: Table) -> Table:
        """The table with the derived columns of all members."""
        for model in self.models:
            table = model.with_derived_columns(table)
        return table

    def sensitive_columns(self, schema: Schema) -> tuple[str, ...]:
        """The columns that at least one member reads."""
        return tuple(dict.fromkeys(name for model in self.models for name in model.sensitive_columns(schema)))

    @property
    def reads_order(self) -> bool:
        """Whether one member does."""
        return any(model.reads_order for model in self.measured())

    @property
    def named_values(self) -> tuple[str, ...]:
        """The values that members name."""
        return tuple(dict.fromkeys(value for model in self.measured() for value in model.named_values))

    @property
    def missing_is_a_value(self) -> bool:
        """Whether all members judge a missing value like any other."""
        return all(model.missing_is_a_value for model in self.measured())

    def values_read(self, column: str, schema: Schema) -> int | None:
        """As many as the member needs that reads most of this column."""
        found = [one.values_read(column, schema) for one in self.measured() if column in one.sensitive_columns(schema)]
        known = [values for values in found if values is not None]
        return max(known, default=1) if len(known) == len(found) else None

    @property
    def bounds(self) -> SearchBounds:
        """Bounds that follow from all members together."""
        return _CombinedBounds(tuple(model.bounds for model in self.measured()))

    def infeasible_because(self, table: Table) -> str:
        """The first reason of a member."""
        return next(filter(None, (model.infeasible_because(table) for model in self.models)), "")

    def members(self) -> tuple[PrivacyModel, ...]:
        """The models of the conjunction."""
        return self.models

    def measured(self) -> tuple[GroupModel, ...]:
        """The members that judge groups."""
        return tuple(one for model in self.models for one in model.measured())

    def compared(self) -> tuple[PopulationModel, ...]:
        """The members that compare with a population."""
        return tuple(one for model in self.models for one in model.compared())

    def _judging(self) -> tuple[PrivacyModel, ...]:
        """The members that judge what is published."""
        return (*self.measured(), *self.compared())

    def to_dict(self) -> dict[str, Any]:
        """The name and the members as plain data."""
        return {"name": self.name(), "models": [model.to_dict() for model in self.models]}

    def __str__(self) -> str:
        return " & ".join(map(str, self.models))


@dataclass(frozen=True)
class _CombinedBounds(SearchBounds):
    """Bounds of groups that satisfy several models."""

    parts: tuple[SearchBounds, ...]

    def least_size(self) -> int:
        """The largest least size of a part."""
        return max((part.least_size() for part in self.parts), default=1)

    def max_groups(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """The smallest bound of a part."""
        bounds = [part.max_groups(groups, least) for part in self.parts] or [groups.sizes / least]
        return np.asarray(np.minimum.reduce(bounds), dtype=np.float64)

    def left_out(self, groups: Groups, most: int) -> NDArray[np.int64]:
        """The largest number of a part."""
        found = [part.left_out(groups, most) for part in self.parts]
        return np.asarray(np.maximum.reduce([np.zeros(len(groups), dtype=np.int64), *found]))

    def latest_starts(self, line: NDArray[np.int32], domain: Domain) -> NDArray[np.int64] | None:
        """The earliest start of all parts; None unless every part has one."""
        found = [part.latest_starts(line, domain) for part in self.parts]
        known = [starts for starts in found if starts is not None]
        # A run holds for all parts only if it starts early enough
        # for each of them; -1 (no run holds) is the earliest of all.
        return np.minimum.reduce(known) if known and len(known) == len(found) else None
