"""How long does checking k, l and t of a file take, against one GROUP BY over the same columns and against pycanon?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.files import QUASI, SENSITIVE, Files, adult_file
from benchmarks.measure import Failed, OutOfTime, command, task, timed
from benchmarks.row import Bar, Row, at_least, at_most
from benchmarks.settings import Settings

PEER = Path(__file__).parent / "peers" / "pycanon_check.py"
GROUP_BY = "one DuckDB GROUP BY"


def measure(settings: Settings) -> Iterator[Row]:
    """Rows for 30,162 records and for a million."""
    files = Files(settings.cache)
    whole = files.table(settings.million)
    yield from _floor(settings, whole)
    yield from _peer(settings, adult_file("train"), adult_file("train"), size="30,162 records")
    text, size = files.text(settings.million), f"{settings.million:,} records"
    yield from _peer(settings, whole, text, size=size, bar=at_least(100, "ratio"))


def _floor(settings: Settings, path: Path) -> Iterator[Row]:
    found = task("benchmarks.check:check_file", path=path, repeat=settings.repeat).answer
    name = f"k, distinct l, entropy l, t of {settings.million:,} records"
    note = f"first in a process {found['first']:.2f} s; {GROUP_BY} {found['group_by']:.3f} s; k={found['k']}"
    ratio = found["check"] / found["group_by"]
    yield Row(
        question="check",
        name=name,
        figure=found["check"],
        unit="s",
        ratio=ratio,
        against=GROUP_BY,
        bar=at_most(3, "ratio"),
        note=note,
    )


def _peer(settings: Settings, ours: Path, theirs: Path, *, size: str, bar: Bar | None = None) -> Iterator[Row]:
    name = f"pycanon, the same four of {size}"
    row = partial(Row, question="check", name=name, unit="s", against="sfumato", bar=bar)
    if not settings.has_peers:
        yield row(figure=None, note="not run: the peers' environment is not there")
        return
    own = task("benchmarks.check:check_file", path=ours, repeat=settings.repeat).answer
    argv: list[str | Path] = [settings.peers, PEER, theirs, "--quasi", ",".join(QUASI), "--sensitive", SENSITIVE]
    try:
        other = command(argv, limit=settings.patience).answer
    except OutOfTime as late:
        yield row(figure=settings.patience, ratio=settings.patience / own["check"], note=f"{late}: at least")
        return
    except Failed as failure:
        yield row(figure=None, note=str(failure))
        return
    note = f"once, reading not counted; sfumato {own['check']:.3f} s with reading; {_agreement(own, other)}"
    yield row(figure=other["seconds"], ratio=other["seconds"] / own["check"], note=note)


def _agreement(own: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """pycanon rounds entropy l down."""
    same = own["k"] == other["k"] and own["l"] == other["l"] and int(own["entropy_l"] + 1e-9) == other["entropy_l"]
    return "same answers" if same and abs(own["t"] - other["t"]) < 1e-9 else "DIFFERENT ANSWERS"


def check_file(path: str, repeat: int) -> dict[str, Any]:
    """Check and group in turn in one process; the first of each only warms up."""
    with timed() as first:
        audit = _audit(path)
    _group(path)
    checks, groups = [], []
    for _ in range(max(repeat, 5)):
        with timed() as check:
            _audit(path)
        with timed() as group:
            _group(path)
        checks.append(check.wall)
        groups.append(group.wall)
    found = audit.diversity[SENSITIVE]
    levels = {"k": audit.k, "l": found.distinct, "entropy_l": found.entropy, "t": found.closeness["equal"]}
    return {"check": median(checks), "group_by": median(groups), "first": first.wall, **levels}


def _audit(path: str) -> Any:
    from sfumato import Audit

    return Audit.of_file(path, quasi=QUASI, sensitive=[SENSITIVE])


def _group(path: str) -> None:
    """The least that any check must do: read the columns and count their combinations."""
    import duckdb

    columns = ", ".join(f'"{name}"' for name in (*QUASI, SENSITIVE))
    with duckdb.connect(":memory:") as con:
        con.sql(f"SELECT min(n) FROM (SELECT {columns}, count(*) AS n FROM '{path}' GROUP BY ALL)").fetchall()
