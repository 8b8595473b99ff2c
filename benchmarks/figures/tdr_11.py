"""Figure 11: how the time of top-down refinement grows with the records of a blown-up Adult, k = 50."""

from __future__ import annotations

from benchmarks.figures.figure import Claim, Figure
from benchmarks.growth import exponent
from benchmarks.measure import task

SIZES = (200_000, 400_000, 600_000, 800_000, 1_000_000)
LINEAR = 1.2
"""The largest exponent of the records that passes for linear."""
PRINTED = 80.0
SHAPES = {
    "all 14 attributes": {},
    "all 14 attributes, no taxonomies": {"taxonomies": False},
    "five quasi-identifiers": {"several": True},
}


def figure() -> Figure:
    """Seconds from coded columns to a partition, each size in a process of its own; reading is not counted."""
    found = {
        shape: [(size, task("benchmarks.refined:refine", records=size, **given).answer) for size in SIZES]
        for shape, given in SHAPES.items()
    }
    lines = {shape: [(float(size), answer["wall"]) for size, answer in points] for shape, points in found.items()}
    last = {shape: points[-1][1] for shape, points in lines.items()}
    grows = {
        shape: exponent([size for size, _ in found[shape]], [y for _, y in points]) for shape, points in lines.items()
    }
    single, bare, several = SHAPES
    claims = [
        Claim("about 80 s for 1M records and all attributes", f"{last[single]:.2f} s", last[single] < PRINTED),
        Claim(
            "linear in the number of records",
            ", ".join(f"{shape}: records^{grown:.2f}" for shape, grown in grows.items()),
            all(grown is not None and grown < LINEAR for grown in grows.values()),
        ),
        Claim(
            "several quasi-identifiers take longer",
            f"{last[several] / last[single]:.1f} times as long",
            last[several] > last[single],
        ),
        Claim(
            "without taxonomies about the same",
            f"{last[bare] / last[single]:.1f} times as long",
            last[bare] < 2 * last[single],
        ),
    ]
    notes = (
        "The paper's machine was a Pentium IV of 2.6 GHz; what is compared is what somebody waits. With more records "
        "more refinements keep k, thousands in one of the five quasi-identifiers; the paper has the mean of 30 others."
    )
    return Figure("tdr_11", "Adult blown up, k = 50", "records", "seconds", lines, claims, notes)
