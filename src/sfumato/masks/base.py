"""The contract of a mask: columns that are changed record by record, so that nobody can be sure of a value."""

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

    Facts that others read: `randomized` says that chance decides, `for_kind` whether columns must be numbers or
    categories, `needs_spread` that a column with a single value cannot be masked, `reads_kind` what the columns are
    that it looks at beside those it changes. A mask promises nothing by itself: no model holds because of it. What it
    hides and costs is to be measured, by attacks and metrics on `PairedNumbers`.
    """

    randomized: ClassVar[bool] = True
    for_kind: ClassVar[Literal["numbers", "categories", "any"]] = "numbers"
    needs_spread: ClassVar[bool] = True
    reads_kind: ClassVar[Literal["numbers", "any"]] = "any"

    @property
    def reads(self) -> tuple[str, ...]:
        """Columns that it looks at and leaves as they are."""
        return ()

    def mask(self, frame: Any, columns: Sequence[str], *, seed: int | None = None) -> Any:
        """The same kind of frame with these columns masked: same records, order and index, other columns untouched.

        Without a seed, random numbers come from the operating system's cryptographic generator and cannot be repeated.
        Somebody who repeats the draws undoes much of what they hide, so a seed is for tests and examples, never for
        what is published. A missing value stays missing.
        """
        names = self._checked(columns)
        if self.for_kind == "numbers":
            taken = Columns.of_numbers(frame, names)
        else:
            taken = Columns.of_values(frame, names, broken=self.for_kind == "any")
        if self.needs_spread:
            _demand_spread(self, taken)
        made = self._mask(taken.matrix.copy(), _random(seed), self._beside(frame))
        missing = taken.missing
        if self.for_kind == "numbers" and not np.isfinite(made[~missing]).all():
            raise DataError(
                f"{self.name()} made numbers that cannot be written of some in {listed(names)}; leave out numbers that "
                "stand for something else, scale the column, or change the settings."
            )
        return taken.put_back(np.where(missing, taken.matrix, made) if missing.any() else made)

    def _checked(self, columns: Sequence[str]) -> list[str]:
        if isinstance(columns, str):
            raise UsageError(f"columns are given as a list; write [{columns!r}].")
        names = list(dict.fromkeys(columns))
        if not names:
            raise UsageError(f"{self.name()} needs a column to mask; name at least one.")
        for name in self.reads:
            if name in names:
                raise SchemaError(f"{self.name()} looks at column {name!r} to mask others; it cannot mask it too.")
        return names

    def _beside(self, frame: Any) -> Matrix:
        """The columns that it reads, as a matrix."""
        of = Columns.of_numbers if self.reads_kind == "numbers" else Columns.of_values
        return of(frame, self.reads).matrix

    @abstractmethod
    def _mask(self, values: Matrix, random: Randomness, beside: Matrix) -> Matrix:
        """The masked columns, from a copy that may be changed; see `Columns` for how values come.

        What is put in place of a missing value is thrown away. `beside` has the columns of `reads`.
        """


def _random(seed: int | None) -> Randomness:
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise ParameterError(f"'seed' must be a whole number >= 0, or left out for chance; got {seed!r}.")
    return randomness(seed)


def _demand_spread(mask: Mask, taken: Columns) -> None:
    for place, name in enumerate(taken.names):
        here = taken.matrix[~taken.missing[:, place], place]
        if not len(here) or (here == here[0]).all():
            raise DataError(
                f"column {name!r} has one value at most, in which {mask.name()} can hide nobody; leave it out."
            )
