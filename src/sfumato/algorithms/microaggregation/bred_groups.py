"""Groups found by a genetic algorithm, block of near records by block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.mdav_groups import mdav_groups
from sfumato.algorithms.microaggregation.splitting import split

Labels = NDArray[np.int32]
Points = NDArray[np.float64]

BLOCK = 50
"""A genetic algorithm is good at about so many records; more are cut into blocks of at least so many first."""


def bred_groups(points: Points, k: int, random: np.random.Generator, *, population: int, generations: int) -> Labels:
    """Blocks of 50 records by MDAV (of 2k, where that is more), in each of which groups are bred."""
    from sfumato.algorithms.microaggregation.loops.genetic_microaggregation import bred
    from sfumato.kernels.random import chance_from

    chance = chance_from(int(random.integers(2**32)))
    blocks = mdav_groups(points, max(BLOCK, 2 * k), ending="mdav")
    return split(points, blocks, k, lambda part, k: bred(part, k, population, population * generations, chance))
