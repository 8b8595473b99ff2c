"""Top-down disclosure: hide every value, then show one after the other as long as nobody can guess a secret."""

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
class TopDownDisclosure(Refiner):
    """Suppresses values, not records: each value of a quasi column is shown wherever it occurs, or nowhere.

    All values start as `*`, numbers and dates too. Each step shows the value that tells most about the target for the
    confidence it gives away, among those after which all promises hold; a value that tells nothing stays hidden. It was
    made for bounds on how surely a secret can be guessed (`confidence_bounding`), several at once, and serves any model
    that merging groups keeps. What is published is maximal: no other value could be shown as well.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import ConfidenceBounding
    >>> model = ConfidenceBounding(h=0.6, value="HIV")
    >>> release = TopDownDisclosure(target="Disease").anonymize(hospital(), model)
    >>> release.recoding.labels["Job"].texts
    ('Writer', '*')

    References: Wang, Fung and Yu (2007), Handicapping attacker's confidence; book, section 5.2.3.
    """

    score: Named | Score | None = param(
        None, doc="what to go for; if not said, gain_per_loss or without a target discernment"
    )
    target: str = param("", doc="the column to be predicted, target or sensitive; may stay empty where one is target")
    beneficial: bool = param(True, doc="leave values hidden whose records are all of one class")

    def _ladder(self, place: int, table: Table, name: str, counts: Counts) -> Ladder:
        from sfumato.algorithms.specialization.specialization_paths import PoolLadder

        return PoolLadder(place, table.domain(name), counts, table.taxonomies.get(name))
