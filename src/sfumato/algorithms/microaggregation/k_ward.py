"""k-Ward: join what costs least, until every group is large enough."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points


@dataclass(frozen=True, kw_only=True)
class KWard(Microaggregation):
    """Ward's hierarchical clustering, held to groups of k: small groups join where the squared error grows least.

    The two records furthest from each other begin with their k - 1 nearest, everybody else alone. Groups with fewer
    than k records are joined with each other or with larger ones, cheapest first, but never two that both have k. What
    ends with 2k records or more is grouped again by itself, so groups have k to 2k - 1 records.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "40", "41", "42", "60", "61", "62"]})
    >>> KWard().anonymize(ages, KAnonymity(k=3)).recoding.labels["age"].texts
    ('22', '41', '61')

    References: Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation for statistical
    disclosure control; Ward (1963), Hierarchical grouping to optimize an objective function; Kabir (2010), section 6.2.
    """

    most_rows = 20_000

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        from sfumato.algorithms.microaggregation.ward_groups import ward_groups

        return ward_groups(points, k)
