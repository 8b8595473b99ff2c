"""Several models at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.view import View
from sfumato.errors import ParameterError
from sfumato.models.base import PrivacyModel
from sfumato.models.group_model import GroupModel
from sfumato.models.search_bounds import SearchBounds
from sfumato.releases.verdict import Verdict
from sfumato.settings.params import param

_EVERY = ("kept_by_merging", "kept_by_suppressing", "about_secrets")
_SOME = ("about_distances", "one_record_a_person")


@dataclass(frozen=True, kw_only=True)
class AllOf(GroupModel):
    """Every one of several models holds; written `a & b`. Its facts are the conjunction of theirs.

    Groups are judged by the members that judge groups; members that are accounted for are checked on their own.

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
            object.__setattr__(self, fact, all(getattr(model, fact) for model in self.measured()))
        for fact in _SOME:
            object.__setattr__(self, fact, any(getattr(model, fact) for model in self.measured()))
        object.__setattr__(self, "guards_against", frozenset().union(*(m.guards_against for m in self.models)))
        object.__setattr__(self, "serves", frozenset.intersection(*(m.serves for m in self.models)))

    @property
    def required(self) -> float:
        """All of those that judge groups."""
        return len(self.measured())

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """How many of the models hold in each group."""
        held = [model.holds(groups) for model in self.measured()]
        return np.asarray(np.sum(held, axis=0), dtype=np.float64)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Whether all models hold in each group."""
        return np.asarray(np.logical_and.reduce([model.holds(groups) for model in self.measured()]), dtype=np.bool_)

    def check(self, view: View) -> Verdict:
        """Whether all of them hold; the judge asks the members one by one, which says more."""
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
        """Every one of them with what it must learn."""
        return replace(self, models=tuple(model.with_knowledge(table) for model in self.models))

    def with_derived_columns(self, table: Table) -> Table:
        """With the columns of all of them."""
        for model in self.models:
            table = model.with_derived_columns(table)
        return table

    def sensitive_columns(self, schema: Schema) -> tuple[str, ...]:
        """Every column that one of them reads."""
        return tuple(dict.fromkeys(name for model in self.models for name in model.sensitive_columns(schema)))

    @property
    def bounds(self) -> SearchBounds:
        """What all of them together allow."""
        return _CombinedBounds(tuple(model.bounds for model in self.measured()))

    def infeasible_because(self, table: Table) -> str:
        """The first reason that one of them knows."""
        return next(filter(None, (model.infeasible_because(table) for model in self.models)), "")

    def members(self) -> tuple[PrivacyModel, ...]:
        """The models themselves."""
        return self.models

    def measured(self) -> tuple[GroupModel, ...]:
        """Those of them that judge groups."""
        return tuple(one for model in self.models for one in model.measured())

    def to_dict(self) -> dict[str, Any]:
        """Name and members."""
        return {"name": self.name(), "models": [model.to_dict() for model in self.models]}

    def __str__(self) -> str:
        return " & ".join(map(str, self.models))


@dataclass(frozen=True)
class _CombinedBounds(SearchBounds):
    """Bounds of groups that satisfy several models."""

    parts: tuple[SearchBounds, ...]

    def least_size(self) -> int:
        """The largest of theirs."""
        return max((part.least_size() for part in self.parts), default=1)

    def max_groups(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """The smallest of theirs."""
        rooms = [part.max_groups(groups, least) for part in self.parts] or [groups.sizes / least]
        return np.asarray(np.minimum.reduce(rooms), dtype=np.float64)

    def latest_starts(self, line: NDArray[np.int32], domain: Domain) -> NDArray[np.int64] | None:
        """Where a run begins that satisfies all; only if each of them has an answer."""
        found = [part.latest_starts(line, domain) for part in self.parts]
        known = [starts for starts in found if starts is not None]
        return np.minimum.reduce(known) if known and len(known) == len(found) else None
