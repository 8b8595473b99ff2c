"""Top-down refinement: starts fully generalized and refines value by value while all models hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.algorithms.specialization.base import Counts, Refiner
from sfumato.algorithms.specialization.scores import Score, ScoreName
from sfumato.data.table import Table
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.specialization.specialization_paths import SpecializationPath


@dataclass(frozen=True, kw_only=True)
class TopDownRefinement(Refiner):
    """Refines one value after the other, wherever it occurs, so that a classifier trained on the release stays good.

    Every quasi column starts as `*`. A column with a taxonomy is refined from a node to its children, a category
    without one by showing a value, a number or date without one by cutting an interval in two at the point with the
    highest information gain about the target. Each step applies the refinement with the best score among those after
    which all models hold, by default information gain over privacy loss. Several quasi-identifiers, each with its own
    model, are respected together. Without a target column the score is discernibility.

    The search can be stopped at any time (`sfumato.runtime.time_limit`), and its result can be applied to new records.
    With taxonomies for all columns this is top-down specialization.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> release = TopDownRefinement(target="Disease").anonymize(hospital(), KAnonymity(k=3))
    >>> release.groups.sizes.tolist()
    [3, 4]

    References: Fung, Wang and Yu (2005, 2007); book, sections 6.3 and 7.2.
    """

    score: ScoreName | Score | None = param(
        None, doc="how refinements are ranked; by default gain_per_loss, or discernment without a target"
    )
    target: str = param("", doc="the target or sensitive column to be predicted; by default the only target")
    beneficial: bool = param(True, doc="do not refine values whose records are all of one class")
    taxonomies: bool = param(True, doc="use the taxonomies; without, numbers are cut and categories shown one by one")

    def _path(self, place: int, table: Table, name: str, counts: Counts) -> SpecializationPath:
        from sfumato.algorithms.specialization.specialization_paths import DisclosurePath, IntervalPath, TaxonomyPath

        domain, taxonomy = table.domain(name), table.taxonomies.get(name)
        if taxonomy is not None and self.taxonomies:
            return TaxonomyPath(place, taxonomy, counts)
        return (IntervalPath if domain.ordered else DisclosurePath)(place, domain, counts, taxonomy)
