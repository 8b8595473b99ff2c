"""Two-step microaggregation: coarse groups by one method, groups inside them by another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.data.table import Table
from sfumato.errors import ParameterError
from sfumato.models.base import PrivacyModel
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class TwoStepMicroaggregation(Microaggregation):
    """One method makes coarse groups, another one groups of k inside each of them.

    So a slow method can be used on large tables, as it never sees more than one coarse group, about as many records as
    `coarse` says. Both methods work with their own default settings.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "40", "41", "42", "60", "61", "62"]})
    >>> TwoStepMicroaggregation(coarse=4, second="mst").anonymize(ages, KAnonymity(k=2)).recoding.labels["age"].texts
    ('22', '40.5', '51', '61.5')

    References: Solanas, Martínez-Ballesté, Mateo-Sanz and Domingo-Ferrer (2006), Multivariate microaggregation based
    genetic algorithms; Kabir (2010), section 6.2.
    """

    randomized = True

    first: str = param("mdav", doc="the method that makes coarse groups")
    second: str = param("genetic_microaggregation", doc="the method that makes groups inside them")
    coarse: int = param(50, doc="how many records a coarse group has at least", at_least=2)

    def __post_init__(self) -> None:
        from sfumato.algorithms.microaggregation.ways import way

        super().__post_init__()
        way(self.first)
        way(self.second)

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        from sfumato.algorithms.microaggregation.splitting import split
        from sfumato.algorithms.microaggregation.ways import way

        first, second = way(self.first), way(self.second)
        groups = first._partition(points, self.coarse, random)
        return split(points, groups, k, lambda part, k: second._partition(part, k, random))

    def _limit(self) -> int | None:
        from sfumato.algorithms.microaggregation.ways import way

        return way(self.first)._limit()

    def _refuse_unsuitable(self, table: Table, model: PrivacyModel) -> None:
        super()._refuse_unsuitable(table, model)
        if self.coarse < 2 * model.least_size():
            raise ParameterError(
                f"'coarse' of two_step_microaggregation must be at least twice the size of a group, which is "
                f"{model.least_size()} here; got {self.coarse}."
            )
