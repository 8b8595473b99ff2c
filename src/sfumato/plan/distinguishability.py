"""Distinct ratio and separation ratio: how well a set of columns distinguishes the records of a table.

`proposal` computes them to propose quasi-identifiers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.row_keys import Packing
from sfumato.engines.base import Counted


@dataclass(frozen=True)
class Separation:
    """How well a set of columns distinguishes records.

    `distinct` is the number of different combinations divided by the number of records; 1 means that the columns are a
    key. `separated` is the share of pairs of records that differ in at least one of the columns.

    >>> Separation.of_sizes(np.array([1, 1, 1, 2, 2]))
    Separation(distinct=0.7142857142857143, separated=0.9047619047619048)

    References: Motwani and Xu (2007), Efficient Algorithms for Masking and Finding Quasi-Identifiers.
    """

    distinct: float
    separated: float

    @classmethod
    def of_sizes(cls, sizes: NDArray[np.int64]) -> Separation:
        """Compute both ratios from the number of records of each combination."""
        records = int(sizes.sum())
        if records < 2:
            return cls(float(records > 0), 0.0)
        equal_pairs = float((sizes * (sizes - 1.0)).sum())
        return cls(len(sizes) / records, 1 - equal_pairs / (records * (records - 1.0)))

    @classmethod
    def of_columns(cls, counted: Counted, columns: Sequence[str]) -> Separation:
        """Compute both ratios for some columns of counted rows."""
        if not columns:
            return cls.of_sizes(np.array([counted.counts.sum()]))
        radices = [max(len(counted.raw[name]), 1) for name in columns]
        _, number = Packing.of([counted.codes[name] for name in columns], radices)
        return cls.of_sizes(np.bincount(number, weights=counted.counts).astype(np.int64))
