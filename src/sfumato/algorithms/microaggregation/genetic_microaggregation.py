"""Genetic microaggregation: groupings that have children."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.algorithms.microaggregation.base import Labels, Microaggregation, Points
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class GeneticMicroaggregation(Microaggregation):
    """Microaggregation by a genetic algorithm: of many groupings the better ones are crossed and changed by chance.

    A grouping is a string of group numbers, one a record. A child is one parent with a group of the other put in whole;
    then maybe two records change places. Whoever lost a group is put into the nearest, so that every group always has k
    to 2k - 1 records. A child that is better than the worst takes its place. This works for about 50 records, so larger
    tables are first cut into blocks of at least 50 by MDAV, in two steps.

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

    randomized = True

    population: int = param(50, doc="how many groupings live at a time", at_least=2)
    generations: int = param(400, doc="how many children each of them has, on average", at_least=0)

    def _partition(self, points: Points, k: int, random: np.random.Generator) -> Labels:
        from sfumato.algorithms.microaggregation.bred_groups import bred_groups

        return bred_groups(points, k, random, population=self.population, generations=self.generations)
