"""How fast does clustering decide on Adult and on a million records, and how much detail does it lose?"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.files import Files, adult_file
from benchmarks.measure import task
from benchmarks.row import Row, at_most
from benchmarks.settings import Settings

PEERS = {10: 0.0586, 50: 0.1576}
"""The least loss of any Python tool on the same records, measured once."""
MEMBER = {10: 0.035, 50: 0.115}
SEARCHED = {10.0: {10: 0.031, 50: 0.098}, 60.0: {10: 0.029, 50: 0.0925}}
AT_ONCE, MINUTES = 20_000, 120.0


def measure(settings: Settings) -> Iterator[Row]:
    """k-member, what a search makes of it, and a million records in blocks."""
    adult, million = adult_file("train"), Files(settings.cache).table(settings.million)
    for k, limit in MEMBER.items():
        found = task("benchmarks.near:cluster", name="k_member", path=adult, k=k, repeat=settings.repeat).answer
        yield _seconds(f"k_member, 30,162 records, k={k}", found["cpu"], 1.5)
        yield _lost(f"k_member, k={k}", found["ncp"], k, limit)
    found = task("benchmarks.near:cluster", name="systematic_clustering", path=adult, k=10, repeat=settings.repeat)
    yield _seconds("systematic_clustering, 30,162 records, k=10", found.answer["cpu"], 1.0)
    for seconds, limits in SEARCHED.items():
        for k, limit in limits.items() if seconds < 60 or settings.large else ():
            found = task("benchmarks.near:cluster", name="k_member", path=adult, k=k, seconds=seconds)
            yield _lost(f"k_member and {seconds:g} s of search, k={k}", found.answer["ncp"], k, limit)
    for name in ("systematic_clustering", "oka", "k_member"):
        found = task("benchmarks.near:cluster", name=name, path=million, k=10, at_once=AT_ONCE)
        blocks = f"{name} in blocks of {AT_ONCE:,}, {settings.million:,} records, k=10"
        yield _seconds(blocks, found.answer["wall"], MINUTES, f"NCP {found.answer['ncp']:.4f}")


def _seconds(name: str, figure: float, limit: float, note: str = "") -> Row:
    return Row(question="clustering", name=name, figure=figure, unit="s", bar=at_most(limit), note=note)


def _lost(name: str, ncp: float, k: int, limit: float) -> Row:
    return Row(question="clustering", name=f"NCP of {name}", figure=ncp, unit="", ratio=ncp / PEERS[k],
               against="best peer", bar=at_most(limit))  # fmt: skip
