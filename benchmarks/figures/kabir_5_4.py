"""Figure 5.4 of Kabir (2010): how the time of systematic microaggregation grows with the records."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.figures.figure import Claim, Figure, Line
from benchmarks.figures.kabir_microdata import MDAV, PLAIN, SYSTEMATIC, milliseconds, sample
from benchmarks.growth import exponent

RECORDS = (2_500, 5_000, 10_000, 20_000, 40_000)
WIDTH, K = 6, 10
LINEAR = 1.2
"""Up to this exponent growth passes for almost linear."""
NOTES = f"Records of Adult, {WIDTH} columns of numbers, standardized, k = {K}; medians of three, all compiled."


def figure() -> Figure:
    """Milliseconds over the number of records."""
    lines: dict[str, Line] = {}
    for name in (SYSTEMATIC, MDAV, PLAIN):
        milliseconds(name, sample("numbers", WIDTH, True, RECORDS[0]), K)  # what is compiled is loaded first
        lines[name] = [(many, milliseconds(name, sample("numbers", WIDTH, True, many), K)) for many in RECORDS]
    title = f"Time for groups of {K} by {WIDTH} columns of Adult"
    return Figure("kabir_5_4", title, "records", "milliseconds", lines, [linear(lines)], NOTES, spacing="log")


def linear(lines: Mapping[str, Line]) -> Claim:
    """Whether systematic grows almost linearly; the others beside it."""
    grown = {name: exponent([int(x) for x, _ in line], [y for _, y in line]) for name, line in lines.items()}
    told = ", ".join(f"{name} records^{power:.2f}" for name, power in grown.items())
    return Claim("the time grows almost linearly with the records", told, (grown[SYSTEMATIC] or 0.0) <= LINEAR)
