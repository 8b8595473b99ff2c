"""A hundred million records of eight columns: counting, applying a decision, and checking k, against bare DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.files import QUASI, Files
from benchmarks.measure import Failed, Measured, task, timed
from benchmarks.row import Row, at_most
from benchmarks.settings import Settings

FLOORS = {"group": "one DuckDB GROUP BY", "copy": "bare DuckDB copy"}


def measure(settings: Settings) -> Iterator[Row]:
    """Only when large runs are asked for; every step once, in a process of its own."""
    if not settings.large:
        return
    files, records = Files(settings.cache), 100 * settings.million
    quasi, scattered = files.quasi(records), files.scattered(records)
    found = task("benchmarks.large:count", path=quasi)
    floor = _floor(settings, "group", path=quasi)
    yield from _rows(f"domains and count of {records:,} records", found, floor, seconds=6, megabytes=400)
    found = task("benchmarks.large:apply", path=quasi, target=settings.cache / "release.parquet")
    floor = _floor(settings, "copy", path=quasi, target=settings.cache / "copy.parquet")
    yield from _rows(f"applying a recoding to {records:,} records", found, floor, seconds=30, megabytes=700)
    found = task("benchmarks.large:check_k", path=scattered)
    floor = _floor(settings, "group", path=scattered)
    yield from _rows(f"k of {records:,} scattered records", found, floor, seconds=15, megabytes=2_500)


def _floor(settings: Settings, step: str, **arguments: Any) -> tuple[str, Measured | None]:
    """Bare DuckDB may run out of memory or patience where we must not; then there is nothing to compare with."""
    try:
        return FLOORS[step], task(f"benchmarks.large:{step}", limit=settings.patience, **arguments)
    except Failed:
        return FLOORS[step], None


def _rows(
    name: str, found: Measured, floor: tuple[str, Measured | None], *, seconds: float, megabytes: float
) -> Iterator[Row]:
    against, least = floor
    took = found.answer["seconds"]
    beside = f"{least.answer['seconds']:.1f} s, {least.megabytes:.0f} MB" if least else "did not end well"
    yield Row(
        question="large",
        name=name,
        figure=took,
        unit="s",
        ratio=took / least.answer["seconds"] if least else None,
        against=against,
        bar=at_most(seconds),
        note=f"once; {found.answer['said']}; {against}: {beside}",
    )
    yield Row(
        question="large",
        name=name,
        figure=found.megabytes,
        unit="MB",
        ratio=found.peak / least.peak if least else None,
        against=against,
        bar=at_most(megabytes),
        note="peak of the whole process",
    )


def count(path: str) -> dict[str, Any]:
    """Domains of the columns and how often each combination occurs."""
    from sfumato.engines.duckdb.engine import DuckdbEngine

    with timed() as lap:
        found = DuckdbEngine.over_file(path).count(QUASI)
    return {"seconds": lap.wall, "said": f"{len(found.counts):,} distinct rows"}


def apply(path: str, target: str) -> dict[str, Any]:
    """Only the writing is timed; the memory is that of the whole process, counting and deciding included."""
    from benchmarks.subject import model, schema
    from sfumato import Mondrian, Table, anonymize

    with timed() as before:
        table = Table.read(path, schema(sensitive=False))
        release = anonymize(table, model(10), algorithm=Mondrian(cut="median"))
    with timed() as lap:
        release.write(Path(target))
    return {"seconds": lap.wall, "said": f"k=10, median; counting and deciding before it {before.wall:.1f} s"}


def check_k(path: str) -> dict[str, Any]:
    """Sizes of all groups by all columns, never held in memory."""
    from sfumato.engines.duckdb.engine import DuckdbEngine

    with timed() as lap:
        engine = DuckdbEngine.over_file(path)
        sizes, how_many, _ = engine.group_sizes(engine.columns)
    return {"seconds": lap.wall, "said": f"k={sizes.min()}, {how_many.sum():,} groups"}


def group(path: str) -> dict[str, Any]:
    """Count the combinations of all columns, as plain SQL."""
    import duckdb

    con = duckdb.connect(":memory:", config={"memory_limit": "4GB", "temp_directory": f"{path}.spill"})
    with timed() as lap:
        con.sql(f"SELECT min(n) FROM (SELECT *, count(*) AS n FROM '{path}' GROUP BY ALL)").fetchall()
    return {"seconds": lap.wall}


def copy(path: str, target: str) -> dict[str, Any]:
    """Read every record and write it again, in order, as plain SQL."""
    import duckdb

    with timed() as lap:
        duckdb.sql(f"COPY (FROM '{path}') TO '{target}' (FORMAT parquet, COMPRESSION zstd)")
    return {"seconds": lap.wall}
