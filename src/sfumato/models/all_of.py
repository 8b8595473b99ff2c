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
from sfumato.errors import ParameterError
from sfumato.models.base import PrivacyModel
from sfumato.models.search_bounds import SearchBounds
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class AllOf(PrivacyModel):
    """Every one of several models holds; written `a & b`. Its facts are the conjunction of theirs.

    >>> from sfumato.models import DistinctLDiversity, KAnonymity
    >>> str(KAnonymity(k=3) & DistinctLDiversity(l=2))
    'k_anonymity(k=3) & distinct_l_diversity(l=2)'
    """

    models: tuple[PrivacyModel, ...] = param(doc="the models that must all hold")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.models:
            raise ParameterError("'models' of AllOf must name at least one model; got none.")
        for fact in ("judges_groups_alone", "kept_by_merging", "about_secrets"):
            object.__setattr__(self, fact, all(getattr(model, fact) for model in self.models))
        object.__setattr__(self, "about_distances", any(model.about_distances for model in self.models))
        object.__setattr__(self, "guards_against", frozenset().union(*(m.guards_against for m in self.models)))

    @property
    def required(self) -> float:
        """All of them."""
        return len(self.models)

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """How many of the models hold in each group."""
        held = [model.holds(groups) for model in self.models]
        return np.asarray(np.sum(held, axis=0), dtype=np.float64)

    def informed(self, table: Table | None) -> AllOf:
        """Every one of them with what it must learn."""
        return replace(self, models=tuple(model.informed(table) for model in self.models))

    def prepared(self, table: Table) -> Table:
        """With the columns of all of them."""
        for model in self.models:
            table = model.prepared(table)
        return table

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Whether all models hold in each group."""
        return np.asarray(np.logical_and.reduce([model.holds(groups) for model in self.models]), dtype=np.bool_)

    def sensitive_columns(self, schema: Schema) -> tuple[str, ...]:
        """Every column that one of them asks for."""
        return tuple(dict.fromkeys(name for model in self.models for name in model.sensitive_columns(schema)))

    @property
    def bounds(self) -> SearchBounds:
        """What all of them together allow."""
        return _CombinedBounds(tuple(model.bounds for model in self.models))

    def obstacles(self, table: Table) -> str:
        """The first reason that one of them knows."""
        return next(filter(None, (model.obstacles(table) for model in self.models)), "")

    def members(self) -> tuple[PrivacyModel, ...]:
        """The models themselves."""
        return self.models

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
        return max(part.least_size() for part in self.parts)

    def max_groups(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """The smallest of theirs."""
        return np.asarray(np.minimum.reduce([part.max_groups(groups, least) for part in self.parts]), dtype=np.float64)

    def latest_starts(self, line: NDArray[np.int32], domain: Domain) -> NDArray[np.int64] | None:
        """Where a run begins that satisfies all; only if each of them can tell."""
        found = [part.latest_starts(line, domain) for part in self.parts]
        known = [starts for starts in found if starts is not None]
        return np.minimum.reduce(known) if len(known) == len(found) else None
