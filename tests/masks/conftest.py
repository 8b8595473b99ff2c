"""A frame of two numbers that go together, and the numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest


@pytest.fixture(scope="session")
def wide():
    random = np.random.default_rng(0)
    x = random.normal(10, 3, 4000)
    matrix = np.column_stack([x, 2 * x + random.normal(0, 3, 4000)])
    return pa.table({"x": matrix[:, 0], "y": matrix[:, 1], "z": random.normal(size=4000)}), matrix
