"""mu-Approx: a forest of small trees, within a factor of the best grouping there is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points


@dataclass(frozen=True, kw_only=True)
class MuApprox(Microaggregation):
    """Approximation by a forest: every record is linked to its nearest until all trees have k records.

    Trees of more than max(2k - 1, 3k - 5) records are taken apart where both sides keep k, and what still has 2k or
    more becomes two groups: the record furthest from the centroid with its k - 1 nearest, and the others. What the
    groups lose is then at most a constant factor, which depends on k alone, above the least possible. Groups have k to
    2k - 1 records. Where the authors let any record or tree be taken, those furthest out come first.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "40", "41", "42", "60", "61"]})
    >>> MuApprox().anonymize(ages, KAnonymity(k=2)).recoding.labels["age"].texts
    ('22', '41', '60.5')

    References: Domingo-Ferrer, Sebé and Solanas (2008), A polynomial-time approximation to optimal multivariate
    microaggregation; Aggarwal et al. (2005), Approximation algorithms for k-anonymity; Kabir (2010), section 6.2.
    """

    most_rows = 20_000

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        from sfumato.algorithms.microaggregation.mu_approx_groups import mu_approx_groups

        return mu_approx_groups(points, k)
