"""Numbers grow vaguer as intervals."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isfinite

from sfumato.data.domain import Domain, Kind, written
from sfumato.errors import ParameterError, TaxonomyError, listed
from sfumato.settings.params import param
from sfumato.taxonomies.base import TaxonomyBuilder
from sfumato.taxonomies.taxonomy import ROOT

_CHOICES = ("breaks", "width", "quantiles")


@dataclass(frozen=True, kw_only=True)
class Intervals(TaxonomyBuilder):
    """Half-open intervals `[20, 25)`, two neighbours joined on each level until one is left, then `*`.

    Exactly one setting is given. With `breaks` or `quantiles` the last interval is closed, `[40, 60]`. With `width` the
    intervals of every level start at multiples of their width, whatever the data, so that the labels of two releases
    agree; the two sides of zero join last.

    >>> domain, _ = Domain.of("age", ["3", "20", "60"])
    >>> for row in Intervals(breaks=(0, 20, 40, 60)).grow(domain)[0].level_rows():
    ...     print(row)
    ['3', '[0, 20)', '[0, 40)', '[0, 60]', '*']
    ['20', '[20, 40)', '[0, 40)', '[0, 60]', '*']
    ['60', '[40, 60]', '[40, 60]', '[0, 60]', '*']
    """

    plan_keys = {"intervals": "breaks", "width": "width", "quantiles": "quantiles"}

    breaks: tuple[float, ...] | None = param(None, doc="where intervals begin, and where the last one ends")
    width: float | None = param(None, doc="width of the narrowest intervals", above=0)
    quantiles: int | None = param(None, doc="how many intervals with about as many distinct values each", at_least=2)

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [name for name in _CHOICES if getattr(self, name) is not None]
        if len(given) != 1:
            raise ParameterError(
                f"Intervals takes exactly one of {', '.join(_CHOICES)}; got {' and '.join(given) or 'none'}."
            )
        if self.breaks is not None and not _ascending(self.breaks):
            raise ParameterError(
                "'breaks' of Intervals must be at least two finite numbers, each above the one before."
            )

    def _levels(self, domain: Domain) -> list[list[str]]:
        if domain.kind is not Kind.NUMBER or domain.numbers is None:
            raise TaxonomyError(
                f"column {domain.column!r} holds {domain.kind} values, and intervals are for numbers; "
                f"use {'{ dates = true }' if domain.kind is Kind.DATE else 'a tree, ordered groups or a mask'} instead."
            )
        numbers = domain.numbers[: domain.present].tolist()
        if self.width is not None:
            return [*_of_width(numbers, self.width, domain.column), [ROOT] * len(numbers)]
        breaks = _quantiles(numbers, self.quantiles) if self.quantiles else [float(stop) for stop in self.breaks or ()]
        _check_within(numbers, breaks, domain)
        return [*_between(numbers, breaks), [ROOT] * len(numbers)]


def _ascending(breaks: tuple[float, ...]) -> bool:
    """Whether the breaks are finite and stay in order once they are floats, as the values are."""
    try:
        stops = [float(stop) for stop in breaks]
    except OverflowError:
        return False
    return len(stops) > 1 and all(map(isfinite, stops)) and all(low < high for low, high in pairwise(stops))


def _quantiles(numbers: list[float], count: int) -> list[float]:
    """Breaks at values of the column, so that a label never shows a number that is nowhere in it."""
    at = (len(numbers) * place // count for place in range(count))
    return sorted({*(numbers[index] for index in at), numbers[-1]}) if numbers else []


def _check_within(numbers: list[float], breaks: list[float], domain: Domain) -> None:
    outside = [number for number in numbers if not breaks[0] <= number <= breaks[-1]]
    if outside:
        values = "value" if len(outside) == 1 else "values"
        raise TaxonomyError(
            f"the intervals of {domain.column!r} reach from {written(breaks[0])} to {written(breaks[-1])} and do not "
            f"cover {len(outside)} {values}: {listed(map(written, outside))}. Move the breaks apart."
        )


def _between(numbers: list[float], breaks: list[float]) -> list[list[str]]:
    """Labels on every level below the root; level i joins 2 to the power of i intervals."""
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
    """Labels on every level below the root; each level has intervals twice as wide as the one below."""
    try:
        exact = Fraction(repr(float(width)))
        return _doubled([_place(number, exact) for number in numbers], exact)
    except OverflowError:
        raise TaxonomyError(
            f"intervals of width {written(width)} do not fit the values of {column!r}; choose another width."
        ) from None


def _doubled(places: list[int], width: Fraction) -> list[list[str]]:
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
    """Which multiple of the width a number follows, by the ends as they are published.

    Three times 0.1 is published as 0.3, and the float 0.3 lies just below it; so it must count as having reached it.
    """
    place = Fraction(number) // width
    if number >= float((place + 1) * width):
        place += 1
    if not float(place * width) <= number < float((place + 1) * width):
        raise OverflowError
    return place


def _end(place: int, width: Fraction) -> str:
    return written(float(place * width))
