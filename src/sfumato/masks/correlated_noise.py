"""Correlated noise: add random numbers with the same correlations as the columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.errors import DataError
from sfumato.masks.base import Mask, Matrix
from sfumato.runtime.secret_random import Randomness
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class CorrelatedNoise(Mask):
    """Adds normal noise with the same correlations as the columns, so that correlations are preserved on average.

    The covariances of the noise are those of the data times the square of the share. All variances grow by the same
    factor; with `keep_spread`, masked numbers are shrunk towards their mean, so that variances and covariances are
    preserved on average, too.

    >>> import numpy as np, pyarrow as pa
    >>> line = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": [2.0, 4.0, 6.0, 8.0]})
    >>> made = CorrelatedNoise(share=0.5).mask(line, ["x", "y"], seed=1)
    >>> bool(np.allclose(2 * np.array(made["x"]), np.array(made["y"])))
    True

    References: Kim (1986), A method for limiting disclosure in microdata based on random noise and transformation.
    """

    draws_decimals = True

    share: float = param(0.1, doc="standard deviation of the noise, as a share of each column's", above=0)
    keep_spread: bool = param(False, doc="whether to shrink numbers towards their mean, to preserve variances")

    def _mask(self, values: Matrix, random: Randomness, others: Matrix) -> Matrix:
        complete = values[~np.isnan(values).any(axis=1)]
        if len(complete) < 2:
            raise DataError(
                "correlated_noise needs at least two records without a missing value to estimate covariances; "
                "use noise, or mask fewer columns at a time."
            )
        covariance = np.cov(complete.T, ddof=0).reshape(values.shape[1], -1)
        size, direction = np.linalg.eigh(covariance)
        root = direction * np.sqrt(np.maximum(size, 0.0))
        made: Matrix = values + self.share * random.standard_normal(values.shape) @ root.T
        if self.keep_spread:
            centre = np.nanmean(values, axis=0)
            made = centre + (made - centre) / np.sqrt(1 + self.share**2)
        return made
