"""Errors in percent by k: of a learner on raw records, on masked ones, and without the quasi columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from benchmarks.figures.data_sets import DataSet
from benchmarks.figures.figure import Claim
from sfumato.algorithms import TopDownRefinement
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.evaluation.learners import C45
from sfumato.evaluation.workloads import Classification, Split
from sfumato.models import KAnonymity

GRID = (20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 300, 400, 500, 600, 700, 800, 900, 1000)
"""Values of k: the paper names 20, 60, 180, 200, 300, 500, 600 and 1000 and says that they are not evenly spaced."""

Errors = list[tuple[float, float]]


@dataclass(frozen=True, eq=False)
class MaskedErrors:
    """One data set, one quasi-identifier, one learner; masked by top-down refinement.

    `masking="all"` is how the paper did it: all records are masked at once, so the classes of the test records take
    part. With `masking="train"` they do not.
    """

    data: DataSet
    quasi: tuple[str, ...]
    learner: Any = field(default_factory=C45)
    masking: Literal["all", "train"] = "all"
    taxonomies: Mapping[str, Any] = field(default_factory=dict)
    split: Split | None = None

    @cached_property
    def baseline(self) -> float:
        """BE."""
        return self._error(self.data.frame)

    @cached_property
    def upper(self) -> float:
        """UE."""
        return self._error(self.data.frame, without=self.quasi)

    def masked(self, ks: Sequence[int]) -> Errors:
        """AE for every k."""
        return [(k, self._masked(k)) for k in ks]

    def flat(self, error: float, ks: Sequence[int]) -> Errors:
        """The same error for every k, to be drawn beside the others."""
        return [(k, error) for k in ks]

    def release(self, k: int) -> Any:
        """All records masked at once."""
        return TopDownRefinement().anonymize(self._table, KAnonymity(k=k))

    @cached_property
    def _table(self) -> Table:
        return Table.from_frame(self.data.frame, self._schema)

    @property
    def _schema(self) -> Schema:
        return self.data.schema(self.quasi, self.taxonomies)

    @property
    def _classification(self) -> Classification:
        return Classification(learner=self.learner, masking=self.masking)

    def _masked(self, k: int) -> float:
        if self.masking == "all":
            return self._error(self.release(k).frame(), nominal=self.quasi)
        whole, split = self.data.frame, self.split or self.data.split
        found = self._classification.measure(whole, self._schema, TopDownRefinement(), KAnonymity(k=k), split)
        return 100 * found.masked

    def _error(self, frame: Any, **given: Any) -> float:
        split = self.split or self.data.split
        return 100 * self._classification.error(frame, self.data.target, split, **given)


def near(said: str, printed: float, found: float, tolerance: float) -> Claim:
    """A printed number in percent, and one found that may be so far from it."""
    away = f"{found:.2f} % ({found - printed:+.2f}, tolerance {tolerance:g})"
    return Claim(said, away, abs(found - printed) <= tolerance + 1e-9)


def worst(errors: Errors, baseline: float, *, upto: float = float("inf")) -> tuple[float, float]:
    """The k at which masking costs most, and what it costs."""
    return max(((k, error - baseline) for k, error in errors if k <= upto), key=lambda found: found[1])
