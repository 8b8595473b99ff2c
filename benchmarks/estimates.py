"""Do the intervals of estimates contain the truth as often as they say, and how long are they?

A thousand counts on each of five data sets, and some sums and averages, over releases drawn with different seeds.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.estimated import DATA_SETS, LEVELS
from benchmarks.files import adult_folder
from benchmarks.measure import task
from benchmarks.row import Row, at_least, at_most
from benchmarks.settings import Settings

RANDOM = ("anatomy", "permutation, draws", "permutation, ranges")
OTHERS = ("injector, near", "injector, guarded", "slicing")
QUERIES = 50
ALLOWANCE = {0.95: 0.02, 0.8: 0.03}
"""How far coverage may be below the level: a thousand counts over twenty releases are a sample."""


def measure(settings: Settings) -> Iterator[Row]:
    """Coverage and width for every way to make buckets, and seconds of an answer."""
    for name in DATA_SETS:
        for way in RANDOM:
            yield from _covered(settings, name, way, "counts", 20)
        for asked in ("sums", "averages"):
            yield from _covered(settings, name, "anatomy", asked, 4)
        for way in OTHERS:
            yield _certain(settings, name, way)
    yield from _seconds(settings)


def _covered(settings: Settings, name: str, way: str, asked: str, releases: int) -> Iterator[Row]:
    found = _calibrated(settings, name, way, asked, releases)
    for place, level in enumerate(LEVELS):
        width = f"{found['width'][place]:.2f} of the certain bounds, median {found['median'][place]:.2f}"
        yield Row(
            question="estimates",
            name=f"{name}, {way}: {found['asked']:,} {asked} at {level:.0%}",
            figure=100 * found["coverage"][place],
            unit="%",
            bar=at_least(100 * (level - ALLOWANCE[level])),
            note=width,
        )


def _certain(settings: Settings, name: str, way: str) -> Row:
    found = _calibrated(settings, name, way, "counts", 4)
    shares = " and ".join(f"{100 * share:.1f} %" for share in found["coverage"])
    return Row(
        question="estimates",
        name=f"{name}, {way}: {found['asked']:,} counts within certain bounds",
        figure=100 * found["certain"],
        unit="%",
        bar=at_least(100.0),
        note=f"{'an' if found['offered'] else 'no'} interval offered; random buckets stated falsely: {shares}",
    )


def _calibrated(settings: Settings, name: str, way: str, asked: str, releases: int) -> dict[str, list[float]]:
    measured = task(
        "benchmarks.estimated:calibrate", folder=adult_folder().parent, name=name, way=way, asked=asked,
        releases=max(2, releases // settings.shrink), queries=QUERIES,
    )  # fmt: skip
    return dict(measured.answer)


def _seconds(settings: Settings) -> Iterator[Row]:
    records = max(1000, 100_000 // settings.shrink)
    found = task("benchmarks.estimated:speed", records=records).answer
    for what, name in (("first", "first count"), ("further", "further count"), ("average", "average")):
        yield Row(question="estimates", name=f"{name} with its interval, {records:,} records", figure=found[what],
                  unit="s", bar=at_most(2.0 if what == "average" else 0.5))  # fmt: skip
