"""k-Ward: Ward's hierarchical clustering with groups of at least k records, and the functions that make its groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.group_sizes import all_equal, consecutive_groups, split


@dataclass(frozen=True, kw_only=True)
class KWard(Microaggregation):
    """Ward's hierarchical clustering with groups of at least k: merges groups where the squared error grows least.

    The two records farthest from each other start a group each with their k - 1 nearest; every other record starts
    alone. Groups with fewer than k records are merged with each other or with larger groups, the cheapest merge first,
    but two groups that both have k records are never merged. Groups with 2k records or more are grouped again by
    themselves, so groups have k to 2k - 1 records.

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
        return ward_groups(points, k)


def ward_groups(points: Points, k: int) -> Labels:
    """Merge groups by Ward's method, then do the same inside every group of 2k records or more, until there is none.

    Only groups with fewer than k records look for another group to merge with.
    """
    labels = np.zeros(len(points), dtype=np.int32)
    while np.bincount(labels).max() >= 2 * k:
        labels = split(points, labels, k, _group_once)
    return labels


def _group_once(points: Points, k: int) -> Labels:
    """One round of merging: two groups of k at the farthest pair, every other record alone, then Ward's merges."""
    from sfumato.algorithms.microaggregation.loops.k_ward import merge_by_ward
    from sfumato.algorithms.microaggregation.loops.maximum_distance import farthest_pairs

    if all_equal(points):  # otherwise every round would only split off two groups of k
        return consecutive_groups(len(points), k)
    labels = farthest_pairs(points, k, outermost=True, most=1)
    alone = labels < 0
    labels[alone] = np.arange(2, 2 + alone.sum())
    return np.unique(merge_by_ward(points, labels, k), return_inverse=True)[1].astype(np.int32)
