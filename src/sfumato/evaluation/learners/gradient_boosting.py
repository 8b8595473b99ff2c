"""Gradient boosting: a learner that a recipient would use today, in addition to those of the papers."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import UsageError
from sfumato.evaluation.learners.base import FittedLearner, Learner, Majority, TrainingRecords
from sfumato.evaluation.learners.features import UNSEEN, Feature, Features
from sfumato.settings.params import param

_MOST_NAMES = 255
"""Largest number of names per column that the booster accepts; the rarest ones share the last number."""


@dataclass(frozen=True, kw_only=True)
class GradientBoosting(Learner):
    """Many small trees, each of which corrects those before it (scikit-learn's histogram gradient boosting).

    Columns of names are split by sets of names. If a column has more than 255 names, the rarest are treated as one;
    unknown names and missing numbers are treated as missing. It needs scikit-learn, which `sfumato[learn]` installs.

    >>> import numpy as np
    >>> import pyarrow as pa
    >>> features = Features.of_frame(pa.table({"age": list(range(20, 80))}), ["age"])
    >>> learned = GradientBoosting().fit(features, np.repeat([0, 1], 30))
    >>> learned.predict(features.rows(np.array([0, 59]))).tolist()
    [0, 1]

    References: Friedman (2001), Greedy function approximation: a gradient boosting machine.
    """

    seed: int = param(0, doc="seed of the random choices", at_least=0)

    def _fit(self, known: TrainingRecords) -> FittedLearner:
        if not known.features.columns or len(known.codes) == 1:
            return Majority.of(known)
        places = tuple(_places(column, known.weights) for column in known.features.columns)
        booster = self._booster(known.features)
        with _one_thread():
            booster.fit(_matrix(known.features, places), known.classes, sample_weight=known.weights)
        return _FittedBooster(known.features.without_records(), known.codes, booster, places)

    def _booster(self, features: Features) -> Any:
        try:
            from sklearn.ensemble import HistGradientBoostingClassifier
        except ImportError:
            raise UsageError(
                "gradient_boosting needs scikit-learn, which is not installed; install sfumato[learn], "
                "or measure with c45 or naive_bayes."
            ) from None
        names = [not column.numeric for column in features.columns]
        return HistGradientBoostingClassifier(categorical_features=names, random_state=self.seed)


@dataclass(frozen=True, eq=False)
class _FittedBooster(FittedLearner):
    booster: Any = field(repr=False)
    places: tuple[NDArray[np.float64], ...] = field(repr=False)

    def _predict(self, features: Features) -> NDArray[Any]:
        if not len(features):
            return np.zeros(0, dtype=np.int64)
        with _one_thread():
            return np.asarray(self.booster.predict(_matrix(features, self.places)))


def _one_thread() -> Any:
    """Limit the booster to one thread; on a busy machine, threads that wait for each other are 100 times slower."""
    return import_module("threadpoolctl").threadpool_limits(limits=1)  # comes with scikit-learn


def _places(column: Feature, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The number of each name for the booster, by descending frequency; the last entry, NaN, is for an unknown name."""
    if column.texts is None:
        return np.zeros(0)
    seen = column.values != UNSEEN
    counts = np.bincount(column.values[seen], weights=weights[seen], minlength=len(column.texts))
    place = np.empty(len(counts) + 1)
    place[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(len(counts)), _MOST_NAMES - 1)
    place[-1] = np.nan
    return place


def _matrix(features: Features, places: tuple[NDArray[np.float64], ...]) -> NDArray[np.float64]:
    """The features as a matrix (records x columns) of numbers for the booster."""
    columns = [
        column.values if column.numeric else place[column.values]
        for column, place in zip(features.columns, places, strict=True)
    ]
    return np.stack(columns, axis=1)
