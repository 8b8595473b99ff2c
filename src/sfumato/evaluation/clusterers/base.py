"""The contract of a clusterer: it assigns every point to a cluster. `cluster_analysis` is the caller."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import UsageError
from sfumato.settings.params import Declared, param

Points = NDArray[np.float64]
Weights = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Clusterer(Declared):
    """Base of all clusterers; an author writes `_labels` for distinct points, of which there are more than clusters.

    The same points, weights and seed give the same result on every machine with the same versions, regardless of the
    number of threads.
    """

    clusters: int = param(doc="how many clusters to find", at_least=1)
    seed: int = param(0, doc="seed of the random choices", at_least=0, at_most=10**9)

    def labels(self, points: Points, weights: NDArray[Any] | None = None) -> NDArray[np.int32]:
        """The cluster of every point, numbered from 0 in order of first occurrence.

        A weight is the number of records at a point. If there are no more distinct points than clusters, each distinct
        point is a cluster.
        """
        points = np.ascontiguousarray(points, dtype=np.float64)
        heavy = np.ones(len(points)) if weights is None else np.asarray(weights, dtype=np.float64)
        _check(points, heavy)
        # Equal points get equal labels this way, and the result does not depend on the order of the records.
        distinct, place = np.unique(points, axis=0, return_inverse=True)
        place = place.reshape(-1)
        if len(distinct) <= self.clusters:
            return _in_order(place)
        with _quietly_in_one_thread():
            found = self._labels(distinct, np.bincount(place, weights=heavy).astype(np.float64))
        return _in_order(np.asarray(found)[place])

    @abstractmethod
    def _labels(self, points: Points, weights: Weights) -> NDArray[Any]:
        """A cluster number for each point; all points differ, and there are more points than clusters."""


def scikit(module: str) -> Any:
    """A module of scikit-learn, imported on first use."""
    try:
        return import_module(f"sklearn.{module}")
    except ImportError:
        raise UsageError("clustering needs scikit-learn; install sfumato[learn].") from None


def _check(points: Points, weights: Weights) -> None:
    if points.ndim != 2 or weights.shape != points.shape[:1]:
        raise UsageError(
            f"points must be a matrix with one weight per row; got shape {points.shape} and weights {weights.shape}."
        )
    if not len(points):
        raise UsageError("there are no points to cluster; give at least one.")
    if not np.isfinite(points).all():
        raise UsageError("points must be finite numbers; give missing values a coordinate of their own first.")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise UsageError("weights must be finite numbers above 0; leave out points that stand for no record.")


def _in_order(labels: NDArray[Any]) -> NDArray[np.int32]:
    """The same clusters, numbered in order of first occurrence."""
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int32)
    number[np.argsort(first)] = np.arange(len(first))
    return number[place.reshape(-1)]


@contextmanager
def _quietly_in_one_thread() -> Iterator[None]:
    """Run scikit-learn in one thread, so that sums are added in the same order every time.

    Warnings about points that nearly coincide are ignored.
    """
    warning = scikit("exceptions").ConvergenceWarning
    one_thread = import_module("threadpoolctl").threadpool_limits(limits=1)  # comes with scikit-learn
    with one_thread, warnings.catch_warnings():
        warnings.simplefilter("ignore", warning)
        yield
