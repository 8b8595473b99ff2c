"""High-dimensional top-down specialization, for many quasi columns of which an attacker knows only a few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.algorithms.specialization.base import Counts, Refiner
from sfumato.algorithms.specialization.scores import Score, ScoreName
from sfumato.data.table import Table
from sfumato.errors import SchemaError
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.specialization.specialization_paths import SpecializationPath


@dataclass(frozen=True, kw_only=True)
class Hdtds(Refiner):
    """Specializes from `*` down under LKC-privacy, for a classifier or for general use.

    A column with a taxonomy is refined from a node to its children. Numbers and dates without one are cut in two at the
    point with the highest information gain about the target. The best step after which the model holds is applied
    until there is none, also if it has no gain. The score is the gain, or with `discernment` how much better records
    can be distinguished. It was made for `lkc_privacy` and works with any model that stays satisfied when groups are
    merged, also with several quasi-identifiers.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import LkcPrivacy
    >>> release = Hdtds(target="Disease").anonymize(hospital(), LkcPrivacy(l=2, k=2, c=0.75))
    >>> {name: labels.texts for name, labels in release.recoding.labels.items()}["Sex"]
    ('Male', 'Female')

    References: Mohammed, Fung, Hung and Lee (2009); book, section 6.3, algorithm 6.3.1.
    """

    default_score = "gain"

    score: ScoreName | Score | None = param(
        None, doc="how refinements are ranked; by default gain, or discernment without a target"
    )
    target: str = param("", doc="the target or sensitive column to be predicted; by default the only target")
    beneficial: bool = param(False, doc="do not refine values whose records are all of one class")

    def _path(self, place: int, table: Table, name: str, counts: Counts) -> SpecializationPath:
        from sfumato.algorithms.specialization.specialization_paths import IntervalPath, TaxonomyPath

        domain, taxonomy = table.domain(name), table.taxonomies.get(name)
        if taxonomy is not None:
            return TaxonomyPath(place, taxonomy, counts)
        if domain.ordered:
            return IntervalPath(place, domain, counts)
        raise SchemaError(
            f"column {name!r} holds texts and has no taxonomy to go down; give it one, or use top_down_refinement, "
            "which shows such values one by one."
        )
