"""Draws a figure: axes, ticks, lines or points, a legend; one SVG file that loads nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np

from benchmarks.figures.figure import Figure
from sfumato.report.svg import (
    GRID,
    LINE,
    MUTED,
    coordinate,
    escape_text,
    horizontal_line,
    lines,
    picture,
    standalone,
    text,
    vertical_line,
)
from sfumato.report.svg import width_of as width_of_text

WIDTH, HEIGHT = 760, 300
_TOP, _EDGE, _BELOW, _ROW = 36, 8, 52, 20
_SAMPLE, _GAP = 30, 18
_COLOURS = ("#8a5a2b", "#3c6e71", "#b4442f", "#5b7c3a", "#4a5c9b", "#a0783c", "#7d4f86", "#2b2621", "#c98a1b")
_DASHES = ("", "6 3", "2 3", "8 3 2 3")


@dataclass(frozen=True)
class Scale:
    """Where values of one axis lie: `ticks` with their names, and the place of a value between 0 and 1."""

    ticks: Sequence[tuple[float, str]]
    places: Sequence[tuple[float, float]]

    @classmethod
    def even(cls, values: Sequence[float], named: Sequence[str]) -> Scale:
        """Every value as far from the next."""
        places = [(value, (at + 0.5) / len(values)) for at, value in enumerate(values)]
        return cls(list(zip(values, named, strict=True)), places)

    @classmethod
    def straight(cls, low: float, high: float, count: int) -> Scale:
        """To scale, between round numbers around both ends."""
        at = round_numbers(low, high, count)
        return cls([(value, written(value)) for value in at], [(at[0], 0.0), (at[-1], 1.0)])

    def place(self, value: float) -> float:
        """Between 0 and 1; values between two known places lie in proportion."""
        known, places = zip(*self.places, strict=True)
        return float(np.interp(value, known, places))


@dataclass(frozen=True)
class Box:
    """The rectangle that is plotted in, and the scales of its two sides."""

    left: float
    right: float
    top: float
    bottom: float
    across: Scale
    up: Scale
    log: bool = False

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point lies."""
        return self.x_of(x), self.bottom - self.up.place(y) * (self.bottom - self.top)

    def x_of(self, x: float) -> float:
        """How far right an x lies."""
        return self.left + self.across.place(log10(x) if self.log else x) * (self.right - self.left)


def plot(figure: Figure) -> str:
    """The figure as the text of an SVG file: `HEIGHT` of plot, and below it as much legend as there are lines."""
    up = Scale.straight(*_ends([y for _, _, y in figure.points()]), 8)
    left = 34 + max(width_of_text(name) for _, name in up.ticks)
    box = Box(left, WIDTH - 2 * _EDGE, _TOP, _TOP + HEIGHT, _across(figure), up, figure.spacing == "log")
    legend = list(_placed(list(figure.lines), box))
    high = max((y for _, y in legend), default=box.bottom + _BELOW) + _ROW
    marks = [*_frame(figure, box), *_drawn(figure, box), *_legend(figure, legend)]
    drawn = picture(WIDTH, high, figure.title, f"{figure.y} by {figure.x}", marks)
    return standalone(drawn) + "\n"


def _across(figure: Figure) -> Scale:
    values = sorted({x for _, x, _ in figure.points()})
    if figure.spacing == "even" or figure.x_names:
        return Scale.even(values, [figure.x_names.get(value, written(value)) for value in values])
    if figure.spacing == "log":
        ends = _ends([log10(value) for value in values])
        return Scale([(value, written(value)) for value in values], [(ends[0], 0.02), (ends[1], 0.98)])
    return Scale.straight(*_ends(values), 8)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return (min(values), max(values)) if values else (0.0, 1.0)


def _frame(figure: Figure, box: Box) -> Iterator[str]:
    """Title, grid and both axes."""
    yield text(_EDGE, 20, figure.title, max_width=WIDTH - 2 * _EDGE)
    ys = [(box.at(1, value)[1], name) for value, name in box.up.ticks]
    yield lines((horizontal_line(y, box.left, box.right) for y, _ in ys), GRID)
    for y, name in ys:
        yield text(box.left - 7, y + 4, name, "end")
    yield lines([horizontal_line(box.bottom, box.left, box.right), vertical_line(box.left, box.top, box.bottom)], LINE)
    yield from _names_below(box)
    yield text((box.left + box.right) / 2, box.bottom + 40, figure.x, "middle", colour=MUTED)
    yield text(_EDGE + 9, (box.top + box.bottom) / 2, figure.y, "middle", angle=-90, colour=MUTED)


