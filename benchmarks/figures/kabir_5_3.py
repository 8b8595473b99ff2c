"""Figure 5.3 of Kabir (2010): how long systematic microaggregation and MDAV take."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.figures.figure import Claim, Figure, Line
from benchmarks.figures.kabir_microdata import MDAV, PLAIN, SIZES, SYSTEMATIC, WIDTHS, milliseconds, sample

MOST = 0.8
"""In what share of the cases a way is faster that is so almost always."""
NOTES = (
    "10,000 records of Adult, columns of numbers, standardized; milliseconds of the processor, medians of three, all "
    f"compiled. '{MDAV}' is ours, which finds the same groups as comparing all records by a tree; '{PLAIN}' is MDAV as "
    "it is written down."
)


def figure() -> Figure:
    """Over k, for every number of columns p."""
    for name in (SYSTEMATIC, MDAV, PLAIN):
        milliseconds(name, sample("numbers", 2, True), max(SIZES))  # what is compiled is loaded first
    lines: dict[str, Line] = {
        f"{name}, p = {width}": [(k, milliseconds(name, sample("numbers", width, True), k)) for k in SIZES]
        for name in (SYSTEMATIC, MDAV, PLAIN)
        for width in WIDTHS
    }
    title = "Time for 10,000 records of Adult"
    return Figure("kabir_5_3", title, "k", "milliseconds", lines, claims(lines), NOTES)


def claims(lines: Mapping[str, Line]) -> list[Claim]:
    """Faster than MDAV almost always, and faster for larger k."""
    ends = {name: (line[0][1], line[-1][1]) for name, line in lines.items()}
    slower = [name for name, (first, last) in ends.items() if last >= first]
    told = f"not so: {', '.join(slower)}" if slower else f"from k = {SIZES[0]} to {SIZES[-1]} in all {len(lines)} lines"
    return [*(faster(lines, other) for other in (MDAV, PLAIN)), Claim("less time as k grows", told, not slower)]


def faster(lines: Mapping[str, Line], other: str) -> Claim:
    """Whether systematic takes less time than another in almost all cases."""
    times = [
        y / z
        for width in WIDTHS
        for (_, y), (_, z) in zip(lines[f"{SYSTEMATIC}, p = {width}"], lines[f"{other}, p = {width}"], strict=True)
    ]
    less = sum(time < 1 for time in times)
    told = f"less in {less} of {len(times)} cases; {min(times):.2f} to {max(times):.2f} times as long"
    return Claim(f"systematic takes much less time than {other} for almost all k", told, less >= MOST * len(times))
