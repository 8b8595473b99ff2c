"""Every way of microaggregation in tables 6.1 to 6.3 of Kabir (2010), the three files they compare on, and the loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.improvement.lower_bound import lower_bound
from sfumato.algorithms.improvement.simulated_annealing import improve_groups
from sfumato.algorithms.microaggregation.dba import dba_1_groups, dba_2_groups
from sfumato.algorithms.microaggregation.mdav import mdav_groups
from sfumato.algorithms.microaggregation.mdav_2 import mdav_2_groups
from sfumato.algorithms.microaggregation.mhm import path_groups
from sfumato.algorithms.microaggregation.mst import mst_groups
from sfumato.algorithms.microaggregation.mu_approx import mu_approx_groups
from sfumato.algorithms.microaggregation.pairwise_systematic import pairwise_groups
from sfumato.algorithms.microaggregation.tfrp import tfrp_1_groups, tfrp_2_groups
from sfumato.datasets.adult import data_folder
from sfumato.errors import DataError

Labels = NDArray[np.int32]
Points = NDArray[np.float64]
Method = Callable[[Points, int], Labels]

FILES = {"Tarragona": "tarragona_834x13.csv", "Census": "census_1080x13.csv", "EIA": "eia_4092x11.csv"}

mdav: Method = partial(mdav_groups, ending="mdav")

METHODS: Mapping[str, Method] = {
    "MDAV-MHM": partial(path_groups, path="mdav"),
    "MD-MHM": partial(path_groups, path="md"),
    "CBFS-MHM": partial(path_groups, path="cbfs"),
    "NPN-MHM": partial(path_groups, path="npn"),
    "M-d": partial(mst_groups, method="diameter"),
    "mu-Approx": mu_approx_groups,
    "TFRP-1": tfrp_1_groups,
    "TFRP-2": tfrp_2_groups,
    "MDAV-1": partial(mdav_groups, ending="mdav_1"),
    "MDAV-2": mdav_2_groups,
    "DBA-1": dba_1_groups,
    "DBA-2": dba_2_groups,
}
"""What P-S is compared with, by the names of the tables."""

READINGS: Mapping[str, Method] = {
    "P-S by centroid": partial(pairwise_groups, nearest="centroid"),
    "P-S by seed": partial(pairwise_groups, nearest="seed"),
}
"""What the thesis calls nearest: records that raise the squared errors of a group least, or those next to its seed."""


@cache
def numbers(file: str) -> Points:
    """A file of numbers as it is."""
    path = data_folder() / "microaggregation" / FILES[file]
    if not path.is_file():
        raise DataError(
            f"there is no file {path.name!r}; set SFUMATO_DATA to the folder that holds 'microaggregation'."
        )
    return np.loadtxt(path, delimiter=",", skiprows=1)


def standardized(points: Points) -> Points:
    """Every column with mean 0 and spread 1."""
    return np.ascontiguousarray((points - points.mean(axis=0)) / points.std(axis=0))


def squared_errors(points: Points, labels: Labels) -> float:
    """SSE: the squared distances of all records from the means of their groups."""
    sums = [np.bincount(labels, weights=column) for column in points.T]
    means = np.stack(sums, axis=1) / np.bincount(labels)[:, None]
    return float(((points - means[labels]) ** 2).sum())


def squared_total(points: Points) -> float:
    """SST: the SSE of one group of all."""
    return float(((points - points.mean(axis=0)) ** 2).sum())


def loss(points: Points, labels: Labels) -> float:
    """100 SSE / SST."""
    return 100 * squared_errors(points, labels) / squared_total(points)


def improved_loss(points: Points, k: int, seconds: float) -> float:
    """The loss of MDAV's groups after so many seconds of local search."""
    return loss(points, improve_groups(points, mdav(points, k), k, effort=np.inf, seed=0, seconds=seconds))


def least_loss(points: Points, k: int) -> float:
    """A loss that no partition into groups of at least k is below."""
    return 100 * lower_bound(points, k) / squared_total(points)
