"""What somebody believes who knows how people like a given one are: the nearer they are, the more they count."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.knowledge.conditions import summing_up
from sfumato.knowledge.priors import Priors
from sfumato.table import Table

Numbers = NDArray[np.float64]
Codes = NDArray[np.int32]

_CELLS = 2**22
"""Pairs of people that are compared at once, 32 MB."""


def kernel_prior(table: Table, bandwidth: float, column: str, sensitive: str = "") -> tuple[Priors, Codes]:
    """For every row of a table of original values how likely each sensitive value is, and the number of its prior.

    Everybody counts as much as a bell over the distance in each quasi column says (Epanechnikov's kernel), all of them
    multiplied; whoever is `bandwidth` away or more in one column does not count. So a small bandwidth stands for much
    knowledge: up to the smallest distance of all it is that of people who agree on every quasi column. Above 1,
    everybody counts. Every pair of different people is compared, so time grows with their square.

    >>> from sfumato.datasets import hospital
    >>> priors, codes = kernel_prior(hospital(), 0.1, "prior")
    >>> priors.values, priors.chances[codes[:2]].tolist()
    (('Flu', 'HIV', 'Hepatitis'), [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]])

    References: Li and Li (2009), modeling and integrating background knowledge; book, section 2.5.3.
    """
    if not 0 < bandwidth < np.inf:
        raise ParameterError(f"'bandwidth' must be a number > 0; got {bandwidth!r}.")
    name, quasi = table.schema.one_sensitive(sensitive), table.schema.quasi
    people, number = table.condensed(quasi)
    counts = np.zeros((len(people), len(table.domain(name))))
    np.add.at(counts, (number, table.codes[name]), table.counts)
    weights = [np.maximum(0.0, 1 - (distances(table, one) / bandwidth) ** 2) for one in quasi]
    spread = np.empty_like(counts)
    step = max(1, _CELLS // max(len(people), 1))
    for start in range(0, len(people), step):
        rows = slice(start, start + step)
        near = np.ones((len(spread[rows]), len(people)))
        for one, weight in zip(quasi, weights, strict=True):
            near *= weight[people.codes[one][rows]][:, people.codes[one]]
        spread[rows] = near @ counts
    priors, codes = Priors.of_chances(column, table.domain(name).texts, summing_up(spread))
    return priors, codes[number]


def distances(table: Table, column: str) -> Numbers:
    """How far apart the values of a column are, from 0 to 1.

    Numbers and dates by their difference as a share of the widest; texts by how high in the taxonomy they meet, or 1
    without one. A missing value is as far from any other as can be.

    >>> from sfumato.datasets import hospital
    >>> table = hospital()
    >>> table.domain("Job").texts, distances(table, "Job")[0].tolist()
    (('Engineer', 'Lawyer', 'Dancer', 'Writer'), [0.0, 0.5, 1.0, 1.0])
    """
    domain, taxonomy = table.domain(column), table.taxonomies.get(column)
    if domain.numbers is not None:
        here = domain.numbers[: domain.present]
        apart = np.ones((len(domain), len(domain)))
        widest = float(here.max() - here.min()) if len(here) else 0.0
        apart[: len(here), : len(here)] = np.abs(here[:, None] - here) / (widest or 1.0)
        np.fill_diagonal(apart, 0.0)
        return apart
    if taxonomy is None or not taxonomy.height:
        return 1.0 - np.eye(len(domain))
    torn = [level[:, None] != level for level in taxonomy.nodes[:-1]]
    return np.asarray(np.sum(torn, axis=0) / taxonomy.height, dtype=np.float64)
