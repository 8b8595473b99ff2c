"""How does every way to group near records grow, from a thousand records to a million?

A way that compares all pairs refuses more records than its limit; beyond that it is measured in blocks of rows. What
would take longer than two minutes is not measured, and said so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.files import Files
from benchmarks.growth import exponent
from benchmarks.measure import task
from benchmarks.near import ways_on_offer
from benchmarks.row import Row
from benchmarks.settings import Settings

K = 10
LONGEST = 120.0


def measure(settings: Settings) -> Iterator[Row]:
    """Time a record at every power of ten for every way, and the exponent that fits them all."""
    sizes = [10**power for power in range(3, 7) if 10**power <= settings.million]
    files = Files(settings.cache)
    for kind, names in ways_on_offer().items():
        for name in names:
            yield from _grown(kind, name, sizes, files)


def _grown(kind: str, name: str, sizes: list[int], files: Files) -> Iterator[Row]:
    done: dict[int, float] = {}
    for size in sizes:
        last = max(done.values(), default=0.0)
        if last * 10 > LONGEST:
            yield Row(question="growth_of_groups", name=f"{name}, {size:,} records", figure=None, unit="µs/record",
                      note=f"not measured: {max(done):,} took {last:.0f} s")  # fmt: skip
            continue
        found = _measured(kind, name, size, files)
        done[size] = found["wall"]
        limited = "" if found["limit"] is None else f", refuses more than {found['limit']:,} unasked"
        blocks = "" if found["blocks"] is None else f", in blocks of {found['blocks']:,}"
        yield Row(
            question="growth_of_groups",
            name=f"{name}, {size:,} records",
            figure=found["wall"] / size * 1e6,
            unit="µs/record",
            note=f"{found['wall']:.3f} s, loss {found['loss']:.2f} %{limited}{blocks}",
        )
    yield Row(question="growth_of_groups", name=f"{name}, seconds = records ^",
              figure=exponent(list(done), list(done.values())), unit="exponent")  # fmt: skip


def _measured(kind: str, name: str, size: int, files: Files) -> Any:
    if kind == "points":
        return task("benchmarks.near:grow", name=name, rows=size, k=K).answer
    return task("benchmarks.near:grow_on_codes", name=name, path=files.table(size), k=K).answer
