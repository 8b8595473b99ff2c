"""Top-down disclosure: suppresses all values, then shows one after the other while no sensitive one can be inferred."""

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
class TopDownDisclosure(Refiner):
    """Suppresses values, not records: each value of a quasi column is shown wherever it occurs, or nowhere.

    All values start as `*`, also numbers and dates. Each step shows the value with the highest score, by default the
    information gain about the target over the privacy loss, among those after which all models hold. A value without
    gain stays hidden. It was made for bounds on the confidence of inferring a sensitive value (`confidence_bounding`),
    several at once, and works with any model that stays satisfied when groups are merged. The result is maximal: no
    other value could be shown as well.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import ConfidenceBounding
    >>> model = ConfidenceBounding(h=0.6, value="HIV")
    >>> release = TopDownDisclosure(target="Disease").anonymize(hospital(), model)
    >>> release.recoding.labels["Job"].texts
    ('Writer', '*')

    References: Wang, Fung and Yu (2007), Handicapping attacker's confidence; book, section 5.2.3.
    """

    score: ScoreName | Score | None = param(
        None, doc="how refinements are ranked; by default gain_per_loss, or discernment without a target"
    )
    target: str = param("", doc="the target or sensitive column to be predicted; by default the only target")
    beneficial: bool = param(True, doc="do not show values if the hidden records are all of one class")

    def _path(self, place: int, table: Table, name: str, counts: Counts) -> SpecializationPath:
        from sfumato.algorithms.specialization.specialization_paths import DisclosurePath

        return DisclosurePath(place, table.domain(name), counts, table.taxonomies.get(name))
