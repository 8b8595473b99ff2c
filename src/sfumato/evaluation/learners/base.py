"""The contract of a learner: it is trained on records with known classes and predicts the classes of others."""

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


class TrainingRecords(NamedTuple):
    """Training records: features, the class of each record (numbered without gaps), its weight, and the class codes."""

    features: Features
    classes: Codes
    weights: Weights
    codes: Codes


@dataclass(frozen=True, eq=False)
class FittedLearner(ABC):
    """A trained learner; `like` has the columns and dictionaries of training, `classes` the class codes it knows."""

    like: Features
    classes: Codes

    def predict(self, features: Features) -> Codes:
        """The predicted class code of every record; columns may be in any order, and names may be new."""
        found: Codes = self.classes[self._predict(features.aligned_with(self.like))]
        return found

    @abstractmethod
    def _predict(self, features: Features) -> NDArray[Any]:
        """An index into `classes` for every record."""


class Learner(Declared):
    """Base of all learners; an author writes `_fit`.

    Learners measure how useful a release still is, so they are the ones that the literature measures with.
    """

    def fit(self, features: Features, classes: Codes, weights: Weights | None = None) -> FittedLearner:
        """Train on records and their class codes; the weight of a record is 1 by default.

        Features without any column are allowed; the result then predicts the most frequent class.
        """
        return self._fit(training_records(features, classes, weights))

    @abstractmethod
    def _fit(self, known: TrainingRecords) -> FittedLearner:
        """Train; there is at least one record, and as many classes and weights as records."""


def training_records(features: Features, classes: Codes, weights: Weights | None = None) -> TrainingRecords:
    """Check and bundle training records; refuses lists of different lengths and invalid weights."""
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
    return TrainingRecords(features, dense.astype(np.int32), heavy, codes.astype(np.int32))


@dataclass(frozen=True, eq=False)
class Majority(FittedLearner):
    """Predicts the same class always; for features without columns, or with a single class."""

    chosen: int

    @classmethod
    def of(cls, known: TrainingRecords) -> Majority:
        """Predicts the class of the largest weight; the first one if there are several."""
        return cls(
            known.features.without_records(),
            known.codes,
            int(np.bincount(known.classes, weights=known.weights).argmax()),
        )

    def _predict(self, features: Features) -> NDArray[Any]:
        return np.full(len(features), self.chosen)
