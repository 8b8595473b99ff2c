"""Look up a small table for every record, and fold codes into keys, without copies in between."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Keys = NDArray[np.int64]


@compiled
def gather(table: Codes, index: NDArray[np.integer]) -> Codes:
    """`table[index]` for any kind of whole number as index."""
    found = np.empty(len(index), dtype=np.int32)
    for place in range(len(index)):
        found[place] = table[index[place]]
    return found


@compiled
def fold(keys: Keys, radix: int, column: Codes) -> None:
    """Append one code to every key: keys * radix + column, in place."""
    for place in range(len(keys)):
        keys[place] = keys[place] * radix + column[place]


@compiled
def any_negative(codes: Codes) -> bool:
    """Whether a code is negative."""
    for place in range(len(codes)):
        if codes[place] < 0:
            return True
    return False
