"""Packing: many small codes as one number, and back from a number to the row that first had it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]
_ROOM = 2**62
_FEW = 65_536
_SPARSE = 8
"""Looking up beats sorting as long as there are no more than so many possible keys for every row."""


@dataclass(frozen=True, eq=False)
class Packing:
    """Numbers the distinct combinations of several coded columns.

    Columns are folded one after the other into a mixed-radix key. When a key would outgrow 62 bits, the combinations so
    far are replaced by their dense numbers and folding goes on; so any number of columns fits.
    """

    radices: tuple[int, ...]
    stages: tuple[tuple[int, NDArray[np.int64]], ...]

    @classmethod
    def of(cls, columns: Sequence[NDArray[np.integer]], radices: Sequence[int]) -> tuple[Packing, Codes]:
        """Learn the combinations that occur; also the number of every row's combination, in order of key."""
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
        """Plain data from which the packing can be made again."""
        return {"radices": list(self.radices), "stages": [[place, known.tolist()] for place, known in self.stages]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Packing:
        """The packing that `to_dict` told of."""
        stages = tuple((place, np.array(known, dtype=np.int64)) for place, known in plain["stages"])
        return cls(tuple(plain["radices"]), stages)

    def numbers(self, columns: Sequence[Codes]) -> Codes:
        """The number of each row's combination; -1 where it never occurred. Codes must lie below their radices."""
        from sfumato.kernels.gather import fold
        from sfumato.kernels.hash_lookup import find

        key, start = np.zeros(len(columns[0]), dtype=np.int64), 0
        number = key.astype(np.int32)
        for (stop, known), table in zip(self.stages, self._tables, strict=True):
            for place in range(start, stop):
                fold(key, self.radices[place], columns[place])
            number = find(table, known, key)
            # An unknown -1 stays negative whatever is folded in, and no known key is.
            key, start = number.astype(np.int64), stop
        return number

    @cached_property
    def _tables(self) -> list[NDArray[np.int32]]:
        """Hash tables over the known combinations, made when first asked for."""
        from sfumato.kernels.hash_lookup import hash_table

        return [hash_table(known) for _, known in self.stages]


def _distinct(key: NDArray[np.int64], span: int) -> tuple[NDArray[np.int64], Codes]:
    """The keys that occur, in order, and the place of every row's key; by looking where few keys are possible."""
    if span > max(_FEW, _SPARSE * len(key)):
        known, number = np.unique(key, return_inverse=True)
        return known, number.astype(np.int32)
    occurs = np.zeros(span, dtype=bool)
    occurs[key] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs, dtype=np.int32) - np.int32(1))[key]
