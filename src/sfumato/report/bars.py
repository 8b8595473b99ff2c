"""Bar charts of one or more values for every name, with vertical (standing) or horizontal (lying) bars."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, cos, floor, log10, radians, sin
from typing import NamedTuple

from sfumato.report.svg import ALARM, GRID, INK, LINE, QUIET, bar, level, lines, picture, text, upright, width_of

_EDGE, _TOP, _AIR, _LONGEST, _TURN = 4, 8, 7, 120, 35
_SIN, _COS = sin(radians(_TURN)), cos(radians(_TURN))


class Series(NamedTuple):
    """One value for every name, drawn in one colour."""

    name: str
    colour: str
    values: Sequence[float]


class Plot(NamedTuple):
    """The rectangle that bars are drawn in, how much of it each name gets, and the value at its far side."""

    left: float
    top: float
    right: float
    bottom: float
    slot: float
    most: float

    def across(self, value: float) -> float:
        """How far right a value lies."""
        return self.left + value / self.most * (self.right - self.left)

    def up(self, value: float) -> float:
        """How high a value lies."""
        return self.bottom - value / self.most * (self.bottom - self.top)


class Bar(NamedTuple):
    """One bar: the place of its name, how many bars it begins away from the middle of that place, and its value."""

    place: float
    beside: float
    value: float
    colour: str
    says: str


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Bars that begin at 0, one of each series for every name.

    `title` names the axis of values. Its ticks lie at least `finest` apart, reach at least to `most` and are written by
    `tick`; `number` writes any other value. Lying bars may have their number behind them (`numbered`) and a dashed line
    across them (`threshold`); those of the first series may have an interval drawn over each (`intervals`). `told`
    describes the picture for readers who cannot see it.
    """

    told: str
    names: Sequence[str]
    series: Sequence[Series]
    title: str
    tick: Callable[[float], str]
    number: Callable[[float], str]
    names_title: str = ""
    numbered: bool = False
    threshold: float | None = None
    most: float = 0.0
    finest: float = 0.0
    intervals: Sequence[tuple[float, float]] = ()

    def standing(self, width: float, height: float) -> str:
        """Names below, turned where they do not fit side by side; the plot is `height` high."""
        scale, many = self._scale(7), max(len(self.names), 1)
        lengths = [min(width_of(name), _LONGEST) for name in self.names]
        left, right = 26 + max(width_of(self.tick(value)) for value in scale), width - _EDGE
        turned = max(lengths, default=0) > (right - left) / many - 3
        if turned:
            left = max(left, _room_for_turned(lengths, right))
        plot = Plot(left, _TOP, right, _TOP + height, (right - left) / many, scale[-1])
        below = plot.bottom + (20 + _SIN * max(lengths) if turned else 22)
        marks = [*self._heights(plot, scale), *self._standing_bars(plot), *self._names_below(plot, turned)]
        if self.names_title:
            below += 18
            marks.append(text((left + right) / 2, below - 4, self.names_title, "middle", colour=QUIET))
        return picture(width, below + _EDGE, self.told, marks)

    def lying(self, width: float) -> str:
        """Names to the left; as high as it takes."""
        scale, room = self._scale(5), min(190, 0.36 * width)
        left = _EDGE + _AIR + max((min(width_of(name), room) for name in self.names), default=0.0)
        slot = self._thickness * len(self.series) + 10
        plot = Plot(left, _TOP, self._right(left, width, scale), _TOP + slot * len(self.names), slot, scale[-1])
        marks = [*self._lengths(plot, scale), *self._lying_bars(plot)]
        marks += [
            text(left - _AIR, plot.top + (place + 0.5) * slot + 4, name, "end", room=room)
            for place, name in enumerate(self.names)
        ]
        return picture(width, plot.bottom + 40, self.told, marks)

    def _scale(self, count: int) -> tuple[float, ...]:
        values = (value for series in self.series for value in series.values)
        return ticks(max(self.most, self.threshold or 0.0, *values), count, self.finest)

    def _heights(self, plot: Plot, scale: Sequence[float]) -> Iterator[str]:
        yield lines((level(plot.up(value), plot.left, plot.right) for value in scale[1:]), GRID)
        for value in scale:
            yield text(plot.left - _AIR, plot.up(value) + 4, self.tick(value), "end")
        yield text(_EDGE + 9, (plot.top + plot.bottom) / 2, self.title, "middle", angle=-90, colour=QUIET)

    def _standing_bars(self, plot: Plot) -> Iterator[str]:
        thick = min(80, 0.84 * plot.slot / len(self.series))
        for place, beside, value, colour, says in self._each():
            x, y = plot.left + place * plot.slot + beside * thick, plot.up(value)
            yield bar(x, y, thick, plot.bottom - y, colour, says=says)
        yield lines([level(plot.bottom, plot.left, plot.right)], LINE)

    def _names_below(self, plot: Plot, turned: bool) -> Iterator[str]:
        way, angle, shift = ("end", -_TURN, 4) if turned else ("middle", 0, 0)
        for place, name in enumerate(self.names):
            x = plot.left + (place + 0.5) * plot.slot + shift
            yield text(x, plot.bottom + 17 - shift, name, way, angle=angle, room=_LONGEST)

    def _lengths(self, plot: Plot, scale: Sequence[float]) -> Iterator[str]:
        yield lines((upright(plot.across(value), plot.top, plot.bottom) for value in scale[1:]), GRID)
        for value in scale:
            yield text(plot.across(value), plot.bottom + 17, self.tick(value), "middle")
        yield text((plot.left + plot.right) / 2, plot.bottom + 35, self.title, "middle", colour=QUIET)

    def _lying_bars(self, plot: Plot) -> Iterator[str]:
        for place, beside, value, colour, says in self._each():
            y = plot.top + place * plot.slot + beside * self._thickness
            yield bar(plot.left, y, plot.across(value) - plot.left, self._thickness, colour, says=says)
        yield lines([upright(plot.left, plot.top, plot.bottom)], LINE)
        yield from self._whiskers(plot)
        if self.threshold is not None:
            yield lines([upright(plot.across(self.threshold), plot.top, plot.bottom)], ALARM, dashes="5 4")
        for each in self._each() if self.numbered else ():
            y = plot.top + each.place * plot.slot + (each.beside + 0.5) * self._thickness + 4
            yield text(plot.across(each.value) + 5, y, self.number(each.value), halo=True)

    def _whiskers(self, plot: Plot) -> Iterator[str]:
        """Each interval as a line through the middle of its bar, with an end mark on both sides."""
        for each, (low, high) in zip(self._each(), self.intervals, strict=False):
            y = plot.top + each.place * plot.slot + (each.beside + 0.5) * self._thickness
            left, right = plot.across(low), plot.across(high)
            yield lines([level(y, left, right), upright(left, y - 4, y + 4), upright(right, y - 4, y + 4)], INK)

    def _right(self, left: float, width: float, scale: Sequence[float]) -> float:
        """As far right as the last tick and the numbers behind the bars let it."""
        ends = [width - _EDGE - width_of(self.tick(scale[-1])) / 2]
        for each in self._each() if self.numbered else ():
            free = width - _EDGE - 5 - width_of(self.number(each.value)) - left
            ends.append(left + free * scale[-1] / each.value if each.value > 0 else width)
        return min(ends)

    @property
    def _thickness(self) -> float:
        return 17 if len(self.series) == 1 else 14

    def _each(self) -> Iterator[Bar]:
        for number, (said, colour, values) in enumerate(self.series):
            for place, (name, value) in enumerate(zip(self.names, values, strict=True)):
                says = "" if self.numbered else f"{name}, {said}: {self.number(value)}"
                yield Bar(place + 0.5, number - len(self.series) / 2, value, colour, says)


