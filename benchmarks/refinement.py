"""How fast is top-down search on the work of Fung, Wang and Yu's figure 11 and of the book's figure 6.16?

The paper took 80 s for a million records, the book 33 s; both ran on machines of their time, so the ratio is no fair
comparison of programs, only of what somebody waits.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.files import adult_file
from benchmarks.measure import Measured, task
from benchmarks.row import Row, at_most
from benchmarks.settings import Settings

PAPER, BOOK, BASELINE = 80.0, 33.0, 18 * 3600.0
ALL, SEVERAL = "all 14 attributes as one quasi-identifier", "five quasi-identifiers of five attributes"


def measure(settings: Settings) -> Iterator[Row]:
    """Seconds from coded columns to a partition, memory above the input, growth, and from texts to masked texts."""
    million = settings.million
    yield from _one(settings, million, 0.15)
    yield from _one(settings, 4 * million, 0.7)
    if settings.large:
        yield from _growth(settings, million)
    found = _refined(settings, million, several=True).answer
    yield _row(f"{SEVERAL}, {million:,} records", found["wall"], bar=1.5, note=f"{found['steps']} refinements")
    found = _refined(settings, million, taxonomies=False).answer
    yield _row(f"{ALL}, no taxonomies, {million:,} records", found["wall"], note=f"{found['steps']} refinements")
    found = task("benchmarks.refined:from_texts", records=million, repeat=settings.repeat).answer
    yield _row(
        f"Arrow texts to masked texts, {million:,} records", found["wall"], bar=0.6, note=f"CPU {found['cpu']:.2f} s"
    )
    found = task("benchmarks.refined:specialize", records=million, repeat=settings.repeat).answer
    note = f"released and judged {found['judged']:.1f} s"
    yield _row(f"hdtds, L=4, K=20, C=100 %, {million:,} records", found["wall"], bar=2.0, against=BOOK, note=note)
    found = task("benchmarks.refined:evolve", path=adult_file("train")).answer
    note = f"NCP {found['ncp']:.4f}"
    yield _row("genetic, 30,162 records, k=10", found["wall"], bar=120.0, against=BASELINE, note=note)


def _one(settings: Settings, records: int, bar: float) -> Iterator[Row]:
    found = _refined(settings, records).answer
    ratio = PAPER if records == settings.million else None
    note = f"{found['steps']} refinements, CPU {found['cpu']:.2f} s"
    yield _row(f"{ALL}, {records:,} records", found["wall"], bar=bar, against=ratio, note=note)
    if found["memory"] is not None:
        bar_mb = at_most(60.0)
        name = f"memory above the coded input, {records:,} records"
        yield Row(question="refinement", name=name, figure=found["memory"], unit="MB", bar=bar_mb)


def _growth(settings: Settings, million: int) -> Iterator[Row]:
    small, large = (_refined(settings, size).answer["wall"] / size for size in (million, 10 * million))
    yield Row(
        question="refinement",
        name=f"time a record, {10 * million:,} records",
        figure=large * 1e6,
        unit="µs/record",
        ratio=large / small,
        against=f"{million:,} records",
        bar=at_most(1.5, on="ratio"),
        note=f"{large * 10 * million:.2f} s",
    )


def _refined(settings: Settings, records: int, *, several: bool = False, taxonomies: bool = True) -> Measured:
    given = {"records": records, "several": several, "taxonomies": taxonomies}
    return task("benchmarks.refined:refine", repeat=settings.repeat, **given)


def _row(name: str, seconds: float, *, bar: float | None = None, against: float | None = None, note: str = "") -> Row:
    return Row(
        question="refinement",
        name=name,
        figure=seconds,
        unit="s",
        ratio=against / seconds if against else None,
        against="as printed" if against else "",
        bar=at_most(bar) if bar else None,
        note=note,
    )
