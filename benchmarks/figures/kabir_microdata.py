"""What figures 5.2 to 5.4 of Kabir (2010) share: records that stand in for its census, and the two ways.

The thesis draws 10,000 records of a census file with nine discrete attributes that is not to be had. Adult comes from a
census too: once by its six columns of numbers, once by six columns of few values, of which categories are numbered.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures.kabir_methods import loss, mdav, standardized
from benchmarks.measure import repeated
from sfumato.algorithms.microaggregation.systematic_microaggregation import systematic_groups
from sfumato.datasets.adult import adult_file

Points = NDArray[np.float64]
Data = Literal["numbers", "codes"]

COLUMNS: dict[Data, tuple[str, ...]] = {
    "numbers": ("age", "education-num", "hours-per-week", "fnlwgt", "capital-gain", "capital-loss"),
    "codes": ("age", "sex", "education-num", "marital-status", "race", "workclass"),
}
RECORDS = 10_000
SIZES = tuple(range(5, 40, 5))
WIDTHS = (2, 3, 4, 5, 6)
RUNS = 5
SYSTEMATIC, MDAV, PLAIN = "systematic", "MDAV", "MDAV, all compared"


@cache
def everybody(data: Data) -> Points:
    """The 45,222 complete records in a random order."""
    from pyarrow import csv

    frame = csv.read_csv(adult_file(part="all"))
    columns = [_numbers(frame[name].to_numpy(zero_copy_only=False)) for name in COLUMNS[data]]
    return np.random.default_rng(0).permutation(np.stack(columns, axis=1), axis=0)


@cache
def sample(data: Data, width: int, scaled: bool, records: int = RECORDS) -> Points:
    """The first columns of the first so many records."""
    raw = np.ascontiguousarray(everybody(data)[:records, :width])
    return standardized(raw) if scaled else raw


def systematic_loss(points: Points, k: int, runs: int = RUNS) -> float:
    """100 SSE / SST of systematic microaggregation, the mean over random orders."""
    return float(np.mean([loss(points, systematic_groups(points, k, order(k, seed))) for seed in range(runs)]))


def mdav_loss(points: Points, k: int) -> float:
    """100 SSE / SST of MDAV."""
    return loss(points, mdav(points, k))


def milliseconds(name: str, points: Points, k: int) -> float:
    """Time of the processor to choose groups; the median of three."""
    from benchmarks.figures.kabir_plain_mdav import plain_mdav

    ways = {SYSTEMATIC: lambda: systematic_groups(points, k, order(k, 0)), MDAV: lambda: mdav(points, k)}
    ways[PLAIN] = lambda: plain_mdav(points, k)
    return 1000 * repeated(ways[name], 3).cpu


def order(k: int, seed: int) -> list[int]:
    """The places 1 to k in a random order."""
    return [int(place) + 1 for place in np.random.default_rng(seed).permutation(k)]


def _numbers(column: NDArray[np.generic]) -> Points:
    """Numbers as they are, categories numbered by the alphabet."""
    found = np.unique(column, return_inverse=True)[1] if column.dtype == object else column
    return np.asarray(found, dtype=np.float64)
