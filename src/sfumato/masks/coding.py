"""Coding: top and bottom coding, which replaces the largest and the smallest values."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import Literal

import numpy as np

from sfumato.errors import ParameterError
from sfumato.masks.base import Mask, Matrix
from sfumato.runtime.secret_random import Randomness
from sfumato.settings.params import param

_ROUNDING = 1e-9

MIN_FOR_MEAN = 3
"""The mean of fewer numbers would reveal too much about each of them."""


@dataclass(frozen=True, kw_only=True)
class Coding(Mask):
    """Replaces numbers above one limit and below another by the limit, or by the mean of all numbers beyond it.

    This is top and bottom coding: it hides persons with extreme values, such as the highest income. A limit is a fixed
    value, or is chosen so that at most a share of the records lies beyond it; a share of 0 leaves that end unchanged.

    >>> import pyarrow as pa
    >>> Coding(top_share=0.25, bottom_share=0).mask(pa.table({"age": [21, 23, 48, 99]}), ["age"])["age"].to_pylist()
    [21, 23, 48, 48]
    """

    randomized = False
    needs_spread = False

    top: float | None = param(None, doc="the largest value to publish; by default from 'top_share'")
    bottom: float | None = param(None, doc="the smallest value to publish; by default from 'bottom_share'")
    top_share: float = param(0.05, doc="share of the records that may lie above the limit", at_least=0, at_most=1)
    bottom_share: float = param(0.05, doc="share of the records that may lie below the limit", at_least=0, at_most=1)
    put: Literal["limit", "mean"] = param("limit", doc="what replaces numbers beyond a limit: the limit, or their mean")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.top is not None and self.bottom is not None and self.top < self.bottom:
            raise ParameterError(f"'top' must not be below 'bottom'; got {self.top} and {self.bottom}.")

    def _mask(self, values: Matrix, random: Randomness, others: Matrix) -> Matrix:
        for column in values.T:  # views: writing to a column changes `values`
            present = np.sort(column[~np.isnan(column)])
            high = _limit(present, self.top, self.top_share)
            low = min(-_limit(-present[::-1], None if self.bottom is None else -self.bottom, self.bottom_share), high)
            above, below = column > high, column < low
            for beyond, limit in ((above, high), (below, low)):
                if beyond.any():
                    column[beyond] = (
                        column[beyond].mean() if self.put == "mean" and beyond.sum() >= MIN_FOR_MEAN else limit
                    )
        return values


def _limit(ordered: Matrix, value: float | None, share: float) -> float:
    """The largest number to publish: the given value, or a sorted number so that at most the share lies above it."""
    if value is not None:
        return value
    left = len(ordered) - floor(share * len(ordered) + _ROUNDING)
    return float(ordered[max(left, 1) - 1]) if len(ordered) else 0.0
