"""The contract of a mask: it perturbs columns record by record, so that no published value is certain.

`masks/files.py` calls `Mask.mask` for the plan and the command `sfumato mask`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.engines.frames.columns import Columns
from sfumato.errors import DataError, ParameterError, SchemaError, UsageError, listed
from sfumato.runtime.secret_random import Randomness, randomness
from sfumato.settings.params import Declared

Matrix = NDArray[Any]


class Mask(Declared):
    """Base of all masks; an author writes `_mask` on arrays.

    Facts that others read: `randomized` says that the result is random, `for_kind` whether columns must be numbers or
    categories, `needs_spread` that a column with a single value cannot be masked, `reads_kind` the kind of the columns
    that it reads without changing them, `draws_decimals` that it makes numbers with any number of decimals, which files
    get with as many as the column has. A mask gives no guarantee: no privacy model holds because of it. Measure what
    it hides and what it costs with attacks and metrics on `PairedNumbers`.
    """

    randomized: ClassVar[bool] = True
    for_kind: ClassVar[Literal["numbers", "categories", "any"]] = "numbers"
    needs_spread: ClassVar[bool] = True
    draws_decimals: ClassVar[bool] = False
    reads_kind: ClassVar[Literal["numbers", "any"]] = "any"

    @property
    def reads(self) -> tuple[str, ...]:
        """Columns that the mask reads and does not change."""
        return ()

    def mask(self, frame: Any, columns: Sequence[str], *, seed: int | None = None) -> Any:
        """The same kind of frame with these columns masked: same records, order and index, other columns unchanged.

        Without a seed, random numbers come from the operating system's cryptographic generator and cannot be repeated.
        An attacker who can repeat the draws undoes much of the masking, so use a seed only for tests and examples,
        never for published data. Missing values stay missing.
        """
        names = self._check_columns(columns)
        if self.for_kind == "numbers":
            taken = Columns.of_numbers(frame, names)
        else:
            taken = Columns.of_values(frame, names, broken=self.for_kind == "any")
        if self.needs_spread:
            _demand_spread(self, taken)
        made = self._mask(taken.matrix.copy(), _random(seed), self._read_columns(frame))
        missing = taken.missing
        if self.for_kind == "numbers" and not np.isfinite(made[~missing]).all():
            raise DataError(
                f"{self.name()} produced numbers that are not finite in {listed(names)}; leave out numbers that are "
                "codes for something else, scale the column, or change the settings."
            )
        return taken.put_back(np.where(missing, taken.matrix, made) if missing.any() else made)

    def _check_columns(self, columns: Sequence[str]) -> list[str]:
        if isinstance(columns, str):
            raise UsageError(f"columns must be a list; write [{columns!r}].")
        names = list(dict.fromkeys(columns))
        if not names:
            raise UsageError(f"{self.name()} needs at least one column to mask; name one.")
        for name in self.reads:
            if name in names:
                raise SchemaError(f"{self.name()} reads column {name!r} to mask others; it cannot mask it too.")
        return names

    def _read_columns(self, frame: Any) -> Matrix:
        """The columns that the mask only reads, as a matrix."""
        of = Columns.of_numbers if self.reads_kind == "numbers" else Columns.of_values
        return of(frame, self.reads).matrix

    @abstractmethod
    def _mask(self, values: Matrix, random: Randomness, others: Matrix) -> Matrix:
        """The masked columns; `values` is a copy that may be changed, coded as `Columns` describes.

        Results for missing values are discarded. `others` holds the columns of `reads`.
        """


def _random(seed: int | None) -> Randomness:
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise ParameterError(f"'seed' must be a whole number >= 0, or absent for secret random numbers; got {seed!r}.")
    return randomness(seed)


def _demand_spread(mask: Mask, taken: Columns) -> None:
    for place, name in enumerate(taken.names):
        here = taken.matrix[~taken.missing[:, place], place]
        if not len(here) or (here == here[0]).all():
            raise DataError(
                f"column {name!r} has at most one distinct value, so {mask.name()} cannot change it; leave it out."
            )
