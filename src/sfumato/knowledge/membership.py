"""Membership: to what degree a node of an ordered taxonomy covers the values in it and beside it (fuzzy sets)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.kernels.arrays import Flags

Shape = Literal["trapezoid", "triangle"]

_DECIMALS = 12
"""Degrees are rounded to these decimals, so that a degree of 1 or 0.5 is not missed by a rounding error."""
_HALF = 0.5
"""A triangle surely covers the values of at least this degree."""


@dataclass(frozen=True, eq=False)
class Membership:
    """The fuzzy set of a node, as ranges of codes.

    `node` are the codes of the node, `reach` the codes of degree above 0, and `sure` the codes that a mined rule will
    name. `grades[i]` is the degree of code `reach[0] + i`; without grades, every code of the node has degree 1.
    """

    node: tuple[int, int]
    reach: tuple[int, int]
    sure: tuple[int, int]
    grades: NDArray[np.float64] | None = None

    def degrees(self) -> NDArray[np.float64]:
        """The degree of every code in `reach`."""
        return np.ones(self.reach[1] - self.reach[0] + 1) if self.grades is None else self.grades


def membership_of(domain: Domain, lo: int, hi: int, fuzziness: float, shape: Shape) -> Membership | None:
    """The membership of the node over codes lo to hi; None if it surely covers no value.

    Let w be the width from the lowest to the highest value of the node. A trapezoid is 1 between them and falls to 0
    over `fuzziness` * w on either side; a triangle is 1 in the middle and falls to 0 at `fuzziness` * w beyond both
    ends. A trapezoid surely covers the codes of degree 1, a triangle those of degree 0.5 or more. Without fuzziness,
    and for single values, texts and the missing value, all degrees are 1.

    >>> ages, _ = Domain.of("age", ["19", "20", "22", "24", "25"])
    >>> membership_of(ages, 1, 3, 0.5, "trapezoid").grades.tolist()
    [0.5, 1.0, 1.0, 1.0, 0.5]
    >>> membership_of(ages, 1, 3, 0.5, "triangle").grades.tolist()
    [0.25, 0.5, 1.0, 0.5, 0.25]
    """
    itself = (lo, hi)
    # Also excludes a width of 0, by which `_degrees` would divide.
    if domain.numbers is None or fuzziness == 0 or hi >= domain.present or lo == hi:
        return Membership(itself, itself, itself)
    numbers = domain.numbers[: domain.present]
    grades = np.round(_degrees(numbers, float(numbers[lo]), float(numbers[hi]), fuzziness, shape), _DECIMALS)
    sure = itself if shape == "trapezoid" else _span(grades >= _HALF)
    reach = _span(grades > 0)
    if sure is None or reach is None:
        return None
    return Membership(itself, reach, sure, grades[reach[0] : reach[1] + 1])


def _degrees(
    numbers: NDArray[np.float64], low: float, high: float, fuzziness: float, shape: Shape
) -> NDArray[np.float64]:
    """The degree of every value; it rises to one plateau and falls after it, so covered codes are contiguous."""
    slope = fuzziness * (high - low)
    if shape == "triangle":
        slope += (high - low) / 2
        away = np.abs(numbers - (low + high) / 2)
    else:
        away = np.maximum(np.maximum(low - numbers, numbers - high), 0)
    return np.asarray(np.maximum(1 - away / slope, 0), dtype=np.float64)


def _span(true: Flags) -> tuple[int, int] | None:
    places = np.flatnonzero(true)
    return (int(places[0]), int(places[-1])) if len(places) else None
