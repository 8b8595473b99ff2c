"""Partition improver: improves the groups of another algorithm by local search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from sfumato.algorithms.improvement.local_search import LocalSearch
from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.table import Table
from sfumato.errors import ParameterError, UsageError, nearest
from sfumato.models.base import PrivacyModel
from sfumato.models.group_model import GroupModel
from sfumato.releases.table_candidate import TableCandidate
from sfumato.releases.table_release import TableRelease
from sfumato.settings.catalogue import subclasses_of
from sfumato.settings.params import param

_BOUNDED = 300_000
"""The lower bound of the loss is computed up to this number of records; beyond that it would take minutes."""


@dataclass(frozen=True, kw_only=True)
class PartitionImprover(TableAlgorithm):
    """Starts from the groups of another algorithm and moves records between them, so that the loss falls.

    Records move to groups nearby, two or three records change places, and groups are dissolved and created. The search
    also accepts moves that increase the loss, often at the start and ever more rarely as it cools (simulated
    annealing). Where the start publishes centroids, it lowers the squared error (SSE); where it publishes ranges, sets
    or nodes, it lowers their size. The loss is never larger than that of the start. With centroids the provenance has a
    lower bound of the loss of any groups, which shows how far from the optimum the result can be. `effort` limits the
    number of moves and gives the same result on every machine; with `seconds` the search is cold when the time is over,
    and the result depends on the speed of the machine.

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

    way_out: ClassVar[str] = "Allow more suppression, or ask for less."
    family: ClassVar[str] = "improvement of the groups of another algorithm"
    counts_persons: ClassVar[bool] = True  # as every algorithm whose groups can be improved
    anytime: ClassVar[bool] = True

    start: str = param("mdav", doc="the algorithm whose groups are improved")
    settings_of_start: Mapping[str, Any] | None = param(None, doc="the settings of that algorithm; none: its defaults")
    effort: float = param(500.0, doc="the number of moves that are tried for each record", at_least=0)
    seconds: float | None = param(
        None, doc="end the search after this number of seconds, not counting the start", at_least=0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        _build(self.start, self.settings_of_start or {})

    @cached_property
    def begin(self) -> TableAlgorithm:
        """The algorithm whose groups are improved."""
        return _build(self.start, self.settings_of_start or {})

    @property
    def lets_waive(self) -> bool:
        """The same as for the start."""
        return self.begin.lets_waive

    @property
    def truthful(self) -> bool:
        """The same as for the start."""
        return self.begin.truthful

    def anonymize(
        self, table: Table, model: PrivacyModel, *, suppression: float = 0.0, seed: int | None = None
    ) -> TableRelease:
        """Group, improve, check and release; with centroids the provenance also has the loss and its lower bound."""
        release = super().anonymize(table, model, suppression=suppression, seed=seed)
        least = max(model.as_group_model().bounds.least_size(), 1)
        return release if self.truthful else _with_lower_bound(release, least)

    def prepare(self) -> None:
        """Load the compiled loops of the start."""
        self.begin.prepare()

    def _publish(
        self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator
    ) -> TableCandidate:
        search = LocalSearch(self.effort, self.seconds, int(random.integers(2**63)))
        return self.begin._publish_improved(table, model, random, search)

    def _refuse_unsuitable(self, table: Table, model: GroupModel) -> None:
        super()._refuse_unsuitable(table, model)
        self.begin._refuse_unsuitable(table, model)

    def _provenance(self, table: Table, model: GroupModel, suppression: float, seed: int | None) -> dict[str, Any]:
        return self.begin._provenance(table, model, suppression, seed) | {"algorithm": self.to_dict()}


def _with_lower_bound(release: TableRelease, k: int) -> TableRelease:
    """Add the loss of the groups and its lower bound to the provenance, both in per cent of the total squared error.

    Both are measured on the points that were grouped, over the records that are protected.
    """
    from sfumato.algorithms.improvement.lower_bound import lower_bound
    from sfumato.algorithms.microaggregation.dissolving import squared_errors
    from sfumato.algorithms.microaggregation.embedding import embed

    table, candidate, how = release.original, release.candidate, release.provenance["microaggregated"]
    kept, member = candidate.protected, candidate.group_of
    if candidate.suppressed_records or len(how["columns"]) > 1 or table.records > _BOUNDED or member is None:
        return release
    points = embed(table, how["columns"][0], standardize=how["standardized"])
    points = np.repeat(points[candidate.origin[kept]], candidate.published.counts[kept], axis=0)
    labels = np.unique(np.repeat(member[kept], candidate.published.counts[kept]), return_inverse=True)[1]
    whole = float(((points - points.mean(axis=0)) ** 2).sum()) or 1.0
    lost = round(100 * float(squared_errors(points, labels.astype(np.int32)).sum()) / whole, 6)
    described = {**how, "lost": lost, "least": min(round(100 * lower_bound(points, k) / whole, 6), lost)}
    return replace(release, provenance={**release.provenance, "microaggregated": described})


def _build(name: str, given: Mapping[str, Any]) -> TableAlgorithm:
    """The algorithm of this name with these settings; refused if local search cannot improve its groups."""
    improvable = {one: thing for one, thing in subclasses_of("algorithms", TableAlgorithm).items() if thing.improvable}  # type: ignore[type-abstract]
    if name not in improvable:
        raise ParameterError(f"'start' must be an algorithm that makes groups; {nearest(name, improvable)}")
    try:
        return improvable[name].build(given)
    except UsageError as error:
        raise ParameterError(f"'settings_of_start': {error}") from None
