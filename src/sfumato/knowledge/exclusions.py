"""Exclusions: which values of the sensitive column are ruled out for each record, as a column of its own.

`Knowledge.exclusions` creates it, and the models that guard against knowledge count its histogram per group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.data.row_keys import Packing
from sfumato.kernels.arrays import Flags


@dataclass(frozen=True, eq=False, repr=False)
class Exclusions(Domain):
    """The domain of a derived column: each of its codes stands for a set of sensitive values that are ruled out.

    Code c rules out the values v with `ruled_out[c, v]`; v follows the order of `values`, the texts of the sensitive
    column.
    """

    values: tuple[str | None, ...] = ()
    ruled_out: Any = None

    @classmethod
    def of_rows(cls, column: str, values: tuple[str | None, ...], rows: Flags) -> tuple[Exclusions, NDArray[np.int32]]:
        """Number the distinct sets, and return every row's number; `rows[i, v]`: value v is ruled out for row i."""
        # Eight values become one byte, so that distinct sets are found by few columns of small codes.
        eights = np.packbits(rows, axis=1).T
        packing, number = Packing.of(list(eights), [256] * len(eights))
        some = np.empty(len(packing), dtype=np.int64)
        some[number] = np.arange(len(number))
        texts = tuple(map(str, range(len(packing))))
        return cls(column, Kind.TEXT, texts, None, False, values, rows[some]), number

    def against(self, values: tuple[str | None, ...]) -> Flags:
        """What each code rules out, with the values in another order; unknown values are not ruled out."""
        if values == self.values:
            found: Flags = self.ruled_out
            return found
        place = {text: index for index, text in enumerate(self.values)}
        known = np.array([place.get(text, -1) for text in values], dtype=np.int64)
        # Index -1 reads the last value for unknown texts; the mask removes what it read.
        return np.asarray(self.ruled_out[:, known] & (known >= 0), dtype=np.bool_)

    def reordered(self, order: NDArray[np.int64]) -> Exclusions:
        """The same sets under new codes; `order[i]` is the old code of new code i."""
        return replace(self, texts=tuple(self.texts[code] for code in order), ruled_out=self.ruled_out[order])
