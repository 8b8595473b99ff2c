"""Points whose clusters nobody would doubt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CENTRES = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 25.0]])


def blobs(each: int = 20, seed: int = 1) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Points around three centres in mixed order, and the centre of every point, numbered as they first occur."""
    random = np.random.default_rng(seed)
    where = np.concatenate([[0, 1, 2], random.permutation(np.repeat([0, 1, 2], each - 1))]).astype(np.int32)
    return CENTRES[where] + random.normal(scale=0.5, size=(len(where), 2)), where
