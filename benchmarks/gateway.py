"""What does the gateway cost: a decision, a snapshot in DuckDB, masked views in PostgreSQL, on a million customers?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks import postgres_server
from benchmarks.growth import exponent
from benchmarks.measure import task
from benchmarks.row import Bar, Row, at_most
from benchmarks.settings import Settings

ROUNDS = 3
GROWING = {"build": "build a snapshot", "average": "average", "point": "look up", "refresh": "answer after a change"}
RAW, BY_HAND = "the raw table", "a view written by hand"


def measure(settings: Settings) -> Iterator[Row]:
    """Decisions, then both engines."""
    found = task("benchmarks.gateway_embedded:decide", repeat=settings.repeat).answer
    yield _row("what is seen of a value, 200 purposes", found["seen"] * 1e6, "µs", at_most(20))
    yield _row("whether somebody may ask, 200 purposes", found["granted"] * 1e6, "µs", at_most(20))
    yield from _duckdb(settings)
    if postgres_server.there():
        yield from _postgres(settings)
    else:
        yield Row(question="gateway", name="PostgreSQL", figure=None, unit="", note="no server; install the dev group")


def _duckdb(settings: Settings) -> Iterator[Row]:
    records, repeat = settings.million, ROUNDS * settings.repeat
    found = task("benchmarks.gateway_embedded:embed", records=records, repeat=repeat).answer
    yield _row("DuckDB: build a snapshot, per million", found["build"] / records * 1e6, "s", at_most(1))
    yield _against("DuckDB: count and average of a range", found, "average", RAW, "raw", at_most(4, "ratio"))
    yield _against("DuckDB: sums and averages of ranges by group", found, "groups", RAW, "raw", at_most(4, "ratio"))
    yield _against("DuckDB: full scan of a weaker text", found, "scan", RAW, "raw", at_most(1.2, "ratio"))
    yield _against("DuckDB: every row handed over", found, "everything", RAW, "raw")
    yield _row("DuckDB: look up one row", found["point"] * 1e3, "ms", at_most(1))
    note = f"and {found['choose'] * 1e3:.1f} ms to keep the choice"
    yield _row("DuckDB: answer after one choice changed", found["refresh"] * 1e3, "ms", at_most(10), note)
    note = f"of {found['asked']:.0f}"
    yield _row("DuckDB: answers from before a change", found["stale"], "", at_most(0), note)
    room = task("benchmarks.gateway_embedded:stored", records=records).answer
    yield _stored("DuckDB", room)
    more = 100 * (room["history"] - room["with"]) / room["without"]
    yield _figure("DuckDB: room for the history of what people chose", more, "%")
    mixed = task("benchmarks.gateway_embedded:embed", records=records, repeat=repeat, mixed=True).answer
    yield _figure("DuckDB, keys in no order: build a snapshot, per million", mixed["build"] / records * 1e6, "s")
    yield _figure("DuckDB, keys in no order: look up one row", mixed["point"] * 1e3, "ms")
    sizes = [records // 100, records // 10]
    every = [task("benchmarks.gateway_embedded:embed", records=size, repeat=repeat).answer for size in sizes]
    for step, name in GROWING.items():
        seconds = [one[step] for one in [*every, found]]
        yield _figure(f"DuckDB: {name}, seconds = records ^", exponent([*sizes, records], seconds), "exponent")


def _postgres(settings: Settings) -> Iterator[Row]:
    repeat = ROUNDS * settings.repeat
    found = task("benchmarks.gateway_postgres:ask", records=settings.million, repeat=repeat).answer
    name = "PostgreSQL: count and average of a range"
    yield _against(name, found, "average", RAW, "raw", at_most(2.5, "ratio"))
    yield _against(name, found, "average", BY_HAND, "by hand", at_most(1.8, "ratio"))
    yield _against("PostgreSQL: look up one row", found, "point", RAW, "raw", at_most(2, "ratio"))
    yield _stored("PostgreSQL", found)


def _against(name: str, found: Mapping[str, Any], step: str, against: str, which: str, bar: Bar | None = None) -> Row:
    ours, theirs = found[step] * 1e3, found[f"{step}, {which}"] * 1e3
    return Row(question="gateway", name=name, figure=ours, unit="ms", ratio=ours / theirs, against=against, bar=bar)


def _stored(engine: str, found: Mapping[str, Any]) -> Row:
    more = 100 * (found["with"] / found["without"] - 1)
    note = f"{found['without'] / 1e6:.1f} and {found['with'] / 1e6:.1f} MB"
    return _row(f"{engine}: room for what people chose", more, "%", at_most(15), note)


def _figure(name: str, figure: float | None, unit: str) -> Row:
    return Row(question="gateway", name=name, figure=figure, unit=unit)


def _row(name: str, figure: float, unit: str, bar: Bar, note: str = "") -> Row:
    return Row(question="gateway", name=name, figure=figure, unit=unit, bar=bar, note=note)
