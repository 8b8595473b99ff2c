"""Propensity score: how well a classifier distinguishes masked records from original ones."""

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
    """How well a logistic regression distinguishes masked from original records: 0 means not at all, 0.25 always.

    Both are put into one table. The regression estimates for every record the probability that it is masked, and the
    result is the mean of the squared differences from one half. It is not divided by its expected value under the null
    hypothesis: masked records are not a new sample but changed versions of the same records, so they lie closer to the
    original than a sample would. Squares and cubes detect changed variances, as those of group means; a small penalty
    keeps coefficients finite if the classes are perfectly separable.

    >>> pair = PairedNumbers.of_arrays([1, 2, 3, 4], [4, 3, 2, 1])
    >>> round(PropensityScore().measure(pair), 6)
    0.0

    References: Woo, Reiter, Oganian and Karr (2009); Snoke et al. (2018), who call it pMSE.
    """

    limits = (0.0, 0.25)
    has_scale = False  # its limits are one, and fitting two more regressions takes long

    powers: int = param(
        3, doc="highest power of every column: 1, 2 for squares, 3 for squares and cubes", at_least=1, at_most=5
    )
    interactions: bool = param(False, doc="whether to add products of two columns")

    def _score(self, numbers: PairedNumbers) -> float:
        both = np.concatenate([numbers.original, numbers.published])
        weights = np.tile(numbers.counts, 2)
        is_masked = np.repeat([0.0, 1.0], len(numbers.counts))
        features = _scaled(self._features(_scaled(both, weights)), weights)
        score = _masked_probability(
            np.column_stack([np.ones(len(features)), features]), is_masked, weights.astype(np.float64)
        )
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


def _masked_probability(features: Floats, truth: Floats, weights: Floats) -> Floats:
    """The probability that each row is masked, by a logistic regression fitted with Newton's method."""
    penalty = np.full(features.shape[1], _RIDGE)
    penalty[0] = 0.0
    beta = np.zeros(features.shape[1])
    best = _log_likelihood(features, truth, weights, penalty, beta)
    for _ in range(_STEPS):
        score = _logistic(features @ beta)
        gradient = features.T @ (weights * (truth - score)) - penalty * beta
        curvature = (features * (weights * score * (1 - score))[:, None]).T @ features + np.diag(penalty)
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        while (likelihood := _log_likelihood(features, truth, weights, penalty, beta + step)) < best and np.abs(
            step
        ).max() > _CLOSE:
            step /= 2  # a full Newton step may overshoot the maximum
        if likelihood <= best or np.abs(step).max() <= _CLOSE:
            break
        beta, best = beta + step, likelihood
    return _logistic(features @ beta)


def _log_likelihood(features: Floats, truth: Floats, weights: Floats, penalty: Floats, beta: Floats) -> float:
    """The logarithm of the likelihood minus the penalty."""
    line = features @ beta
    return float(weights @ (truth * line - np.logaddexp(0.0, line)) - penalty @ np.square(beta) / 2)


def _logistic(line: Floats) -> Floats:
    probability: Floats = 0.5 * (1.0 + np.tanh(line / 2))  # unlike exp, tanh never overflows
    return probability
