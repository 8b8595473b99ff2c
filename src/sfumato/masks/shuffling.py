"""Shuffling: reassign the values of columns so that rank correlations with other columns are preserved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.masks.base import Mask, Matrix
from sfumato.runtime.secret_random import Randomness
from sfumato.settings.params import param

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Shuffling(Mask):
    """Reassigns the values of the columns to other records so that rank correlations are about preserved.

    Random numbers are drawn with the same rank correlations to the columns in `given` as the true values have (a normal
    copula), and the true values are assigned in their order. Every column keeps its set of values exactly, and a
    record's masked values reveal no more about the true ones than its given columns do. Without given columns, masked
    values are independent of the record.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 30, 40, 50, 60], "pay": [10, 20, 30, 40, 50]})
    >>> Shuffling(given=("age",)).mask(people, ["pay"], seed=1)["pay"].to_pylist()
    [10, 20, 30, 40, 50]

    References: Muralidhar and Sarathy (2006), Data shuffling: a new masking approach for numerical data.
    """

    reads_kind = "numbers"

    given: tuple[str, ...] = param((), doc="unchanged numeric columns whose correlations with masked values are kept")

    @property
    def reads(self) -> tuple[str, ...]:
        """The given columns."""
        return self.given

    def _mask(self, values: Matrix, random: Randomness, others: Matrix) -> Matrix:
        for place, drawn in enumerate(self._draw_scores(values, others, random).T):
            here = np.flatnonzero(~np.isnan(values[:, place]))
            values[here[np.argsort(drawn[here], kind="stable")], place] = np.sort(values[here, place])
        return values

    def _draw_scores(self, values: Matrix, others: Matrix, random: Randomness) -> Floats:
        """Normal numbers with the correlations of the values to the given columns, and otherwise random."""
        wide = values.shape[1]
        scores = normal_scores(np.column_stack([values, others]))
        correlation = _correlation(scores)
        towards, among = correlation[:wide, wide:], correlation[wide:, wide:]
        slope = towards @ np.linalg.pinv(among, rcond=1e-9)
        size, direction = np.linalg.eigh(correlation[:wide, :wide] - slope @ towards.T)
        free = random.standard_normal(values.shape) @ (direction * np.sqrt(np.maximum(size, 0.0))).T
        drawn: Floats = scores[:, wide:] @ slope.T + free
        return drawn


def normal_scores(values: Floats) -> Floats:
    """Every number replaced by the normal quantile of its rank; ties share one, and a missing number gets 0.

    >>> normal_scores(np.array([[5.0], [9.0], [7.0]])).round(2).tolist()
    [[-0.97], [0.97], [0.0]]
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    found = np.zeros_like(values)
    for place, column in enumerate(values.T):
        here = ~np.isnan(column)
        found[here, place] = ndtri((rankdata(column[here]) - 0.5) / max(int(here.sum()), 1))
    return found


def _correlation(scores: Floats) -> Floats:
    """The correlations of normal scores; a constant column has none."""
    spread = scores.std(axis=0)
    scaled = (scores - scores.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    found: Floats = scaled.T @ scaled / len(scores)
    np.fill_diagonal(found, 1.0)
    return found
