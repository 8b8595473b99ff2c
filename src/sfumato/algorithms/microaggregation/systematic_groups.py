"""Groups that all grow at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.sorting import row_sums

Labels = NDArray[np.int32]
Points = NDArray[np.float64]
Loss = Literal["sse", "adm"]


def systematic_groups(points: Points, k: int, order: Sequence[int], *, loss: Loss = "sse") -> Labels:
    """As many groups of k as there can be, seeded by every k-th record by sum; all others go where they cost least.

    `order` has the places 1 to k in every stretch of k records in the order in which they come: the first are the
    seeds. A group of k takes no more until all have k; then the last few join, each where it costs least.
    """
    from sfumato.algorithms.microaggregation.loops.systematic import grown_by_medians, grown_by_squares

    if len(points) < 2 * k:
        return np.zeros(len(points), dtype=np.int32)
    turns = arrivals(np.argsort(row_sums(points), kind="stable"), k, order)
    grown = grown_by_squares if loss == "sse" else grown_by_medians
    return grown(points, k, turns)


def arrivals(ordered: NDArray[np.int64], k: int, order: Sequence[int]) -> NDArray[np.int32]:
    """Every k-th record from the first place in the order on, then from the second, and the last few in the end."""
    whole = len(ordered) // k * k
    steps = [ordered[place - 1 : whole : k] for place in order]
    return np.concatenate([*steps, ordered[whole:]]).astype(np.int32)
