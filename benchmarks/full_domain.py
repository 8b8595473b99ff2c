"""How long do searches over levels take, how much do they lose, and how many nodes do they look at?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.files import Files, adult_file
from benchmarks.measure import repeated, task, timed
from benchmarks.mondrian import PROMISES, SMALL, WHOLE
from benchmarks.row import Row, at_most
from benchmarks.settings import Settings
from benchmarks.subject import model, schema

LIMIT = 0.05
"""The share of records that optimal searches may leave out."""
SECONDS = {
    ("optimal_lattice", SMALL, "k=10"): 0.05,
    ("optimal_lattice", SMALL, "k=50"): 0.05,
    ("optimal_lattice", WHOLE, "k=10"): 0.2,
    ("optimal_lattice", WHOLE, "k=50"): 0.2,
    ("optimal_lattice", WHOLE, "k=10, t=0.2"): 0.15,
    ("exhaustive", SMALL, "k=10"): 1.2,
    ("exhaustive", WHOLE, "k=10"): 8.0,
    **{("local_recoding", SMALL, promise): 2.0 for promise in PROMISES},
    **{("local_recoding", WHOLE, promise): 10.0 for promise in ("k=10", "k=50")},
}
LOSSES = {
    ("local_recoding", SMALL, "k=10"): 0.079,
    ("local_recoding", SMALL, "k=50"): 0.152,
    ("local_recoding", SMALL, "k=10, l=2"): 0.158,
    ("local_recoding", SMALL, "k=10, t=0.2"): 0.272,
}


def measure(settings: Settings) -> Iterator[Row]:
    """Adult and a million records of it, every promise; beside it the one pass that counts the records."""
    sources = {SMALL: adult_file("train"), WHOLE: Files(settings.cache).table(settings.million)}
    for size, source in sources.items():
        for name in ("optimal_lattice", "exhaustive", "local_recoding"):
            for promise in PROMISES if name != "exhaustive" else ("k=10",):
                found = task(
                    "benchmarks.full_domain:decide", path=source, name=name, repeat=settings.repeat, **PROMISES[promise]
                )
                yield from _rows(name, size, promise, found.answer)


def _rows(name: str, size: int, promise: str, found: Mapping[str, Any]) -> Iterator[Row]:
    asked, bar = (name, size, promise), SECONDS.get((name, size, promise))
    search = found["search"]
    nodes = f"; {search['checked']} of {search['nodes']:,} nodes" if "checked" in search else ""
    yield Row(
        question="full_domain",
        name=f"{name} of {size:,} records, {promise}",
        figure=found["decide"],
        unit="s",
        ratio=found["decide"] / found["count"],
        against="one pass that counts",
        bar=at_most(bar) if bar else None,
        note=f"CPU {found['cpu']:.2f} s{nodes}",
    )
    yield Row(
        question="full_domain",
        name=f"loss by {name} of {size:,} records, {promise}",
        figure=found["ncp"],
        unit="NCP",
        bar=at_most(LOSSES[asked]) if asked in LOSSES else None,
        note=f"levels {found['levels']}" if found["levels"] else "",
    )


def decide(
    *, path: str, name: str, repeat: int, k: int = 10, l: int | None = None, t: float | None = None
) -> dict[str, Any]:
    """Decide several times over, from the counted records to the release in memory."""
    from sfumato import Table
    from sfumato.metrics import Ncp
    from sfumato.settings.catalogue import find

    with timed() as count:
        table = Table.read(Path(path), schema())
    algorithm, asked = find("algorithms", name)(), model(k, l, t)
    limit = 0.0 if name == "local_recoding" else LIMIT
    release = algorithm.anonymize(table, asked, suppression=limit)
    decided = repeated(lambda: algorithm.anonymize(table, asked, suppression=limit), repeat)
    return {
        "decide": decided.wall,
        "cpu": decided.cpu,
        "count": count.wall,
        "ncp": Ncp().measure(release),
        "levels": list(getattr(release.recoding, "levels", {}).values()),
        "search": dict(release.provenance.get("search", {})),
    }