def _names_below(box: Box) -> Iterator[str]:
    """The ticks of x; one that would touch the one before it is left out."""
    free = 0.0
    for value, name in box.across.ticks:
        x, half = box.x_of(value), width_of_text(name) / 2
        yield lines([vertical_line(x, box.bottom, box.bottom + 4)], LINE)
        if x - half >= free:
            free = x + half + 3
            yield text(x, box.bottom + 18, name, "middle")


def _drawn(figure: Figure, box: Box) -> Iterator[str]:
    for number, (name, points) in enumerate(figure.lines.items()):
        at = [box.at(x, y) for x, y in points]
        if _joined(figure, name) and len(at) > 1:
            yield _path(at, number)
        for (x, y), (left, top) in zip(points, at, strict=True):
            if name not in figure.guides:
                yield _dot(left, top, number, figure, f"{name}: {written(x)}, {written(round(y, 4))}")


def _placed(names: Sequence[str], box: Box) -> Iterator[tuple[float, float]]:
    """Where each entry of the legend begins: in rows below the plot, as many in each as fit."""
    x, y = box.left, box.bottom + _BELOW + 8
    for name in names:
        wide = _SAMPLE + width_of_text(name)
        if x > box.left and x + wide > box.right:
            x, y = box.left, y + _ROW
        yield x, y
        x += wide + _GAP


def _legend(figure: Figure, places: Sequence[tuple[float, float]]) -> Iterator[str]:
    for number, (name, (x, y)) in enumerate(zip(figure.lines, places, strict=True)):
        if _joined(figure, name):
            yield _path([(x, y), (x + 22, y)], number)
        if name not in figure.guides:
            yield _dot(x + 11, y, number, figure, "")
        yield text(x + _SAMPLE, y + 4, name)


def _joined(figure: Figure, name: str) -> bool:
    return figure.drawn == "lines" or name in figure.guides


def _dashes(number: int) -> str:
    return _DASHES[number // len(_COLOURS) % len(_DASHES)]


def _path(points: Sequence[tuple[float, float]], number: int) -> str:
    steps = "L".join(f"{coordinate(x)} {coordinate(y)}" for x, y in points)
    dashed = f' stroke-dasharray="{_dashes(number)}"' if _dashes(number) else ""
    return f'<path d="M{steps}" stroke="{_colour(number)}" stroke-width="1.6" fill="none"{dashed}/>'


def _dot(x: float, y: float, number: int, figure: Figure, says: str) -> str:
    """Points that are not joined are rings, the later the smaller, so that none hides another."""
    place = f'cx="{coordinate(x)}" cy="{coordinate(y)}"'
    radius = 2.8 + 1.8 * (len(figure.lines) - 1 - number) if figure.drawn == "points" else 2.8
    filled = f'stroke="{_colour(number)}" fill="none"' if figure.drawn == "points" else f'fill="{_colour(number)}"'
    title = f"<title>{escape_text(says)}</title>" if says else ""
    return f'<circle {place} r="{coordinate(radius)}" {filled}>{title}</circle>'


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]


def round_numbers(low: float, high: float, count: int) -> list[float]:
    """Steps of 1, 2 or 5 times a power of ten, at most about `count`, from the lowest or below to the highest or above.

    >>> round_numbers(14.7, 21.5, 8)
    [14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0]
    """
    low, high = (low, high) if high > low else (low - 0.5, low + 0.5)
    least = (high - low) / count * (1 - 1e-9)
    step = next(step for step in (float(f"{lead}e{floor(log10(least))}") for lead in (1, 2, 5, 10)) if step >= least)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(step * at, 12) for at in range(first, max(last, first + 1) + 1)]


def written(value: float) -> str:
    """A number without needless digits.

    >>> written(1000.0), written(14.5), written(0.1)
    ('1,000', '14.5', '0.1')
    """
    return f"{value:,.0f}" if value == int(value) else f"{value:,.6g}"
