"""Names of the kinds of arrays that modules of every layer share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
"""One boolean per record, row, group or value: those for which something holds."""
