"""High-dimensional top-down specialization: many quasi columns, of which nobody knows more than a few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.algorithms.specialization.base import Counts, Refiner
from sfumato.algorithms.specialization.scores import Named, Score
from sfumato.data.table import Table
from sfumato.errors import SchemaError
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.specialization.specialization_paths import Ladder


@dataclass(frozen=True, kw_only=True)
class Hdtds(Refiner):
    """Specializes from `*` down under LKC-privacy, for a classifier or for general use.

    Columns go down their taxonomies; numbers and dates without one are cut in two where that tells most about the
    target. Every step that keeps the promise is made, the best first, also such that tell nothing about the target: by
    default as they tell most, with `discernment` as they tell records apart. Any model that merging groups keeps will
    do, several quasi-identifiers included; `lkc_privacy` is what it was made for.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import LkcPrivacy
    >>> release = Hdtds(target="Disease").anonymize(hospital(), LkcPrivacy(l=2, k=2, c=0.75))
    >>> {name: labels.texts for name, labels in release.recoding.labels.items()}["Sex"]
    ('Male', 'Female')

    References: Mohammed, Fung, Hung and Lee (2009); book, section 6.3, algorithm 6.3.1.
    """

    goes_for = "gain"

    score: Named | Score | None = param(None, doc="what to go for; if not said, gain or without a target discernment")
    target: str = param("", doc="the column to be predicted, target or sensitive; may stay empty where one is target")
    beneficial: bool = param(False, doc="leave values alone whose records are all of one class")

    def _ladder(self, place: int, table: Table, name: str, counts: Counts) -> Ladder:
        from sfumato.algorithms.specialization.specialization_paths import IntervalLadder, TaxonomyLadder

        domain, taxonomy = table.domain(name), table.taxonomies.get(name)
        if taxonomy is not None:
            return TaxonomyLadder(place, taxonomy, counts)
        if domain.ordered:
            return IntervalLadder(place, domain, counts)
        raise SchemaError(
            f"column {name!r} holds texts and has no taxonomy to go down; give it one, or use top_down_refinement, "
            "which shows such values one by one."
        )
