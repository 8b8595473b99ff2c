"""Loops over the codes of all records: look up a small table, append a code to a key, search for negative codes.

Each is one pass without a temporary array of the length of the table, which numpy would need for the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Keys = NDArray[np.int64]


@compiled
def gather(table: Codes, index: NDArray[np.integer]) -> Codes:
    """`table[index]` for an index of any integer type, which numpy would first copy to its own index type."""
    found = np.empty(len(index), dtype=np.int32)
    for place in range(len(index)):
        found[place] = table[index[place]]
    return found


@compiled
def fold(keys: Keys, radix: int, column: Codes) -> None:
    """Append one code to every mixed-radix key: `keys * radix + column`, in place. The caller prevents overflow."""
    for place in range(len(keys)):
        keys[place] = keys[place] * radix + column[place]


@compiled
def any_negative(codes: Codes) -> bool:
    """Whether any code is negative; stops at the first one."""
    for place in range(len(codes)):
        if codes[place] < 0:
            return True
    return False
