"""mu-Approx: an approximation within a constant factor of the optimum, and the function that makes its groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.group_sizes import split
from sfumato.algorithms.microaggregation.mdav import mdav_groups


@dataclass(frozen=True, kw_only=True)
class MuApprox(Microaggregation):
    """Approximation by a forest: links every record to its nearest until all trees have k records.

    Trees of more than max(2k - 1, 3k - 5) records are split where both sides keep k. A tree that still has 2k or more
    becomes two groups: the record farthest from the centroid with its k - 1 nearest, and the others. The squared error
    is then at most a constant factor, which depends on k alone, above the least possible. Groups have k to 2k - 1
    records. Where the paper leaves the choice of a record or tree open, the one farthest from the mean comes first.

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
        return mu_approx_groups(points, k)


def mu_approx_groups(points: Points, k: int) -> Labels:
    """Grow a forest of trees of at least k records, split large trees, and halve those that still have 2k or more.

    Records are linked in the order of their distance from the mean, the farthest first. A tree that is still too large
    is halved by MDAV: the record farthest from its mean with the k - 1 nearest, and the others.
    """
    if len(points) < 2 * k:
        return np.zeros(len(points), dtype=np.int32)
    from sfumato.algorithms.microaggregation.loops.mu_approx import grow_forest, split_trees

    order = np.argsort(-((points - points.mean(axis=0)) ** 2).sum(axis=1), kind="stable").astype(np.int32)
    labels = split_trees(points, grow_forest(points, k, order), k)
    return split(points, labels, k, partial(mdav_groups, ending="generic"))
