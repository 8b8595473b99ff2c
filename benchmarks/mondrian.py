"""How much does Mondrian lose and how long does it decide, against the peers' own releases of the same records?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.files import QUASI, SENSITIVE, Files, adult_file, level_file
from benchmarks.measure import Failed, command, task
from benchmarks.row import Row, at_most
from benchmarks.settings import Settings

PEERS = Path(__file__).parent / "peers"
SMALL, WHOLE = 30_162, 1_000_000
Promise = Mapping[str, Any]

PROMISES: Mapping[str, Promise] = {
    "k=10": {"k": 10},
    "k=50": {"k": 50},
    "k=10, l=2": {"k": 10, "l": 2},
    "k=10, t=0.2": {"k": 10, "t": 0.2},
}
LOSS_BARS = {
    (SMALL, "k=10"): 0.048,
    (SMALL, "k=50"): 0.138,
    (WHOLE, "k=10"): 0.0120,
    (WHOLE, "k=50"): 0.037,
    (SMALL, "k=10, l=2"): 0.085,
    (SMALL, "k=10, t=0.2"): 0.26,
}
DECIDE_BARS = {"median": 0.2, "best": 1.5}
RIVALS = {
    "anonypy": ("k=10", "k=50", "k=10, l=2"),
    "anonypyx": ("k=10, t=0.2",),
    "anjana": ("k=10", "k=50", "k=10, l=2", "k=10, t=0.2"),
}


def measure(settings: Settings) -> Iterator[Row]:
    """Our releases, then the peers' of 30,162 records; all judged by the same evaluator from the written files."""
    files, small, records = Files(settings.cache), adult_file("train"), settings.million
    ours: dict[tuple[str, str], dict[str, Any]] = {}
    for promise in PROMISES:
        for cut in ("median", "best"):
            ours[promise, cut] = _published(settings, small, small, promise, cut)
            yield from _rows(SMALL, f"{SMALL:,} records, {promise}, cut={cut}", (promise, cut), ours[promise, cut])
    for promise in ("k=10", "k=50"):
        for cut in ("median", "best"):
            found = _published(settings, files.table(records), files.text(records), promise, cut)
            yield from _rows(WHOLE, f"{records:,} records, {promise}, cut={cut}", (promise, cut), found)
    for peer, promises in RIVALS.items():
        for promise in promises:
            yield from _rival(settings, peer, promise, ours[promise, "best"])


def _published(settings: Settings, source: Path, original: Path, promise: str, cut: str) -> dict[str, Any]:
    """Publish in one process, judge the file in another."""
    target = settings.cache / "release_mondrian.csv"
    asked = dict(PROMISES[promise])
    done = task("benchmarks.subject:publish", path=source, target=target, cut=cut, repeat=settings.repeat, **asked)
    judged = task("benchmarks.evaluator:evaluate", original=original, release=target, aligned=True)
    return {**done.answer, **judged.answer}


def _rows(size: int, name: str, asked: tuple[str, str], found: Mapping[str, Any]) -> Iterator[Row]:
    """`size` is the one that the bars are for."""
    promise, cut = asked
    loss = LOSS_BARS.get((size, promise)) if cut == "best" else None
    seconds = DECIDE_BARS[cut] if (size, promise) == (WHOLE, "k=10") else None
    yield Row(
        question="mondrian",
        name=f"loss of {name}",
        figure=found["ncp"],
        unit="NCP",
        bar=at_most(loss) if loss else None,
        note=_kept(found, PROMISES[promise]),
    )
    yield Row(
        question="mondrian",
        name=f"deciding {name}",
        figure=found["decide"],
        unit="s",
        bar=at_most(seconds) if seconds else None,
        note=f"CPU {found['decide_cpu']:.2f} s; first in a process {found['first']:.2f} s",
    )


def _rival(settings: Settings, peer: str, promise: str, ours: Mapping[str, Any]) -> Iterator[Row]:
    row = partial(Row, question="mondrian", against="sfumato, cut=best")
    loss, seconds = f"loss of 30,162 records, {promise}, {peer}", f"deciding 30,162 records, {promise}, {peer}"
    try:
        found = _rival_release(settings, peer, promise)
    except Failed as failure:
        yield row(name=loss, figure=None, unit="NCP", note=str(failure))
        return
    ratio, note = found["ncp"] / ours["ncp"], _kept(found, PROMISES[promise])
    yield row(name=loss, figure=found["ncp"], unit="NCP", ratio=ratio, note=note)
    ratio, note = found["seconds"] / ours["decide"], "once, reading and writing not counted"
    yield row(name=seconds, figure=found["seconds"], unit="s", ratio=ratio, note=note)


def _rival_release(settings: Settings, peer: str, promise: str) -> dict[str, Any]:
    if not settings.has_peers:
        raise Failed("not run: the peers' environment is not there")
    source, target = adult_file("train"), settings.cache / f"release_{peer}.csv"
    argv: list[str | Path] = [settings.peers, PEERS / f"{peer}_release.py", source, target]
    argv += ["--quasi", ",".join(QUASI), "--sensitive", SENSITIVE, "--levels", level_file("{}")]
    for name, value in PROMISES[promise].items():
        argv += [f"--{name}", str(value)]
    done = command(argv, limit=settings.patience)
    judged = task("benchmarks.evaluator:evaluate", original=source, release=target)
    return {**done.answer, **judged.answer}


def _kept(found: Mapping[str, Any], promise: Promise) -> str:
    """What the written file really keeps, and a warning where it is less than promised."""
    broken = found["k"] < promise["k"] or found["l"] < promise.get("l", 0) or found["t"] > promise.get("t", 1) + 1e-12
    shown = f"k={found['k']}, l={found['l']}, t={found['t']:.4f}, {found['groups']} groups"
    gone = f", {found['suppressed']} suppressed" if found["suppressed"] else ""
    untrue = f", {found['untrue']} UNTRUE CELLS" if found["untrue"] else ""
    return f"{'NOT KEPT: ' if broken else ''}{shown}{gone}{untrue}"
