"""Small tables of small whole numbers, on which there are ties of every kind and sums are exact."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.oracles.plain_microaggregation import Groups, labels_of


@st.composite
def small_points(draw: st.DrawFn, *, most: int = 30, at_least: int = 1) -> NDArray[np.float64]:
    """Up to so many points in one to three columns."""
    rows, columns = draw(st.integers(at_least, most)), draw(st.integers(1, 3))
    widest = draw(st.sampled_from([1, 3, 20]))
    cells = draw(st.lists(st.integers(0, widest), min_size=rows * columns, max_size=rows * columns))
    return np.array(cells, dtype=np.float64).reshape(rows, columns)


def same(labels: NDArray[np.int32], groups: Groups) -> bool:
    """Whether labels and groups say the same, whatever the groups' numbers are."""
    expected = labels_of(groups, len(labels))
    pairs = set(zip(labels.tolist(), expected.tolist(), strict=True))
    return len(pairs) == len(set(labels.tolist())) == len(groups)


def numbered(labels: NDArray[np.int32], k: int, most: int) -> bool:
    """Whether groups are numbered without gaps, and have k to `most` records, or there is one group."""
    sizes = np.bincount(labels)
    return len(sizes) == 1 or bool(sizes.min() >= k and sizes.max() <= most)
