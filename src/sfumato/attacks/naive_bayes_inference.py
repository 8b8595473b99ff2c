"""Naive Bayes inference: learn from all groups together which people have which sensitive value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import GroupAttack, Success, worst_groups
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups, Histogram
from sfumato.kernels.arrays import Flags
from sfumato.knowledge.knowledge import Knowledge
from sfumato.settings.params import param

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class NaiveBayesInference(GroupAttack):
    """Guesses everybody's sensitive value among those of the group, by what the whole release says about such people.

    Inside a group every sensitive value is taken to be spread evenly over its members. Added up over all groups this
    tells how common each quasi value is among the people with each sensitive value. From that follows which value of
    the group fits a person best, with the columns taken as independent. Values that rules exclude are not guessed. The
    rate is the share of right guesses, the baseline that of guessing the commonest value of each group. The control is
    the share of right guesses of an attacker who knows only how common each value is overall and guesses the commonest.

    >>> from sfumato.algorithms.bucketization.anatomy import Anatomy
    >>> from sfumato.datasets import nine_patients
    >>> from sfumato.models import DistinctLDiversity
    >>> release = Anatomy().anonymize(nine_patients(), DistinctLDiversity(l=3), seed=0)
    >>> result = NaiveBayesInference().run(release)
    >>> round(result.baseline, 3), round(result.control, 3), 0 <= result.rate <= 1
    (0.333, 0.333, True)

    References: Kifer (2009), Attacks on privacy and deFinetti's theorem, whose first step it is; book, section 5.5.2.
    """

    learns = "the sensitive value by guessing"

    smoothing: float = param(1.0, doc="records added to every count, so that nothing is held impossible", above=0)
    bins: int = param(20, doc="into so many equally filled ranges are columns of more values cut", at_least=2)

    def _infer(self, groups: Groups, sensitive: str, knowledge: Knowledge | None) -> Success:
        table, group, secrets = groups.table, _group_of(groups), groups.histogram(sensitive)
        row, cell = _pairs(secrets, group)
        # The prior of a value is its count in the group; the
        # likelihoods of the quasi columns are added as logarithms.
        score = np.log(secrets.counts[cell].astype(np.float64))
        for name in table.schema.quasi:
            values = self._binned(table, name)
            score += self._log_likelihoods(values, groups, sensitive)[secrets.values[cell], values[row]]
        if knowledge is not None:
            score[knowledge.ruled_out(table)[row, secrets.values[cell]]] = -np.inf
        truth = table.codes[sensitive][row] == secrets.values[cell]
        right = _right(row, score, truth, table.counts)
        found = np.bincount(group, right, len(groups))
        control = int(secrets.whole.max())
        return Success(float(right.sum()), float(secrets.largest().sum()), control, worst_groups(groups.sizes, found))

    def _binned(self, table: Table, name: str) -> NDArray[np.int64]:
        """The values of a column; where there are many, the numbers of ranges that hold about as many records each."""
        counts = table.histogram(name)
        if len(counts) <= self.bins:
            return table.codes[name].astype(np.int64)
        middle = np.cumsum(counts) - counts / 2
        return (middle * self.bins / table.records).astype(np.int64)[table.codes[name]]

    def _log_likelihoods(self, values: NDArray[np.int64], groups: Groups, sensitive: str) -> Floats:
        """The log of how common each quasi value (column) is among the people with each sensitive value (row)."""
        counts, group, secrets = groups.table.counts, _group_of(groups), groups.histogram(sensitive)
        different = int(values.max()) + 1
        found = np.zeros((len(secrets.whole), different))
        for value in range(different):
            here = values == value
            people = np.bincount(group[here], weights=counts[here], minlength=len(secrets.sizes))
            # Expected counts: within a group, every member has a value with the share of that value.
            share = secrets.counts / secrets.sizes[secrets.group] * people[secrets.group]
            found[:, value] = np.bincount(secrets.values, weights=share, minlength=len(secrets.whole))
        found += self.smoothing
        likelihoods: Floats = np.log(found / found.sum(axis=1, keepdims=True))
        return likelihoods


def _group_of(groups: Groups) -> NDArray[np.int32]:
    return np.zeros(0, dtype=np.int32) if groups.labels is None else groups.labels


def _pairs(secrets: Histogram, group: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every row with every sensitive value of its group: the row, and the cell of the value in the histogram."""
    many = secrets.distinct[group]
    row = np.repeat(np.arange(len(group)), many)
    first = np.repeat(np.cumsum(many) - many, many)
    return row, secrets.starts[group][row] + np.arange(len(row)) - first


def _right(row: NDArray[np.int64], score: Floats, truth: Flags, counts: NDArray[np.int64]) -> Floats:
    """How many records of every row are guessed right; among equally good guesses one is drawn at random."""
    starts = np.flatnonzero(np.r_[True, row[1:] != row[:-1]])
    best = np.maximum.reduceat(score, starts)[row] if len(row) else score
    # If the rules exclude all values of a group, all scores are minus infinity and nothing is guessed.
    chosen = np.isclose(score, best, rtol=0, atol=1e-9) & np.isfinite(score)
    ties = np.bincount(row, weights=chosen, minlength=len(counts))
    hits = np.bincount(row, weights=chosen & truth, minlength=len(counts))
    right: Floats = counts * hits / np.maximum(ties, 1)
    return right
