"""Fuzzy c-means: clusters that share their records, until each record goes where it belongs most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class FuzzyCMeans(Microaggregation):
    """Microaggregation by fuzzy c-means: many sharp clusters, then fewer and fuzzier ones until all are large enough.

    Every record belongs to all clusters, the more the nearer. Clusters begin at n / k random records; those that fewer
    than k records belong to most are given up, and the others move on. Groups that end with 2k records or more are
    clustered again by themselves, so groups have k to 2k - 1 records.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "40", "41", "42", "60", "61", "62"]})
    >>> FuzzyCMeans().anonymize(ages, KAnonymity(k=3)).recoding.labels["age"].texts
    ('22', '41', '61')

    References: Domingo-Ferrer and Torra (2003), Towards fuzzy c-means based microaggregation; Kabir (2010), section
    6.2.
    """

    randomized = True
    most_rows = 10_000

    fuzziness: float = param(1.1, doc="how much clusters share at first; towards 1 every record has one", above=1)
    steps: int = param(5, doc="how often centres move before clusters that are too small are given up", at_least=1)

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        from sfumato.algorithms.microaggregation.fuzzy_groups import fuzzy_groups

        return fuzzy_groups(points, k, random, fuzziness=self.fuzziness, steps=self.steps)
