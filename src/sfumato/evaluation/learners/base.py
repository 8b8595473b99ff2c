"""The contract of a learner: from records whose class is known to a guess for others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import UsageError
from sfumato.evaluation.learners.features import Features
from sfumato.settings.params import Declared

Codes = NDArray[np.int32]
Weights = NDArray[np.float64]


class Known(NamedTuple):
    """Training records: what is seen, the class of each (numbered without gaps), its weight, and what classes mean."""

    features: Features
    classes: Codes
    weights: Weights
    codes: Codes


@dataclass(frozen=True, eq=False)
class Fitted(ABC):
    """What was learned; `like` has the columns and dictionaries of training, `classes` the class codes it knows."""

    like: Features
    classes: Codes

    def predict(self, features: Features) -> Codes:
        """The class code of every record; columns may come in any order, and names may be new."""
        found: Codes = self.classes[self._predict(features.aligned_with(self.like))]
        return found

    @abstractmethod
    def _predict(self, features: Features) -> NDArray[Any]:
        """A place in `classes` for every record."""


class Learner(Declared):
    """Base of all learners; an author writes `_fit`.

    Learners are here to measure what a release is still good for, so they are the ones the literature measures with.
    """

    def fit(self, features: Features, classes: Codes, weights: Weights | None = None) -> Fitted:
        """Learn from records and their class codes, each record counting as much as its weight (1 if not said).

        Features without a single column are allowed; all there is to learn then is which class is the commonest.
        """
        return self._fit(known(features, classes, weights))

    @abstractmethod
    def _fit(self, known: Known) -> Fitted:
        """Learn; there is at least one record, and as many classes and weights as records."""


def known(features: Features, classes: Codes, weights: Weights | None = None) -> Known:
    """Training records that fit together; what does not is refused."""
    given = np.asarray(classes)
    heavy = np.ones(len(given)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not len(features):
        raise UsageError("there is no record to learn from; give at least one.")
    for what, found in (("classes", len(given)), ("weights", len(heavy))):
        if found != len(features):
            raise UsageError(f"there are {len(features)} records and {found} {what}; give one for every record.")
    if not np.isfinite(heavy).all() or heavy.min() < 0 or heavy.sum() <= 0:
        raise UsageError("'weights' must be numbers of 0 and more, not all of them 0.")
    codes, dense = np.unique(given, return_inverse=True)
    return Known(features, dense.astype(np.int32), heavy, codes.astype(np.int32))


@dataclass(frozen=True, eq=False)
class Majority(Fitted):
    """Always the same class: what is left to learn where there is nothing to see."""

    chosen: int

    @classmethod
    def of(cls, known: Known) -> Majority:
        """The class of the most weight; the first of several."""
        return cls(
            known.features.emptied(), known.codes, int(np.bincount(known.classes, weights=known.weights).argmax())
        )

    def _predict(self, features: Features) -> NDArray[Any]:
        return np.full(len(features), self.chosen)
