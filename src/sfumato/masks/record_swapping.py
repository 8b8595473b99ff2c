"""Record swapping: let some pairs of similar people change places."""

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
    """Swaps the chosen columns between some pairs of records, which agree on the columns that are to be kept.

    All chosen columns of a record change hands together, so that they stay true to each other; whatever is counted from
    them and the kept columns stays exactly what it was. Of records that look unusual anyway nobody can tell whether
    they were swapped. Records that miss a chosen value are not swapped.

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
        """The columns to agree on."""
        return self.keep

    def _mask(self, values: Matrix, random: Randomness, beside: Matrix) -> Matrix:
        whole = np.flatnonzero((values >= 0).all(axis=1))
        group = groups_of(beside)[whole]
        order = np.lexsort((random.random(len(whole)), group))
        sizes = np.bincount(group)
        place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        pairs = np.floor(self.share * sizes / 2 + random.random(len(sizes)))  # right on average, in small groups too
        pairs = np.minimum(pairs, sizes // 2)
        if not (sizes > 1).any():
            raise DataError("no two records agree on the columns to keep, so none can be swapped; keep fewer of them.")
        first = np.flatnonzero((place % 2 == 0) & (place < 2 * np.repeat(pairs, sizes)))
        one, other = whole[order[first]], whole[order[first + 1]]
        values[one], values[other] = values[other], values[one]
        return values


def groups_of(beside: Matrix) -> NDArray[np.int64]:
    """A number for every record such that those with the same number agree on all these columns.

    >>> groups_of(np.array([[0, 1], [0, 2], [0, 1]])).tolist()
    [0, 1, 0]
    """
    if not beside.shape[1]:
        return np.zeros(len(beside), dtype=np.int64)
    return np.asarray(np.unique(beside, axis=0, return_inverse=True)[1], dtype=np.int64).reshape(-1)
