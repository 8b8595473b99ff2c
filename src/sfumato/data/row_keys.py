"""Row keys: number the distinct combinations of several coded columns.

`Table` groups rows by these numbers, and recodings look up the combination of a record by them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]
_ROOM = 2**62
"""Keys stay below this, so that they fit into 64 bits."""
_FEW = 65_536
_SPARSE = 8
"""A table of all possible keys is faster than sorting if there are at most `_FEW` keys, or `_SPARSE` for every row."""


@dataclass(frozen=True, eq=False)
class Packing:
    """Numbers the distinct combinations of several coded columns.

    Columns are folded one after the other into a mixed-radix key. Before a key exceeds 62 bits, a stage ends: the
    distinct combinations so far are replaced by dense numbers, and folding goes on. So any number of columns fits.
    `stages` has, for each stage, the number of columns folded by its end and its sorted distinct keys.
    """

    radices: tuple[int, ...]
    stages: tuple[tuple[int, NDArray[np.int64]], ...]

    @classmethod
    def of(cls, columns: Sequence[NDArray[np.integer]], radices: Sequence[int]) -> tuple[Packing, Codes]:
        """Number the combinations that occur, in order of their keys; also returns the number of every row."""
        stages: list[tuple[int, NDArray[np.int64]]] = []
        key, span = np.zeros(len(columns[0]), dtype=np.int64), 1
        for place, (column, radix) in enumerate(zip(columns, radices, strict=True)):
            if span * radix > _ROOM:
                known, number = _distinct(key, span)
                stages.append((place, known))
                key, span = number.astype(np.int64), len(known)
            key, span = key * radix + column, span * radix
        known, number = _distinct(key, span)
        stages.append((len(columns), known))
        return cls(tuple(radices), tuple(stages)), number

    def __len__(self) -> int:
        return len(self.stages[-1][1])

    def to_dict(self) -> dict[str, Any]:
        """Plain data from which `from_dict` rebuilds the packing."""
        return {"radices": list(self.radices), "stages": [[place, known.tolist()] for place, known in self.stages]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Packing:
        """Rebuild the packing from the result of `to_dict`."""
        stages = tuple((place, np.array(known, dtype=np.int64)) for place, known in plain["stages"])
        return cls(tuple(plain["radices"]), stages)

    def numbers(self, columns: Sequence[Codes]) -> Codes:
        """The number of each row's combination; -1 if it is not known. Codes must be below their radices."""
        from sfumato.kernels.gather import fold
        from sfumato.kernels.hash_lookup import find

        key, start = np.zeros(len(columns[0]), dtype=np.int64), 0
        number = key.astype(np.int32)
        for (stop, known), table in zip(self.stages, self._tables, strict=True):
            for place in range(start, stop):
                fold(key, self.radices[place], columns[place])
            number = find(table, known, key)
            # An unknown combination has the number -1: its key stays negative, and no known key is negative.
            key, start = number.astype(np.int64), stop
        return number

    @cached_property
    def _tables(self) -> list[NDArray[np.int32]]:
        """One hash table for each stage, built at the first lookup."""
        from sfumato.kernels.hash_lookup import hash_table

        return [hash_table(known) for _, known in self.stages]


def _distinct(key: NDArray[np.int64], span: int) -> tuple[NDArray[np.int64], Codes]:
    """The sorted distinct keys and the index of every row's key; without sorting if few keys are possible."""
    if span > max(_FEW, _SPARSE * len(key)):
        known, number = np.unique(key, return_inverse=True)
        return known, number.astype(np.int32)
    occurs = np.zeros(span, dtype=bool)
    occurs[key] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs, dtype=np.int32) - np.int32(1))[key]
