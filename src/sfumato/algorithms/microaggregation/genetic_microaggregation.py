"""Genetic microaggregation: the algorithm and the function that makes its groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.algorithms.microaggregation.group_sizes import split
from sfumato.algorithms.microaggregation.mdav import mdav_groups
from sfumato.settings.params import param

BLOCK = 50
"""A genetic algorithm works well for about this number of records; more are first cut into blocks of at least that."""


@dataclass(frozen=True, kw_only=True)
class GeneticMicroaggregation(Microaggregation):
    """Microaggregation by a genetic algorithm: the better of many partitions are crossed and mutated at random.

    A chromosome has one group number per record. A child is a copy of one parent into which one group of the other
    parent is put as a whole; at random, two records then change places. Records that lost their group join the nearest
    one, so that every group always has k to 2k - 1 records. A child that is better than the worst chromosome replaces
    it. This works for about 50 records, so larger tables are first cut into blocks of at least 50 by MDAV.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["21", "22", "23", "40", "41", "60", "61", "62"]})
    >>> way = GeneticMicroaggregation(population=10, generations=50)
    >>> way.anonymize(ages, KAnonymity(k=2)).recoding.labels["age"].texts
    ('22', '40.5', '61')

    References: Solanas, Martínez-Ballesté, Mateo-Sanz and Domingo-Ferrer (2006), Multivariate microaggregation based
    genetic algorithms; Kabir (2010), section 6.2.
    """

    population: int = param(50, doc="the number of partitions that are kept", at_least=2)
    generations: int = param(400, doc="the number of children of each of them, on average", at_least=0)

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        return genetic_groups(points, k, random, population=self.population, generations=self.generations)


def genetic_groups(points: Points, k: int, random: np.random.Generator, *, population: int, generations: int) -> Labels:
    """Cut the points into blocks of at least 50 by MDAV (of 2k, where that is more) and evolve groups in each block."""
    from sfumato.algorithms.microaggregation.loops.genetic_microaggregation import evolve
    from sfumato.kernels.random import chance_from

    chance = chance_from(int(random.integers(2**32)))
    blocks = mdav_groups(points, max(BLOCK, 2 * k), ending="mdav")
    return split(points, blocks, k, lambda part, k: evolve(part, k, population, population * generations, chance))
