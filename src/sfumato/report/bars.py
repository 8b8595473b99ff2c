"""Bar charts with one or more series of values, with vertical or horizontal bars. `pictures` draws them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil, cos, floor, log10, radians, sin
from typing import NamedTuple

from sfumato.report.svg import (
    ALARM,
    GRID,
    INK,
    LINE,
    MUTED,
    bar,
    horizontal_line,
    lines,
    picture,
    text,
    vertical_line,
    width_of,
)
from sfumato.runtime.representations import sizes_only

_MARGIN, _TOP, _GAP, _MAX_LABEL, _ANGLE = 4, 8, 7, 120, 35
_SIN, _COS = sin(radians(_ANGLE)), cos(radians(_ANGLE))


class Series(NamedTuple):
    """One value for each name on the chart, drawn in one colour."""

    name: str
    colour: str
    values: Sequence[float]


class Plot(NamedTuple):
    """The rectangle of the bars, its share for each name (`slot`), and the value at its far side (`most`)."""

    left: float
    top: float
    right: float
    bottom: float
    slot: float
    most: float

    def x_of(self, value: float) -> float:
        """The x coordinate of a value on a horizontal scale."""
        return self.left + value / self.most * (self.right - self.left)

    def y_of(self, value: float) -> float:
        """The y coordinate of a value on a vertical scale."""
        return self.bottom - value / self.most * (self.bottom - self.top)


class Bar(NamedTuple):
    """One bar: the middle of its slot, the offset from there to its start in widths of a bar, its value and looks."""

    place: float
    offset: float
    value: float
    colour: str
    tooltip: str

    def __repr__(self) -> str:
        return sizes_only(self)


@dataclass(frozen=True, kw_only=True)
class Bars:
    """A bar chart whose values start at 0, with one bar of each series for every name.

    `title` names the axis of values. Its ticks are at least `min_step` apart and reach at least to `most`; `tick`
    formats them, and `number` formats any other value. Horizontal bars may have their number behind them
    (`show_numbers`), a dashed line at a `threshold`, and `intervals` drawn over the bars of the first series.
    `heading` and `description` are the texts for readers who cannot see the picture.
    """

    heading: str
    description: str
    names: Sequence[str] = field(repr=False)
    series: Sequence[Series]
    title: str
    tick: Callable[[float], str]
    number: Callable[[float], str]
    names_title: str = ""
    show_numbers: bool = False
    threshold: float | None = None
    most: float = 0.0
    min_step: float = 0.0
    intervals: Sequence[tuple[float, float]] = ()

    def vertical(self, width: float, height: float) -> str:
        """The chart with vertical bars, in a plot of the given height; names are rotated if they would overlap."""
        scale, many = self._scale(7), max(len(self.names), 1)
        lengths = [min(width_of(name), _MAX_LABEL) for name in self.names]
        left, right = 26 + max(width_of(self.tick(value)) for value in scale), width - _MARGIN
        rotated = max(lengths, default=0) > (right - left) / many - 3
        if rotated:
            left = max(left, _left_for_rotated(lengths, right))
        plot = Plot(left, _TOP, right, _TOP + height, (right - left) / many, scale[-1])
        below = plot.bottom + (20 + _SIN * max(lengths) if rotated else 22)
        marks = [*self._vertical_scale(plot, scale), *self._vertical_bars(plot), *self._labels_below(plot, rotated)]
        if self.names_title:
            below += 18
            marks.append(text((left + right) / 2, below - 4, self.names_title, "middle", colour=MUTED))
        return picture(width, below + _MARGIN, self.heading, self.description, marks)

    def horizontal(self, width: float) -> str:
        """The chart with horizontal bars and names to the left; its height follows from the number of bars."""
        scale, max_width = self._scale(5), min(190, 0.36 * width)
        left = _MARGIN + _GAP + max((min(width_of(name), max_width) for name in self.names), default=0.0)
        slot = self._thickness * len(self.series) + 10
        plot = Plot(left, _TOP, self._right(left, width, scale), _TOP + slot * len(self.names), slot, scale[-1])
        marks = [*self._horizontal_scale(plot, scale), *self._horizontal_bars(plot)]
        marks += [
            text(left - _GAP, plot.top + (place + 0.5) * slot + 4, name, "end", max_width=max_width)
            for place, name in enumerate(self.names)
        ]
        return picture(width, plot.bottom + 40, self.heading, self.description, marks)

    def _scale(self, count: int) -> tuple[float, ...]:
        """The values of the ticks."""
        values = (value for series in self.series for value in series.values)
        return ticks(max(self.most, self.threshold or 0.0, *values), count, self.min_step)

    def _vertical_scale(self, plot: Plot, scale: Sequence[float]) -> Iterator[str]:
        """Grid lines, ticks and title of the axis of values, for vertical bars."""
        yield lines((horizontal_line(plot.y_of(value), plot.left, plot.right) for value in scale[1:]), GRID)
        for value in scale:
            yield text(plot.left - _GAP, plot.y_of(value) + 4, self.tick(value), "end")
        yield text(_MARGIN + 9, (plot.top + plot.bottom) / 2, self.title, "middle", angle=-90, colour=MUTED)

    def _vertical_bars(self, plot: Plot) -> Iterator[str]:
        thickness = min(80, 0.84 * plot.slot / len(self.series))
        for place, offset, value, colour, tooltip in self._bars():
            x, y = plot.left + place * plot.slot + offset * thickness, plot.y_of(value)
            yield bar(x, y, thickness, plot.bottom - y, colour, tooltip=tooltip)
        yield lines([horizontal_line(plot.bottom, plot.left, plot.right)], LINE)

    def _labels_below(self, plot: Plot, rotated: bool) -> Iterator[str]:
        anchor, angle, shift = ("end", -_ANGLE, 4) if rotated else ("middle", 0, 0)
        for place, name in enumerate(self.names):
            x = plot.left + (place + 0.5) * plot.slot + shift
            yield text(x, plot.bottom + 17 - shift, name, anchor, angle=angle, max_width=_MAX_LABEL)

    def _horizontal_scale(self, plot: Plot, scale: Sequence[float]) -> Iterator[str]:
        """Grid lines, ticks and title of the axis of values, for horizontal bars."""
        yield lines((vertical_line(plot.x_of(value), plot.top, plot.bottom) for value in scale[1:]), GRID)
        for value in scale:
            yield text(plot.x_of(value), plot.bottom + 17, self.tick(value), "middle")
        yield text((plot.left + plot.right) / 2, plot.bottom + 35, self.title, "middle", colour=MUTED)

    def _horizontal_bars(self, plot: Plot) -> Iterator[str]:
        for place, offset, value, colour, tooltip in self._bars():
            y = plot.top + place * plot.slot + offset * self._thickness
            yield bar(plot.left, y, plot.x_of(value) - plot.left, self._thickness, colour, tooltip=tooltip)
        yield lines([vertical_line(plot.left, plot.top, plot.bottom)], LINE)
        yield from self._whiskers(plot)
        if self.threshold is not None:
            yield lines([vertical_line(plot.x_of(self.threshold), plot.top, plot.bottom)], ALARM, dashes="5 4")
        for each in self._bars() if self.show_numbers else ():
            y = plot.top + each.place * plot.slot + (each.offset + 0.5) * self._thickness + 4
            yield text(plot.x_of(each.value) + 5, y, self.number(each.value), halo=True)

    def _whiskers(self, plot: Plot) -> Iterator[str]:
        """Each interval as a line through the middle of its bar, with an end mark on both sides."""
        for each, (low, high) in zip(self._bars(), self.intervals, strict=False):
            y = plot.top + each.place * plot.slot + (each.offset + 0.5) * self._thickness
            left, right = plot.x_of(low), plot.x_of(high)
            yield lines(
                [
                    horizontal_line(y, left, right),
                    vertical_line(left, y - 4, y + 4),
                    vertical_line(right, y - 4, y + 4),
                ],
                INK,
            )

    def _right(self, left: float, width: float, scale: Sequence[float]) -> float:
        """The right end of the plot, which leaves space for the last tick and for the numbers behind the bars."""
        ends = [width - _MARGIN - width_of(self.tick(scale[-1])) / 2]
        for each in self._bars() if self.show_numbers else ():
            free = width - _MARGIN - 5 - width_of(self.number(each.value)) - left
            ends.append(left + free * scale[-1] / each.value if each.value > 0 else width)
        return min(ends)

    @property
    def _thickness(self) -> float:
        return 17 if len(self.series) == 1 else 14

    def _bars(self) -> Iterator[Bar]:
        """All bars, series by series; a bar without a written number gets a tooltip."""
        for number, (series_name, colour, values) in enumerate(self.series):
            for place, (name, value) in enumerate(zip(self.names, values, strict=True)):
                tooltip = "" if self.show_numbers else f"{name}, {series_name}: {self.number(value)}"
                yield Bar(place + 0.5, number - len(self.series) / 2, value, colour, tooltip)


def _left_for_rotated(lengths: Sequence[float], right: float) -> float:
    """The left end of the plot at which no rotated name starts outside the picture; names end below their bars."""
    parts = [(place + 0.5) / len(lengths) for place in range(len(lengths))]
    return max((_COS * long + 2 - right * part) / (1 - part) for long, part in zip(lengths, parts, strict=True))


def ticks(most: float, count: int, min_step: float = 0.0) -> tuple[float, ...]:
    """The ticks of an axis: from 0 to at least `most` in at most `count` steps of 1, 2 or 5 times a power of ten.

    >>> ticks(0.23, 5), ticks(3074, 6), ticks(2, 5, min_step=1)
    ((0.0, 0.05, 0.1, 0.15, 0.2, 0.25), (0.0, 1000.0, 2000.0, 3000.0, 4000.0), (0.0, 1.0, 2.0))
    """
    most = most if most > 1e-9 else 1.0
    # rounding may lift a sum of shares slightly above a round number; that must not add a step
    least = max(most / count, min_step) * (1 - 1e-9)
    leads = (float(f"{lead}e{floor(log10(least))}") for lead in (1, 2, 5, 10))
    step = next(step for step in leads if step >= least)
    return tuple(round(step * at, 12) for at in range(ceil(most / step * (1 - 1e-9)) + 1))
