"""Shuffling: deal the values out again so that they suit the other columns as well as before."""

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
    """Deals the values of the columns out again, so that they suit each other and given columns about as before.

    Random numbers are drawn that go with the given columns as the true ones do (a normal copula with the same rank
    correlations), and the true values are put in their order. Every column keeps its values exactly, rank correlations
    stay about the same, and a record's masked values say no more about the true ones than its given columns do. Without
    given columns, masked values have nothing to do with the record any more.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 30, 40, 50, 60], "pay": [10, 20, 30, 40, 50]})
    >>> Shuffling(given=("age",)).mask(people, ["pay"], seed=1)["pay"].to_pylist()
    [10, 20, 30, 40, 50]

    References: Muralidhar and Sarathy (2006), Data shuffling: a new masking approach for numerical data.
    """

    reads_kind = "numbers"

    given: tuple[str, ...] = param((), doc="columns of numbers that stay as they are and that masked values must suit")

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns to suit."""
        return self.given

    def _mask(self, values: Matrix, random: Randomness, beside: Matrix) -> Matrix:
        for place, drawn in enumerate(self._drawn(values, beside, random).T):
            here = np.flatnonzero(~np.isnan(values[:, place]))
            values[here[np.argsort(drawn[here], kind="stable")], place] = np.sort(values[here, place])
        return values

    def _drawn(self, values: Matrix, beside: Matrix, random: Randomness) -> Floats:
        """Normal numbers that go with the given columns as the values do, and otherwise are free."""
        wide = values.shape[1]
        scores = normal_scores(np.column_stack([values, beside]))
        correlation = _correlation(scores)
        towards, among = correlation[:wide, wide:], correlation[wide:, wide:]
        slope = towards @ np.linalg.pinv(among, rcond=1e-9)
        size, direction = np.linalg.eigh(correlation[:wide, :wide] - slope @ towards.T)
        free = random.standard_normal(values.shape) @ (direction * np.sqrt(np.maximum(size, 0.0))).T
        drawn: Floats = scores[:, wide:] @ slope.T + free
        return drawn


def normal_scores(values: Floats) -> Floats:
    """Every number as the normal number of the same rank; equal ones share theirs, and a missing one gets the middle.

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
    """The correlations of normal scores; a column that is the same everywhere has none."""
    spread = scores.std(axis=0)
    scaled = (scores - scores.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    found: Floats = scaled.T @ scaled / len(scores)
    np.fill_diagonal(found, 1.0)
    return found
