"""Intervals: a taxonomy of numbers by intervals that double on every level."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isfinite

from sfumato.data.domain import Domain, written
from sfumato.data.kinds import Kind
from sfumato.errors import ParameterError, TaxonomyError, listed
from sfumato.settings.params import param
from sfumato.taxonomies.base import TaxonomyBuilder
from sfumato.taxonomies.taxonomy import ROOT

_CHOICES = ("breaks", "width", "quantiles")


@dataclass(frozen=True, kw_only=True)
class Intervals(TaxonomyBuilder):
    """Generalizes numbers to half-open intervals `[20, 25)`; each level joins two neighbours, and the last is `*`.

    Set exactly one of the three settings. With `breaks` or `quantiles` the last interval is closed, `[40, 60]`. With
    `width` the intervals of every level start at multiples of their width, independent of the data, so that the labels
    of two releases agree; negative and positive numbers are joined last.

    >>> domain, _ = Domain.of("age", ["3", "20", "60"])
    >>> for row in Intervals(breaks=(0, 20, 40, 60)).grow(domain)[0].level_rows():
    ...     print(row)
    ['3', '[0, 20)', '[0, 40)', '[0, 60]', '*']
    ['20', '[20, 40)', '[0, 40)', '[0, 60]', '*']
    ['60', '[40, 60]', '[40, 60]', '[0, 60]', '*']
    """

    plan_keys = {"intervals": "breaks", "width": "width", "quantiles": "quantiles"}

    breaks: tuple[float, ...] | None = param(None, doc="the starts of the intervals, and the end of the last one")
    width: float | None = param(None, doc="width of the narrowest intervals", above=0)
    quantiles: int | None = param(
        None, doc="number of intervals, with about equally many distinct values each", at_least=2
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [name for name in _CHOICES if getattr(self, name) is not None]
        if len(given) != 1:
            raise ParameterError(
                f"Intervals takes exactly one of {', '.join(_CHOICES)}; got {' and '.join(given) or 'none'}."
            )
        if self.breaks is not None and not _are_ascending(self.breaks):
            raise ParameterError("'breaks' of Intervals must be at least two finite numbers in ascending order.")

    def _levels(self, domain: Domain) -> list[list[str]]:
        if domain.kind is not Kind.NUMBER or domain.numbers is None:
            calendar = domain.kind in (Kind.DATE, Kind.MONTH)
            raise TaxonomyError(
                f"column {domain.column!r} holds {domain.kind} values, and intervals are for numbers; "
                f"use {'{ dates = true }' if calendar else 'a tree, ordered groups or a mask'} instead."
            )
        numbers = domain.numbers[: domain.present].tolist()
        if self.width is not None:
            return [*_of_width(numbers, self.width, domain.column), [ROOT] * len(numbers)]
        breaks = _quantiles(numbers, self.quantiles) if self.quantiles else [float(stop) for stop in self.breaks or ()]
        _check_within(numbers, breaks, domain)
        return [*_labels_between(numbers, breaks), [ROOT] * len(numbers)]


def _are_ascending(breaks: tuple[float, ...]) -> bool:
    """Whether the breaks are finite and strictly ascending after conversion to float."""
    try:
        stops = [float(stop) for stop in breaks]
    except OverflowError:
        return False
    return len(stops) > 1 and all(map(isfinite, stops)) and all(low < high for low, high in pairwise(stops))


def _quantiles(numbers: list[float], count: int) -> list[float]:
    """Breaks at values of the column, so that labels only show numbers that occur in it."""
    at = (len(numbers) * place // count for place in range(count))
    return sorted({*(numbers[index] for index in at), numbers[-1]}) if numbers else []


def _check_within(numbers: list[float], breaks: list[float], domain: Domain) -> None:
    outside = [number for number in numbers if not breaks[0] <= number <= breaks[-1]]
    if outside:
        values = "value" if len(outside) == 1 else "values"
        raise TaxonomyError(
            f"the intervals of {domain.column!r} reach from {written(breaks[0])} to {written(breaks[-1])} and do not "
            f"cover {len(outside)} {values}: {listed(map(written, outside))}. Extend the breaks."
        )


def _labels_between(numbers: list[float], breaks: list[float]) -> list[list[str]]:
    """The labels on every level below the root; level i joins 2 to the power of i intervals."""
    last = len(breaks) - 2
    places = [min(bisect_right(breaks, number) - 1, last) for number in numbers]
    return [
        [_label(breaks, place >> step << step, 1 << step) for place in places]
        for step in range(last.bit_length() + 1 if last >= 0 else 0)
    ]


def _label(breaks: list[float], start: int, count: int) -> str:
    stop = min(start + count, len(breaks) - 1)
    closing = "]" if stop == len(breaks) - 1 else ")"
    return f"[{written(breaks[start])}, {written(breaks[stop])}{closing}"


def _of_width(numbers: list[float], width: float, column: str) -> list[list[str]]:
    """The labels on every level below the root; each level has intervals twice as wide as the one below."""
    try:
        exact = Fraction(repr(float(width)))
        return _doubling_levels([_place(number, exact) for number in numbers], exact)
    except OverflowError:
        raise TaxonomyError(
            f"intervals of width {written(width)} do not fit the values of {column!r}; choose another width."
        ) from None


def _doubling_levels(places: list[int], width: Fraction) -> list[list[str]]:
    levels = []
    while True:
        labels = {place: f"[{_end(place, width)}, {_end(place + 1, width)})" for place in set(places)}
        levels.append([labels[place] for place in places])
        if len(labels) <= 1:
            return levels
        if labels.keys() == {-1, 0}:
            return [*levels, [f"[{_end(-1, width)}, {_end(1, width)})"] * len(places)]
        places, width = [place // 2 for place in places], width * 2


def _place(number: float, width: Fraction) -> int:
    """The index of the interval that contains a number, judged by the published ends.

    Three times 0.1 is published as 0.3, but the float 0.3 is slightly smaller than the exact product; it must still
    count as 0.3.
    """
    place = Fraction(number) // width
    if number >= float((place + 1) * width):
        place += 1
    if not float(place * width) <= number < float((place + 1) * width):
        raise OverflowError
    return place


def _end(place: int, width: Fraction) -> str:
    return written(float(place * width))