def _room_for_turned(lengths: Sequence[float], right: float) -> float:
    """Where the plot must begin so that no turned name, which ends below its bars, begins left of the picture."""
    parts = [(place + 0.5) / len(lengths) for place in range(len(lengths))]
    return max((_COS * long + 2 - right * part) / (1 - part) for long, part in zip(lengths, parts, strict=True))


def ticks(most: float, count: int, finest: float = 0.0) -> tuple[float, ...]:
    """From 0 in at most `count` steps of 1, 2 or 5 times a power of ten, until `most` is reached.

    >>> ticks(0.23, 5), ticks(3074, 6), ticks(2, 5, finest=1)
    ((0.0, 0.05, 0.1, 0.15, 0.2, 0.25), (0.0, 1000.0, 2000.0, 3000.0, 4000.0), (0.0, 1.0, 2.0))
    """
    most = most if most > 1e-9 else 1.0
    # sums of shares may lie a hair above a round number, which is no reason for another step
    least = max(most / count, finest) * (1 - 1e-9)
    leads = (float(f"{lead}e{floor(log10(least))}") for lead in (1, 2, 5, 10))
    step = next(step for step in leads if step >= least)
    return tuple(round(step * at, 12) for at in range(ceil(most / step * (1 - 1e-9)) + 1))
