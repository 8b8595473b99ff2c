"""Top-down refinement: show nothing at first, then ever more, as long as every promise is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.algorithms.specialization.base import Counts, Refiner
from sfumato.algorithms.specialization.scores import Named, Score
from sfumato.data.table import Table
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.specialization.specialization_paths import Ladder


@dataclass(frozen=True, kw_only=True)
class TopDownRefinement(Refiner):
    """Refines one value after the other, wherever it occurs, so that a classifier trained on the release stays good.

    Every quasi column starts as `*`. A column with a taxonomy is refined from a node to its children, a category
    without one by showing a value, a number or date without one by cutting an interval in two where that tells most
    about the target. Each step takes the refinement with the best score among those after which all promises hold, by
    default the information it gives about the target over the privacy it costs. Several quasi-identifiers, each with
    its own model, are kept at once. Without a target column records are told apart as evenly as can be.

    The search can be stopped at any time (`sfumato.runtime.time_limit`), and the decision can be applied to records
    that were not there. With taxonomies for all columns this is top-down specialization.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> release = TopDownRefinement(target="Disease").anonymize(hospital(), KAnonymity(k=3))
    >>> release.groups.sizes.tolist()
    [3, 4]

    References: Fung, Wang and Yu (2005, 2007); book, sections 6.3 and 7.2.
    """

    score: Named | Score | None = param(
        None, doc="what to go for; if not said, gain_per_loss or without a target discernment"
    )
    target: str = param("", doc="the column to be predicted, target or sensitive; may stay empty where one is target")
    beneficial: bool = param(True, doc="leave values alone whose records are all of one class")
    taxonomies: bool = param(True, doc="use the taxonomies; without, numbers are cut and categories shown one by one")

    def _ladder(self, place: int, table: Table, name: str, counts: Counts) -> Ladder:
        from sfumato.algorithms.specialization.specialization_paths import IntervalLadder, PoolLadder, TaxonomyLadder

        domain, taxonomy = table.domain(name), table.taxonomies.get(name)
        if taxonomy is not None and self.taxonomies:
            return TaxonomyLadder(place, taxonomy, counts)
        return (IntervalLadder if domain.ordered else PoolLadder)(place, domain, counts, taxonomy)
