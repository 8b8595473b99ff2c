"""Figure 5.2 of Kabir (2010): squared errors of systematic microaggregation and of MDAV."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.figures.figure import Claim, Figure, Line
from benchmarks.figures.kabir_microdata import (
    COLUMNS,
    MDAV,
    SIZES,
    SYSTEMATIC,
    WIDTHS,
    Data,
    mdav_loss,
    sample,
    systematic_loss,
)

NOTES = (
    "10,000 records of Adult instead of the thesis' census, which is not to be had: its columns of numbers, or columns "
    "of few values with categories numbered. Systematic is the mean of five random orders. Squared errors are in "
    "percent of those around the mean of all."
)


def figures() -> list[Figure]:
    """Both sorts of columns, standardized and raw."""
    return [_figure(data, scaled) for data in COLUMNS for scaled in (True, False)]


def _figure(data: Data, scaled: bool) -> Figure:
    lines: dict[str, Line] = {}
    for width in WIDTHS:
        points = sample(data, width, scaled)
        lines[f"{SYSTEMATIC}, p = {width}"] = [(k, systematic_loss(points, k)) for k in SIZES]
        lines[f"{MDAV}, p = {width}"] = [(k, mdav_loss(points, k)) for k in SIZES]
    scale = "standardized" if scaled else "raw"
    return Figure(f"kabir_5_2_{data}_{scale}", f"Adult, {data}, {scale}", "k", "100 SSE / SST", lines, claims(lines),
                  NOTES if data == "numbers" and scaled else "")  # fmt: skip


def claims(lines: Mapping[str, Line]) -> list[Claim]:
    """Less loss than MDAV for every k and number of columns p, and more loss for larger k."""
    times = [y / z for p in WIDTHS for y, z in _pairs(lines[f"{SYSTEMATIC}, p = {p}"], lines[f"{MDAV}, p = {p}"])]
    fewer = sum(time < 1 for time in times)
    told = f"less in {fewer} of {len(times)} cases; {min(times):.1f} to {max(times):.0f} times as much"
    fall = [name for name, line in lines.items() if any(b < a for a, b in _pairs(line[:-1], line[1:]))]
    return [
        Claim("systematic loses less than MDAV for every k and p", told, fewer == len(times)),
        Claim("both lose more as k grows", f"not always: {', '.join(fall)}" if fall else "always", not fall),
    ]


def _pairs(one: Line, other: Line) -> list[tuple[float, float]]:
    return [(y, z) for (_, y), (_, z) in zip(one, other, strict=True)]
