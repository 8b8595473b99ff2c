"""Propensity score: how well a classifier tells masked records from original ones."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.paired_numbers import PairedNumbers, moments
from sfumato.metrics.base import NumberMetric
from sfumato.settings.params import param

Floats = NDArray[np.float64]
_RIDGE = 1e-3
_STEPS, _CLOSE = 50, 1e-10


@dataclass(frozen=True, kw_only=True)
class PropensityScore(NumberMetric):
    """How well a logistic regression tells masked records from original ones: 0 means not at all, 0.25 always.

    Both are put into one table. The regression estimates for every record the probability that it is a masked one, and
    the answer is the mean of the squared differences from one half. It is not divided by its expected value under
    chance: masked records are no new sample but the same records moved, and lie closer to the original than a sample.
    Squares and cubes detect changed variances, which means of groups have; a small penalty keeps coefficients finite
    where the classes are perfectly separable.

    >>> pair = PairedNumbers.of_arrays([1, 2, 3, 4], [4, 3, 2, 1])
    >>> round(PropensityScore().measure(pair), 6)
    0.0

    References: Woo, Reiter, Oganian and Karr (2009); Snoke et al. (2018), who call it pMSE.
    """

    limits = (0.0, 0.25)

    powers: int = param(
        3, doc="up to which power every column enters: 1, 2 for squares, 3 for cubes too", at_least=1, at_most=5
    )
    interactions: bool = param(False, doc="whether products of two columns enter too")

    def _score(self, numbers: PairedNumbers) -> float:
        both = np.concatenate([numbers.original, numbers.published])
        weights = np.tile(numbers.counts, 2)
        is_masked = np.repeat([0.0, 1.0], len(numbers.counts))
        seen = _scaled(self._features(_scaled(both, weights)), weights)
        score = _fitted(np.column_stack([np.ones(len(seen)), seen]), is_masked, weights.astype(np.float64))
        return float(weights @ np.square(score - 0.5) / weights.sum())

    def _features(self, values: Floats) -> Floats:
        features = [values**power for power in range(1, self.powers + 1)]
        if self.interactions:
            features += [values[:, [one]] * values[:, [two]] for one, two in combinations(range(values.shape[1]), 2)]
        return np.concatenate(features, axis=1)


def _scaled(values: Floats, counts: NDArray[np.int64]) -> Floats:
    """Columns with mean 0 and variance 1; a constant column becomes 0."""
    centre, covariance = moments(values, counts)
    deviation = np.sqrt(np.diagonal(covariance))
    varies = deviation > 1e-12 * np.abs(values).max(axis=0)
    scaled: Floats = np.where(varies, (values - centre) / np.where(varies, deviation, 1.0), 0.0)
    return scaled


def _fitted(features: Floats, truth: Floats, weights: Floats) -> Floats:
    """The probability of every row to be masked, by a logistic regression fitted with Newton's method."""
    penalty = np.full(features.shape[1], _RIDGE)
    penalty[0] = 0.0
    beta = np.zeros(features.shape[1])
    gained = _gain(features, truth, weights, penalty, beta)
    for _ in range(_STEPS):
        score = _logistic(features @ beta)
        slope = features.T @ (weights * (truth - score)) - penalty * beta
        bend = (features * (weights * score * (1 - score))[:, None]).T @ features + np.diag(penalty)
        step = np.linalg.lstsq(bend, slope, rcond=None)[0]
        while (gain := _gain(features, truth, weights, penalty, beta + step)) < gained and np.abs(step).max() > _CLOSE:
            step /= 2  # a full Newton step may overshoot the maximum
        if gain <= gained or np.abs(step).max() <= _CLOSE:
            break
        beta, gained = beta + step, gain
    return _logistic(features @ beta)


def _gain(features: Floats, truth: Floats, weights: Floats, penalty: Floats, beta: Floats) -> float:
    """The logarithm of the likelihood, less the penalty."""
    line = features @ beta
    return float(weights @ (truth * line - np.logaddexp(0.0, line)) - penalty @ np.square(beta) / 2)


def _logistic(line: Floats) -> Floats:
    found: Floats = 0.5 * (1.0 + np.tanh(line / 2))  # unlike exp, tanh never overflows
    return found
