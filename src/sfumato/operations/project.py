"""Project: a random projection to fewer coordinates that roughly preserves distances.

The workload `drbt` and the microaggregation of many columns use it.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError

Matrix = Literal["gaussian", "sparse"]


def projection(columns: int, dimensions: int, *, matrix: Matrix, seed: int | None) -> NDArray[np.float64]:
    """A random matrix that maps `columns` coordinates to `dimensions` and preserves squared distances on average.

    `gaussian` draws every column of the matrix as a uniformly random direction; `sparse` draws entries 1, 0 and -1 with
    probabilities 1/6, 2/3 and 1/6, so that two thirds of the products vanish. Both are scaled so that the expected
    squared length of a projected point is that of the point: directions of length 1 by the root of
    columns / dimensions, sparse entries by the root of 3 / dimensions. Without a seed every call draws another matrix.

    >>> projection(4, 2, matrix="sparse", seed=1).shape
    (4, 2)

    References: Achlioptas (2001), "Database-friendly random projections"; book, equations 7.9 to 7.11.
    """
    for name, value in (("columns", columns), ("dimensions", dimensions)):
        if value < 1:
            raise ParameterError(f"{name!r} must be at least 1; got {value!r}.")
    random = np.random.default_rng(seed)
    if matrix == "gaussian":
        drawn = random.standard_normal((columns, dimensions))
        lengths = np.sqrt((drawn**2).sum(axis=0))
        return np.asarray(drawn / lengths * np.sqrt(columns / dimensions))
    if matrix == "sparse":
        signs = random.choice(np.array([1.0, 0.0, -1.0]), size=(columns, dimensions), p=[1 / 6, 2 / 3, 1 / 6])
        return np.asarray(signs * np.sqrt(3 / dimensions))
    raise ParameterError(f"'matrix' must be one of 'gaussian', 'sparse'; got {matrix!r}.")
