"""Dimensionality reduction-based transformation (DRBT): records as points with fewer coordinates, for clustering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError, ParameterError, UsageError, listed
from sfumato.evaluation.workloads.stress import stress
from sfumato.operations.project import projection
from sfumato.settings.params import Declared, param


@dataclass(frozen=True, eq=False)
class DrbtResult:
    """The transformed records, and how much their distances changed (0 means not at all)."""

    frame: Any = field(repr=False)
    stress: float


@dataclass(frozen=True, kw_only=True)
class Drbt(Declared):
    """Publishes random mixtures of numeric columns, fewer than there were, so that clusters can still be found.

    The chosen columns are scaled to mean 0 and variance 1 and multiplied by a secret random matrix that preserves
    squared distances on average. All other columns are left out, including identifiers.

    This hides values, but gives no formal guarantee. Distances are roughly preserved, so an attacker who knows some
    records can find them and their neighbours. An attacker who learns the matrix, or the `seed` that reproduces it, can
    recover much of the original. Neither is part of the result; without a seed, nobody can draw the matrix again.
    Publish with a privacy model if you need a guarantee.

    >>> import pyarrow as pa
    >>> frame = pa.table({"name": ["a", "b", "c"], "x": [1, 2, 4], "y": [3.0, 9.0, 1.0], "z": [0, 5, 5]})
    >>> Drbt(dimensions=2, seed=7).transform(frame, ["x", "y", "z"]).frame.column_names
    ['c1', 'c2']

    References: Oliveira and Zaiane (2007), "A privacy-preserving clustering approach toward secure and effective data
    analysis for business collaboration"; book, section 7.3.
    """

    dimensions: int = param(doc="how many columns to publish; fewer than are read", at_least=1)
    matrix: Literal["gaussian", "sparse"] = param("gaussian", doc="how the secret matrix is drawn")
    sample: int | None = param(5_000_000, doc="how many pairs of records to measure the stress on", at_least=1)
    seed: int | None = field(
        default=None, repr=False
    )  # as secret as the matrix: a setting that is never shown or saved

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seed is not None and (not isinstance(self.seed, int) or self.seed < 0):
            raise ParameterError("'seed' of Drbt must be a whole number of 0 and more, or none to draw a new matrix.")

    def transform(self, frame: Any, columns: Sequence[str]) -> DrbtResult:
        """Transform the given numeric columns to columns c1, c2, ... of the same kind of frame, in row order."""
        from sfumato.engines.frames.matrices import from_matrix, to_matrix

        self._check(columns)
        standard = _standard(to_matrix(frame, columns))
        mixed = standard @ projection(len(columns), self.dimensions, matrix=self.matrix, seed=self.seed)
        names = [f"c{number}" for number in range(1, self.dimensions + 1)]
        return DrbtResult(from_matrix(frame, mixed, names), stress(standard, mixed, sample=self.sample))

    def _check(self, columns: Sequence[str]) -> None:
        twice = sorted({name for name in columns if list(columns).count(name) > 1})
        if isinstance(columns, str) or twice:
            raise UsageError(f"'columns' must be a list of different names; got {listed(twice) or 'a text'}.")
        if self.dimensions >= len(columns):
            raise UsageError(
                f"{len(columns)} columns cannot be hidden in {self.dimensions}: as many equations as unknowns can be "
                "solved. Publish fewer dimensions, or choose more columns."
            )


def _standard(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every column scaled to mean 0 and variance 1; a constant column becomes 0."""
    if len(points) < 2:
        raise DataError(f"distances need at least two records; the frame has {len(points)}.")
    constant = (points == points[:1]).all(axis=0)
    centred = points - points.mean(axis=0)
    spread = np.sqrt((centred**2).mean(axis=0))
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, spread))
