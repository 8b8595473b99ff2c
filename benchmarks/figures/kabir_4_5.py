"""Figure 4.5 of Kabir (2010): how long systematic clustering and k-member take on Adult."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.figures.figure import Claim, Figure, Line
from benchmarks.figures.kabir_clustering import (
    EIGHT,
    K_MEMBER,
    RUNS,
    SHARES,
    SYSTEMATIC,
    percent,
    ratios,
    spread,
    table,
    times,
)

FEWER = 3
"""How many runs there are with eight columns."""
NOTES = (
    "Milliseconds of the processor to choose and judge a release of 30,162 records in memory. k-member looks at rows "
    "that agree in all quasi columns once, systematic clustering at every record: three columns have {:,} different "
    "rows, eight have {:,}."
)


def figures() -> list[Figure]:
    """With the three columns of the thesis and with the eight of the literature; means."""
    different = [len(table(0.0, 0, columns)) for columns in (("age", "sex", "education"), EIGHT)]
    three = {f"{SYSTEMATIC}, {percent(share)}": times(SYSTEMATIC, share) for share in SHARES}
    three[K_MEMBER] = times(K_MEMBER, 0.0)
    eight = {
        f"{SYSTEMATIC}, {percent(share)}": times(SYSTEMATIC, share, EIGHT, FEWER) for share in (SHARES[0], SHARES[-1])
    }
    eight[K_MEMBER] = times(K_MEMBER, 0.0, EIGHT, FEWER)
    return [
        _figure("kabir_4_5", f"Time to cluster Adult by three columns, {RUNS} runs", three, NOTES.format(*different)),
        _figure("kabir_4_5_eight", f"Time to cluster Adult by eight columns, {FEWER} runs", eight),
    ]


def _figure(name: str, title: str, lines: Mapping[str, Line], notes: str = "") -> Figure:
    return Figure(name, title, "k", "milliseconds", lines, claims(lines), notes, spacing="even")


def claims(lines: Mapping[str, Line]) -> list[Claim]:
    """Faster than k-member, and the faster the more people waive."""
    nobody, most = (f"{SYSTEMATIC}, {percent(share)}" for share in (SHARES[0], SHARES[-1]))
    against = {name: ratios(line, lines[K_MEMBER]) for name, line in lines.items() if name != K_MEMBER}
    told = "; ".join(f"{name}: {spread(found)} times as long" for name, found in against.items())
    shorter = ratios(lines[most], lines[nobody])
    return [
        Claim("always much faster than k-member", told, all(max(found) < 1 for found in against.values())),
        Claim("the faster the more people waive", f"{percent(SHARES[-1])}: {spread(shorter)} times as long as nobody",
              max(shorter) < 1),
    ]  # fmt: skip
