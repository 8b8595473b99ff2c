"""How do reading, deciding, mining and choosing buckets grow with the number of records?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import Any

from benchmarks.files import Files
from benchmarks.measure import task
from benchmarks.row import Row
from benchmarks.settings import Settings

STEPS = {
    "reading": ("median", "read"),
    "deciding, cut=median": ("median", "decide"),
    "deciding, cut=best": ("best", "decide"),
}


def measure(settings: Settings) -> Iterator[Row]:
    """Time a record at every power of ten, and the exponent that fits them all."""
    powers = range(3, 8 if settings.large else 7)
    sizes = [10**power for power in powers if 10**power <= settings.million * (10 if settings.large else 1)]
    files = Files(settings.cache)
    found = {
        (cut, size): task(
            "benchmarks.subject:publish", path=files.table(size), target=None, cut=cut, repeat=settings.repeat
        ).answer
        for size in sizes
        for cut in ("median", "best")
    }
    for step, (cut, what) in STEPS.items():
        yield from _rows(step, what, {size: found[cut, size] for size in sizes})
    torn = {
        size: task("benchmarks.bucketed:grow", path=files.table(size), l=6, repeat=settings.repeat).answer
        for size in sizes
    }
    for step in ("mining, one item", "mining, up to three", "anatomy, l=6", "guarded, l=6", "near, l=6"):
        yield from _rows(step, step, torn)


def _rows(step: str, what: str, found: Mapping[int, Mapping[str, Any]]) -> Iterator[Row]:
    for size, answer in found.items():
        yield Row(
            question="growth",
            name=f"{step}, {size:,} records",
            figure=answer[what] / size * 1e6,
            unit="µs/record",
            note=f"{answer[what]:.3f} s, {answer['distinct']:,} distinct rows",
        )
    seconds = [answer[what] for answer in found.values()]
    yield Row(
        question="growth", name=f"{step}, seconds = records ^", figure=exponent(list(found), seconds), unit="exponent"
    )


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float | None:
    """The slope of the least-squares line through the logarithms; 1 is linear. None from a single size."""
    across, up = [log(size) for size in sizes], [log(value) for value in seconds]
    middle, height = sum(across) / len(across), sum(up) / len(up)
    spread = sum((x - middle) ** 2 for x in across)
    if not spread:
        return None
    return sum((x - middle) * (y - height) for x, y in zip(across, up, strict=True)) / spread
