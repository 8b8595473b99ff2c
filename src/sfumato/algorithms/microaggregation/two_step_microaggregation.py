"""Two-step microaggregation: one method makes coarse groups, another one makes groups of k inside them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points, method_named
from sfumato.algorithms.microaggregation.group_sizes import split
from sfumato.data.table import Table
from sfumato.errors import ParameterError
from sfumato.models.group_model import GroupModel
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class TwoStepMicroaggregation(Microaggregation):
    """One method makes coarse groups, another one makes groups of k inside each of them.

    A slow method can thus be used on large tables, because it works on one coarse group at a time, which has about
    `coarse` records. Both methods use their default settings.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "40", "41", "42", "60", "61", "62"]})
    >>> TwoStepMicroaggregation(coarse=4, second="mst").anonymize(ages, KAnonymity(k=2)).recoding.labels["age"].texts
    ('22', '40.5', '51', '61.5')

    References: Solanas, Martínez-Ballesté, Mateo-Sanz and Domingo-Ferrer (2006), Multivariate microaggregation based
    genetic algorithms; Kabir (2010), section 6.2.
    """

    first: str = param("mdav", doc="the method that makes coarse groups")
    second: str = param("genetic_microaggregation", doc="the method that makes groups inside them")
    coarse: int = param(50, doc="how many records a coarse group has at least", at_least=2)

    def __post_init__(self) -> None:
        super().__post_init__()
        method_named(self.first)
        method_named(self.second)

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        first, second = method_named(self.first), method_named(self.second)
        groups = first._partition(points, self.coarse, random)
        return split(points, groups, k, lambda part, k: second._partition(part, k, random))

    def _limit(self) -> int | None:
        return method_named(self.first)._limit()

    def _refuse_unsuitable(self, table: Table, model: GroupModel) -> None:
        super()._refuse_unsuitable(table, model)
        if self.coarse < 2 * model.bounds.least_size():
            raise ParameterError(
                f"'coarse' of two_step_microaggregation must be at least twice the size of a group, which is "
                f"{model.bounds.least_size()} here; got {self.coarse}."
            )
