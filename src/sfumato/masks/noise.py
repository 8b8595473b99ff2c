"""Noise: add a random number to every value, independently for each column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.masks.base import Mask, Matrix
from sfumato.runtime.secret_random import Randomness
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Noise(Mask):
    """Adds normal noise to every number, in proportion to the standard deviation of its column.

    Means are preserved on average, variances grow by the square of the share, and correlations shrink, because the
    noise of each column is independent. Outliers stay outliers: noise hides their exact value, not their existence.

    >>> import pyarrow as pa
    >>> ages = pa.table({"age": [20, 30, 40, 50]})
    >>> [round(age) for age in Noise(share=0.1).mask(ages, ["age"], seed=1)["age"].to_pylist()]
    [20, 31, 40, 49]

    References: Spruill (1983); Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods
    for microdata.
    """

    draws_decimals = True

    share: float = param(0.1, doc="standard deviation of the noise, as a share of the column's", above=0)

    def _mask(self, values: Matrix, random: Randomness, others: Matrix) -> Matrix:
        made: Matrix = values + self.share * np.nanstd(values, axis=0) * random.standard_normal(values.shape)
        return made
