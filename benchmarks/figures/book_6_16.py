"""Figure 6.16 of the book: how the time of HDTDS grows with the records of a blown-up Adult, L=4, K=20, C=100 %."""

from __future__ import annotations

from benchmarks.figures.figure import Claim, Figure
from benchmarks.growth import exponent
from benchmarks.measure import task

SIZES = (200_000, 400_000, 600_000, 800_000, 1_000_000)
LINEAR = 1.2
"""The largest exponent of the records that passes for linear."""
PRINTED = 33.0


def figure() -> Figure:
    """Seconds from coded columns to a partition, and with the judging of all 715 groupings; files are not counted."""
    found = [(size, task("benchmarks.refined:specialize", records=size).answer) for size in SIZES]
    lines = {
        "choosing": [(float(size), answer["wall"]) for size, answer in found],
        "choosing, releasing and judging": [(float(size), answer["judged"]) for size, answer in found],
    }
    grown = exponent([size for size, _ in found], [answer["wall"] for _, answer in found])
    last = lines["choosing"][-1][1]
    claims = [
        Claim("33 s to anonymize 1M records", f"{last:.2f} s", last < PRINTED),
        Claim("linear in the number of records", f"records^{grown:.2f}", grown is not None and grown < LINEAR),
    ]
    title = "Adult blown up, LKC-privacy with L = 4, K = 20, C = 100 %"
    return Figure(
        "book_6_16", title, "records", "seconds", lines, claims, "The book's machine was a Core2 Quad of 2.4 GHz."
    )
