"""Membership: to what degree a node of an ordered taxonomy is true of the values in it and beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain

Shape = Literal["trapezoid", "triangle"]

_DECIMALS = 12
_HALF = 0.5


@dataclass(frozen=True, eq=False)
class Membership:
    """The codes of a node, the codes it is true of at all, those it is surely true of, and the degrees between.

    `grades[i]` is the degree for code `reach[0] + i`; without grades the node is wholly true of its own codes and of
    no other.
    """

    node: tuple[int, int]
    reach: tuple[int, int]
    sure: tuple[int, int]
    grades: NDArray[np.float64] | None = None

    def degrees(self) -> NDArray[np.float64]:
        """A degree for every code that is reached."""
        return np.ones(self.reach[1] - self.reach[0] + 1) if self.grades is None else self.grades


def member(domain: Domain, lo: int, hi: int, fuzziness: float, shape: Shape) -> Membership | None:
    """The membership of the node over codes lo to hi; None where it is surely true of no value.

    With the width w from the lowest to the highest value of the node, a trapezoid is 1 between them and falls to 0 over
    `fuzziness` * w on either side; a triangle is 1 in the middle and falls to 0 at `fuzziness` * w beyond both ends.
    Surely true are the codes of degree 1 of a trapezoid, of degree 0.5 or more of a triangle. Without fuzziness, and
    for single values, texts and the missing value, nothing is fuzzy.

    >>> ages, _ = Domain.of("age", ["19", "20", "22", "24", "25"])
    >>> member(ages, 1, 3, 0.5, "trapezoid").grades.tolist()
    [0.5, 1.0, 1.0, 1.0, 0.5]
    >>> member(ages, 1, 3, 0.5, "triangle").grades.tolist()
    [0.25, 0.5, 1.0, 0.5, 0.25]
    """
    itself = (lo, hi)
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
    """The degree of every value; it rises to one stretch and falls from it, so what is true lies together."""
    slope = fuzziness * (high - low)
    if shape == "triangle":
        slope += (high - low) / 2
        away = np.abs(numbers - (low + high) / 2)
    else:
        away = np.maximum(np.maximum(low - numbers, numbers - high), 0)
    return np.asarray(np.maximum(1 - away / slope, 0), dtype=np.float64)


def _span(true: NDArray[np.bool_]) -> tuple[int, int] | None:
    places = np.flatnonzero(true)
    return (int(places[0]), int(places[-1])) if len(places) else None
