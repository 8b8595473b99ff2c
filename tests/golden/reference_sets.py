"""The three tables on which ways of microaggregation are compared, and what printed or measured losses they have.

Losses are 100 SSE / SST for groups of at least 3, 4, 5 and 10, on standardized columns in the order of the file. They
were printed by Lin et al. (2010), Chang et al. (2007) and Kabir (2010), tables 6.1 to 6.3, where not said otherwise.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato.datasets.adult import data_folder

FILES = {"census": "census_1080x13.csv", "tarragona": "tarragona_834x13.csv", "eia": "eia_4092x11.csv"}
SIZES = (3, 4, 5, 10)

Points = NDArray[np.float64]


@cache
def reference_set(name: str, *, standardized: bool = True) -> Points:
    """One of the tables; `eia_sales` is EIA without the number of the utility."""
    path = data_folder() / "microaggregation" / FILES[name.removesuffix("_sales")]
    if not path.is_file():
        pytest.skip(f"the reference set {name} is not there")
    points = np.loadtxt(path, delimiter=",", skiprows=1)
    points = np.ascontiguousarray(points[:, 1:] if name.endswith("_sales") else points)
    if standardized:
        points = (points - points.mean(axis=0)) / points.std(axis=0, ddof=1)
    return points


def loss(points: Points, labels: NDArray[np.int32]) -> float:
    """100 SSE / SST."""
    sizes = np.bincount(labels)
    means = np.stack([np.bincount(labels, weights=column) for column in points.T], axis=1) / sizes[:, None]
    return float(100 * ((points - means[labels]) ** 2).sum() / ((points - points.mean(axis=0)) ** 2).sum())


def printed(figure: str) -> object:
    """A figure to all digits that are printed; it may have been rounded to six digits before."""
    return pytest.approx(float(figure), abs=0.51 * 10.0 ** -len(figure.split(".")[1]), rel=1e-5)
