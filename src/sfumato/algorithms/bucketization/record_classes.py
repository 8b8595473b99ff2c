"""Groups records into classes with the same sensitive value and the same set of values ruled out.

Records of a class are interchangeable for the choice of buckets, so the strategies of Injector count classes instead of
comparing records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.records import Records

SPARSE = 4_000_000
"""From this number of possible classes on, the classes are found by sorting instead of by a table of all pairs."""


@dataclass(frozen=True, eq=False)
class Classes:
    """Classes in the order of their first record: `rows[starts[c] : starts[c + 1]]` are the records of class c.

    `of` is the class of each record; `value` and `exclusion` are the sensitive value and the set number of each class.
    `rulings[bounds[b] : bounds[b + 1]]` are the values that set b rules out.
    """

    of: NDArray[np.int32]
    value: NDArray[np.int32]
    exclusion: NDArray[np.int32]
    rows: NDArray[np.int32]
    starts: NDArray[np.int64]
    rulings: NDArray[np.int32]
    bounds: NDArray[np.int64]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of records of each class."""
        return np.diff(self.starts)

    @classmethod
    def of_records(cls, records: Records) -> Classes:
        """The classes of all records.

        >>> value, exclusion = np.array([3, 1, 3], dtype=np.int32), np.zeros(3, dtype=np.int32)
        >>> quasi, nothing = np.zeros((3, 0), dtype=np.int32), np.zeros((1, 4), dtype=bool)
        >>> classes = Classes.of_records(Records(value, exclusion, nothing, quasi, (), ()))
        >>> classes.value, classes.rows, classes.counts
        (array([3, 1], dtype=int32), array([0, 2, 1], dtype=int32), array([2, 1]))
        """
        from sfumato.algorithms.bucketization.loops.record_classes import sort_by_code

        of = _number_classes(records)
        starts = np.concatenate(([0], np.cumsum(np.bincount(of)))).astype(np.int64)
        rows = sort_by_code(of, starts)
        heads = rows[starts[:-1]]
        rulers, rulings = np.nonzero(records.ruled_out)
        bounds = np.searchsorted(rulers, np.arange(len(records.ruled_out) + 1))
        return cls(
            of.view(np.int32),
            records.value[heads],
            records.exclusion[heads],
            rows,
            starts,
            rulings.astype(np.int32),
            bounds,
        )


def _number_classes(records: Records) -> NDArray[np.uint32]:
    """The class of each record; classes are numbered in the order of their first record."""
    from sfumato.algorithms.bucketization.loops.record_classes import number_pairs

    sets, values = records.ruled_out.shape
    if sets * values <= max(SPARSE, 4 * len(records)):
        numbers = np.full(sets * values, -1, dtype=np.int32)
        return number_pairs(records.value, records.exclusion, sets, numbers)
    pairs = records.value.astype(np.int64) * sets + records.exclusion
    _, first, of = np.unique(pairs, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.uint32)
    # `unique` numbers the pairs by value; both ways must number them by first record, so that results are the same.
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.uint32)
    return rank[of]
