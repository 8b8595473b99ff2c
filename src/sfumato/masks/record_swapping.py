"""Record swapping: exchange values between some pairs of similar records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.masks.base import Mask, Matrix
from sfumato.runtime.secret_random import Randomness
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class RecordSwapping(Mask):
    """Swaps the chosen columns between some pairs of records that agree on the columns in `keep`.

    All chosen columns of a record are swapped together, so they stay consistent; counts over the chosen columns and
    those in `keep` are preserved exactly. An attacker cannot tell whether an unusual record was swapped. Records with a
    missing value in a chosen column are not swapped.

    >>> import pyarrow as pa
    >>> homes = pa.table({"size": [2, 2, 5, 5], "town": ["A", "B", "C", "D"]})
    >>> RecordSwapping(share=1, keep=("size",)).mask(homes, ["town"], seed=1)["town"].to_pylist()
    ['B', 'A', 'D', 'C']

    References: Dalenius and Reiss (1982), Data-swapping: a technique for disclosure control.
    """

    for_kind = "any"

    share: float = param(0.1, doc="share of the records to swap", above=0, at_most=1)
    keep: tuple[str, ...] = param((), doc="columns on which two records must agree to be swapped")

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns on which swapped records must agree."""
        return self.keep

    def _mask(self, values: Matrix, random: Randomness, others: Matrix) -> Matrix:
        whole = np.flatnonzero((values >= 0).all(axis=1))
        group = groups_of(others)[whole]
        order = np.lexsort((random.random(len(whole)), group))
        sizes = np.bincount(group)
        place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        pairs = np.floor(
            self.share * sizes / 2 + random.random(len(sizes))
        )  # random rounding: right on average in small groups
        pairs = np.minimum(pairs, sizes // 2)
        if not (sizes > 1).any():
            raise DataError("no two records agree on the columns to keep, so none can be swapped; keep fewer of them.")
        first = np.flatnonzero((place % 2 == 0) & (place < 2 * np.repeat(pairs, sizes)))
        one, other = whole[order[first]], whole[order[first + 1]]
        values[one], values[other] = values[other], values[one]
        return values


def groups_of(others: Matrix) -> NDArray[np.int64]:
    """The group of every record: records with the same number agree on all these columns.

    >>> groups_of(np.array([[0, 1], [0, 2], [0, 1]])).tolist()
    [0, 1, 0]
    """
    if not others.shape[1]:
        return np.zeros(len(others), dtype=np.int64)
    return np.asarray(np.unique(others, axis=0, return_inverse=True)[1], dtype=np.int64).reshape(-1)
