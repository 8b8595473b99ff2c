"""Split: which records are used for training and which for testing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError, UsageError

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Split:
    """One or several folds, each a pair of arrays of row numbers: records to train on and records to test on.

    >>> Split.first(2, 3).folds
    ((array([0, 1]), array([2])),)
    """

    folds: tuple[tuple[Places, Places], ...]
    described: str = "the given records for training and for testing"

    def __post_init__(self) -> None:
        if not self.folds:
            raise UsageError("a split needs at least one fold of records to train on and records to test on.")
        for train, test in self.folds:
            if not len(train) or not len(test):
                raise UsageError("every fold of a split needs at least one record to train on and one to test on.")
            if np.intersect1d(train, test).size:
                raise UsageError("a fold of a split tests on records that it trains on; keep them separate.")

    @classmethod
    def first(cls, n_train: int, total: int) -> Split:
        """Train on the first records and test on the others, as for a training file followed by a test file."""
        if not 1 <= n_train < total:
            raise ParameterError(f"'n_train' must be at least 1 and below the {total} records; got {n_train}.")
        places = np.arange(total)
        described = f"the first {n_train} records for training, the other {total - n_train} for testing"
        return cls(((places[:n_train], places[n_train:]),), described)

    @classmethod
    def at_random(cls, total: int, share: float = 2 / 3, seed: int = 0) -> Split:
        """Train on a share of the records, drawn at random, and test on the others; both stay in order.

        >>> [len(places) for places in Split.at_random(1000).folds[0]]
        [666, 334]
        """
        n_train = int(total * share + 1e-9)
        if not 1 <= n_train < total:
            raise ParameterError(
                f"'share' must leave records of {total} on both sides, for training and for testing; got {share!r}."
            )
        drawn = np.random.default_rng(seed).permutation(total)
        described = (
            f"{n_train} records drawn at random for training, the other {total - n_train} for testing (seed {seed})"
        )
        return cls(((np.sort(drawn[:n_train]), np.sort(drawn[n_train:])),), described)

    @classmethod
    def into_folds(cls, total: int, folds: int = 10, seed: int = 0) -> Split:
        """Cross-validation: test on each of several equal random parts after training on all other records."""
        if not 2 <= folds <= total:
            raise ParameterError(f"'folds' must be between 2 and the {total} records; got {folds}.")
        parts = np.array_split(np.random.default_rng(seed).permutation(total), folds)
        every = np.arange(total)
        made = tuple((np.setdiff1d(every, part), np.sort(part)) for part in parts)
        return cls(made, f"{folds}-fold cross-validation over {total} records drawn at random (seed {seed})")

    def check_against(self, records: int) -> None:
        """Refuse a split that names a record beyond the number of records."""
        last = max(int(places.max()) for fold in self.folds for places in fold)
        least = min(int(places.min()) for fold in self.folds for places in fold)
        if last >= records or least < 0:
            raise UsageError(f"the split is for at least {last + 1} records, and there are {records}; split these.")
