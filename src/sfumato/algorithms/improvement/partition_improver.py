"""Partition improver: groups that another algorithm made, changed by local search until they lose less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from sfumato.algorithms.base import Algorithm
from sfumato.algorithms.improvement.local_search import LocalSearch
from sfumato.data.table import Table
from sfumato.errors import ParameterError, UsageError, nearest
from sfumato.models.base import PrivacyModel
from sfumato.releases.candidate import Candidate
from sfumato.releases.release import Release
from sfumato.settings.catalogue import derived
from sfumato.settings.params import param

_BOUNDED = 300_000
"""Up to so many records it says what loss no groups can go below; beyond that, finding out would take minutes."""


@dataclass(frozen=True, kw_only=True)
class PartitionImprover(Algorithm):
    """Starts from the groups of another algorithm and moves records between them, so that less is lost.

    Records go to groups nearby, change places two or three at a time, groups are given up and founded anew; what makes
    things worse is done too while the search is hot, and ever more rarely as it cools (simulated annealing). Where the
    start publishes centroids, squared errors are lowered (SSE); where it publishes ranges, sets or nodes, their size.
    It never ends with a larger loss than it started with, and provenance says what loss no groups can go below, so that
    one knows how far from the best they are. `effort` decides how long it takes, the same on every
    machine; with `seconds` it is cold by then, and what it finds depends on how fast the machine is.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["20", "24", "25", "40", "41", "42"]})
    >>> PartitionImprover().anonymize(ages, KAnonymity(k=2)).groups.sizes.tolist()
    [3, 3]
    >>> PartitionImprover(start="k_member").anonymize(ages, KAnonymity(k=3)).recoding.labels["age"].texts
    ('[20, 25]', '[40, 42]')

    References: Kirkpatrick, Gelatt and Vecchi (1983), Optimization by simulated annealing; Domingo-Ferrer and
    Mateo-Sanz (2002), Practical data-oriented microaggregation for statistical disclosure control, for the problem.
    """

    needs: ClassVar[frozenset[str]] = frozenset({"judges_groups_alone"})
    way_out: ClassVar[str] = "Allow more suppression, or ask for less."
    family: ClassVar[str] = "any groups, made better"
    randomized: ClassVar[bool] = True
    anytime: ClassVar[bool] = True

    start: str = param("mdav", doc="the algorithm whose groups are improved")
    settings_of_start: Mapping[str, Any] | None = param(None, doc="its settings, where they are not to be as they come")
    effort: float = param(500.0, doc="how many moves are tried for each record", at_least=0)
    seconds: float | None = param(None, doc="end the search, not its start, after so many seconds", at_least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        _built(self.start, self.settings_of_start or {})

    @cached_property
    def begin(self) -> Algorithm:
        """The algorithm it starts from."""
        return _built(self.start, self.settings_of_start or {})

    @property
    def lets_waive(self) -> bool:
        """As its start does."""
        return self.begin.lets_waive

    @property
    def truthful(self) -> bool:
        """As its start is."""
        return self.begin.truthful

    def anonymize(self, table: Table, model: PrivacyModel, *, suppression: float = 0.0, seed: int = 0) -> Release:
        """Choose, improve, judge and release; with centroids also say how far from the best the groups may be."""
        release = super().anonymize(table, model, suppression=suppression, seed=seed)
        return _bounded(release, max(model.least_size(), 1)) if not self.truthful else release

    def prepare(self) -> None:
        """Load the loops of the start."""
        self.begin.prepare()

    def _publish(self, table: Table, model: PrivacyModel, suppression: float, random: np.random.Generator) -> Candidate:
        search = LocalSearch(self.effort, self.seconds, int(random.integers(2**63)))
        return self.begin._publish_improved(table, model, random, search)

    def _refuse_unsuitable(self, table: Table, model: PrivacyModel) -> None:
        super()._refuse_unsuitable(table, model)
        self.begin._refuse_unsuitable(table, model)

    def _provenance(self, table: Table, model: PrivacyModel, suppression: float, seed: int) -> dict[str, Any]:
        return self.begin._provenance(table, model, suppression, seed) | {"algorithm": self.to_dict()}


def _bounded(release: Release, k: int) -> Release:
    """The release with what its groups lose of all that varies, and what no groups can lose less of, in per cent.

    Both are measured on the points by which nearness was, over the people who are protected.
    """
    from sfumato.algorithms.microaggregation.embedding import embedded
    from sfumato.algorithms.microaggregation.lower_bound import lower_bound
    from sfumato.algorithms.microaggregation.torn_groups import squared_errors

    table, candidate, how = release.original, release.candidate, release.provenance["microaggregated"]
    kept, member = candidate.protected, candidate.member
    if candidate.suppressed_records or len(how["columns"]) > 1 or table.records > _BOUNDED or member is None:
        return release
    points = embedded(table, how["columns"][0], standardize=how["standardized"])
    points = np.repeat(points[candidate.origin[kept]], candidate.published.counts[kept], axis=0)
    labels = np.unique(np.repeat(member[kept], candidate.published.counts[kept]), return_inverse=True)[1]
    whole = float(((points - points.mean(axis=0)) ** 2).sum()) or 1.0
    lost = round(100 * float(squared_errors(points, labels.astype(np.int32)).sum()) / whole, 6)
    told = {**how, "lost": lost, "least": min(round(100 * lower_bound(points, k) / whole, 6), lost)}
    return replace(release, provenance={**release.provenance, "microaggregated": told})


def _built(name: str, given: Mapping[str, Any]) -> Algorithm:
    """The algorithm of this name with these settings, if local search can improve what it makes."""
    improvable = {one: thing for one, thing in derived("algorithms", Algorithm).items() if thing.improvable}  # type: ignore[type-abstract]
    if name not in improvable:
        raise ParameterError(f"'start' must be an algorithm that makes groups; {nearest(name, improvable)}")
    try:
        return improvable[name].build(given)
    except UsageError as error:
        raise ParameterError(f"'settings_of_start': {error}") from None
