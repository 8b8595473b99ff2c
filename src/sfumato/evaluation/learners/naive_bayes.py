"""Naive Bayes: every column votes on its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.evaluation.learners.base import Fitted, Known, Learner
from sfumato.evaluation.learners.features import UNSEEN, Feature, Features
from sfumato.settings.params import param

Chances = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class NaiveBayes(Learner):
    """The class that is likeliest if, within a class, the columns had nothing to do with each other.

    How likely a name is in a class is its share of the class, with `smoothing` cases added for every name. Numbers are
    taken to spread like a bell around the mean of their class, or fall into bins of equally many cases that count as
    names. Missing numbers and names that are new have no vote.

    Of ways to make bins, equally many cases in each comes nearer to what Fung, Wang and Yu (2007) report for Adult
    (18.07 % error) than cuts by entropy do: 18.2 % with eight bins against 16.2 %; bells give 17.6 %.

    >>> import numpy as np
    >>> import pyarrow as pa
    >>> visits = pa.table({"age": [21, 25, 30, 52, 58, 60], "sex": ["m", "f", "m", "f", "m", "f"]})
    >>> features = Features.of_frame(visits, ["age", "sex"])
    >>> NaiveBayes().fit(features, np.array([0, 0, 0, 1, 1, 1])).predict(features).tolist()
    [0, 0, 0, 1, 1, 1]

    References: Mitchell (1997), Machine Learning, section 6.9.
    """

    smoothing: float = param(1.0, doc="cases added for every name, so that nothing is impossible", above=0)
    numeric: Literal["gaussian", "bins"] = param("gaussian", doc="numbers spread like a bell, or fall into bins")
    bins: int = param(8, doc="how many bins a column of numbers has, where it has bins", at_least=2)

    def _fit(self, known: Known) -> Fitted:
        sizes = np.bincount(known.classes, weights=known.weights)
        prior = np.log((sizes + self.smoothing) / (sizes.sum() + self.smoothing * len(sizes)))
        votes = tuple(self._vote(column, known) for column in known.features.columns)
        return _Votes(known.features.emptied(), known.codes, prior, votes)

    def _vote(self, column: Feature, known: Known) -> _Vote:
        if column.texts is not None:
            return _Names(self._shares(column.values, len(column.texts), known))
        if self.numeric == "gaussian":
            return _Bell.of(column.values, known)
        cuts = _even_cuts(column.values, known.weights, self.bins)
        return _Bins(cuts, self._shares(_binned(column.values, cuts), len(cuts) + 1, known))

    def _shares(self, codes: NDArray[Any], names: int, known: Known) -> Chances:
        """The logarithm of every name's share of every class (names x classes)."""
        seen, classes = codes != UNSEEN, len(known.codes)
        places = codes[seen].astype(np.int64) * classes + known.classes[seen]
        counts = np.bincount(places, weights=known.weights[seen], minlength=names * classes).reshape(names, classes)
        shares: Chances = (counts + self.smoothing) / (counts.sum(axis=0) + self.smoothing * names)
        return np.log(shares)


@dataclass(frozen=True, eq=False)
class _Votes(Fitted):
    """The prior and the vote of every column."""

    prior: Chances
    votes: tuple[_Vote, ...]

    def _predict(self, features: Features) -> NDArray[Any]:
        total = np.tile(self.prior, (len(features), 1))
        for vote, column in zip(self.votes, features.columns, strict=True):
            total += vote.of_values(column.values)
        return np.asarray(total.argmax(axis=1))


class _Vote(ABC):
    """What a column says of the classes."""

    @abstractmethod
    def of_values(self, values: NDArray[Any]) -> Chances:
        """Log-likelihoods (records x classes); 0 where the column has nothing to say."""


@dataclass(frozen=True, eq=False)
class _Names(_Vote):
    shares: Chances

    def of_values(self, values: NDArray[Any]) -> Chances:
        silent = np.zeros((1, self.shares.shape[1]))
        return np.asarray(np.concatenate([self.shares, silent])[values])


@dataclass(frozen=True, eq=False)
class _Bins(_Vote):
    cuts: NDArray[np.float64]
    shares: Chances

    def of_values(self, values: NDArray[Any]) -> Chances:
        return _Names(self.shares).of_values(_binned(values, self.cuts))


@dataclass(frozen=True, eq=False)
class _Bell(_Vote):
    mean: Chances
    variance: Chances

    @classmethod
    def of(cls, values: NDArray[np.float64], known: Known) -> _Bell:
        """Mean and variance in every class; where a class has no number, or all have the same, those of the column."""
        seen = ~np.isnan(values)
        numbers, weights, classes = values[seen], known.weights[seen], known.classes[seen]
        if not weights.sum():
            return cls(np.zeros(len(known.codes)), np.ones(len(known.codes)))
        middle = float(np.average(numbers, weights=weights))
        spread = float(np.average((numbers - middle) ** 2, weights=weights)) or 1.0
        sizes = np.bincount(classes, weights=weights, minlength=len(known.codes))
        sums = np.bincount(classes, weights=weights * numbers, minlength=len(sizes))
        mean = np.where(sizes > 0, sums / np.maximum(sizes, 1e-300), middle)
        apart = np.bincount(classes, weights=weights * (numbers - mean[classes]) ** 2, minlength=len(sizes))
        variance = np.where(sizes > 0, apart / np.maximum(sizes, 1e-300), spread)
        return cls(mean, variance + 1e-9 * spread)

    def of_values(self, values: NDArray[Any]) -> Chances:
        apart = (values[:, None] - self.mean) ** 2 / self.variance
        return np.nan_to_num(-0.5 * (apart + np.log(2 * np.pi * self.variance)))


def _even_cuts(values: NDArray[np.float64], weights: NDArray[np.float64], bins: int) -> NDArray[np.float64]:
    """Numbers that close a bin: the first ones by which a bins-th, two bins-ths, ... of the known weight is reached."""
    order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]
    if not len(order):
        return np.zeros(0)
    reached = np.cumsum(weights[order])
    places = np.searchsorted(reached, reached[-1] * np.arange(1, bins) / bins)
    cuts = np.unique(values[order][places])
    return np.asarray(cuts[cuts < values[order[-1]]])


def _binned(values: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.where(np.isnan(values), UNSEEN, np.searchsorted(cuts, values))
