"""Naive Bayes inference: learn from all groups together what kind of people have which secret."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import Attack, Success
from sfumato.attacks.targets import Targets
from sfumato.data.table import Table
from sfumato.disclosure.groups import Histogram
from sfumato.knowledge.knowledge import Knowledge
from sfumato.settings.params import param

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class NaiveBayesInference(Attack[Targets]):
    """Guesses everybody's secret among those of the group, by what the release as a whole says about such people.

    Inside a group every secret is taken to be spread evenly over its members. Added up over all groups this tells how
    common each quasi value is among those with each secret, and from there which secret of the group suits a person
    best, column by column as if they had nothing to do with each other. Secrets that rules exclude are not guessed. The
    rate is the share of right guesses, the baseline that of guessing the commonest secret of each group.

    >>> from sfumato.algorithms.bucketization.anatomy import Anatomy
    >>> from sfumato.attacks.targets import Targets
    >>> from sfumato.datasets import nine_patients
    >>> from sfumato.models import DistinctLDiversity
    >>> release = Anatomy().anonymize(nine_patients(), DistinctLDiversity(l=3), seed=0)
    >>> result = NaiveBayesInference().run(Targets.of_candidate(release.candidate))
    >>> round(result.baseline, 3), 0 <= result.rate <= 1
    (0.333, True)

    References: Kifer (2009), Attacks on privacy and deFinetti's theorem, whose first step it is; book, section 5.5.2.
    """

    learns = "the secret, as a guess"

    smoothing: float = param(1.0, doc="records added to every count, so that nothing is held impossible", above=0)
    bins: int = param(20, doc="into so many equally filled ranges are columns of more values cut", at_least=2)

    def _attack(self, targets: Targets, knowledge: Knowledge | None) -> Success:
        groups = targets.groups
        secrets = groups.histogram(targets.sensitive)
        row, cell = _pairs(secrets, targets.group)
        score = np.log(secrets.counts[cell].astype(np.float64))
        for name in targets.table.schema.quasi:
            values = self._binned(targets.table, name)
            score += self._suits(values, targets, secrets)[secrets.values[cell], values[row]]
        if knowledge is not None:
            score[knowledge.ruled_out(targets.table)[row, secrets.values[cell]]] = -np.inf
        truth = targets.table.codes[targets.sensitive][row] == secrets.values[cell]
        return Success(_right(row, score, truth, targets.table.counts), float(secrets.largest().sum()))

    def _binned(self, table: Table, name: str) -> NDArray[np.int64]:
        """The values of a column, in ranges of about as many records each where they are many."""
        counts = table.histogram(name)
        if len(counts) <= self.bins:
            return table.codes[name].astype(np.int64)
        middle = np.cumsum(counts) - counts / 2
        return (middle * self.bins / table.records).astype(np.int64)[table.codes[name]]

    def _suits(self, values: NDArray[np.int64], targets: Targets, secrets: Histogram) -> Floats:
        """For every secret and value the logarithm of how common the value is among people with that secret."""
        kinds = int(values.max()) + 1
        found = np.zeros((len(secrets.whole), kinds))
        for kind in range(kinds):
            here = values == kind
            people = np.bincount(targets.group[here], weights=targets.table.counts[here], minlength=len(secrets.sizes))
            share = secrets.counts / secrets.sizes[secrets.group] * people[secrets.group]
            found[:, kind] = np.bincount(secrets.values, weights=share, minlength=len(secrets.whole))
        found += self.smoothing
        suits: Floats = np.log(found / found.sum(axis=1, keepdims=True))
        return suits


def _pairs(secrets: Histogram, group: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every row with every secret of its group: the row and the cell of the secret."""
    many = secrets.distinct[group]
    row = np.repeat(np.arange(len(group)), many)
    first = np.repeat(np.cumsum(many) - many, many)
    return row, secrets.starts[group][row] + np.arange(len(row)) - first


def _right(row: NDArray[np.int64], score: Floats, truth: NDArray[np.bool_], counts: NDArray[np.int64]) -> float:
    """How many records are guessed right; of equally good guesses one is tossed for."""
    starts = np.flatnonzero(np.r_[True, row[1:] != row[:-1]])
    best = np.maximum.reduceat(score, starts)[row] if len(row) else score
    chosen = np.isclose(score, best, rtol=0, atol=1e-9) & np.isfinite(score)
    ties = np.bincount(row, weights=chosen, minlength=len(counts))
    hits = np.bincount(row, weights=chosen & truth, minlength=len(counts))
    return float((counts * hits / np.maximum(ties, 1)).sum())
