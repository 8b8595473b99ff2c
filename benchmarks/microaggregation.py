"""How fast are near records grouped, and how near to the best there is do the groups come?

MDAV finds the groups of the plain algorithm. The improver starts from them; beside each of its figures stands the best
that was printed for any method, and a bound that no groups of the same least size can go below.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.measure import task
from benchmarks.near import REFERENCE
from benchmarks.row import Bar, Row, at_least, at_most
from benchmarks.settings import Settings

KS = (3, 4, 5, 10)
EXACT = ((20_000, 13, 3, 0.3), (100_000, 13, 10, 1.5), (1_000_000, 6, 10, 15.0))
BLOCKED, AT_ONCE, WORSE = 3.0, 10_000, 1.08
REACHED = {
    "census": (4.76, 6.11, 7.30, 11.45),
    "tarragona": (14.60, 17.15, 20.25, 30.2),
    "eia": (0.355, 0.495, 0.76, 1.95),
}
PRINTED = {
    "census": (5.58, 7.41, 8.89, 13.52),
    "tarragona": (16.15, 19.01, 21.85, 33.09),
    "eia": (0.408, 0.560, 0.818, 2.081),
}
FEW, LONG = 3.0, 60.0
ENOUGH = 11


def measure(settings: Settings) -> Iterator[Row]:
    """Seconds of MDAV, and what the improver reaches in 3 seconds; with large sizes also in 60."""
    yield from _speed(settings)
    found = yield from _reached(FEW, settings)
    below = sum(found[name][place] < PRINTED[name][place] for name in REFERENCE for place in range(len(KS)))
    yield Row(question="microaggregation", name=f"below the best printed figure after {FEW:g} s", figure=below,
              unit="of 12", bar=at_least(ENOUGH))  # fmt: skip
    if settings.large:
        yield from _reached(LONG, settings)


def _speed(settings: Settings) -> Iterator[Row]:
    found: dict[str, float] = {}
    for rows, columns, k, limit in EXACT:
        shrunk = max(rows // settings.shrink, 100)
        repeat = settings.repeat if rows < settings.million else 1
        found = task("benchmarks.near:group", name="mdav", rows=shrunk, columns=columns, k=k, repeat=repeat).answer
        yield _row(f"mdav, {shrunk:,} x {columns}, k={k}", found["cpu"], at_most(limit), found["floor"],
                   f"groups of {found['smallest']} to {found['largest']}")  # fmt: skip
    blocks = max(AT_ONCE // settings.shrink, 50)
    torn = task("benchmarks.near:group", name="mdav", rows=shrunk, columns=columns, k=k, repeat=settings.repeat,
                at_once=blocks).answer  # fmt: skip
    yield _row(f"mdav in blocks of {blocks:,}, {shrunk:,} x {columns}, k={k}", torn["cpu"], at_most(BLOCKED),
               torn["floor"], "")  # fmt: skip
    yield Row(question="microaggregation", name=f"loss in blocks of {blocks:,}", figure=torn["loss"], unit="%",
              ratio=torn["loss"] / found["loss"], against="mdav at once", bar=at_most(WORSE, on="ratio"))  # fmt: skip


def _reached(seconds: float, settings: Settings) -> Iterator[Row]:
    losses: dict[str, list[float]] = {name: [] for name in REFERENCE}
    for name in REFERENCE:
        for place, k in enumerate(KS):
            found = task("benchmarks.near:improve", name=name, k=k, seconds=seconds / settings.shrink).answer
            losses[name].append(found["loss"])
            gap = 100 * (found["loss"] - found["bound"]) / found["loss"]
            yield Row(
                question="microaggregation",
                name=f"improver, {name}, k={k}, {seconds:g} s",
                figure=found["loss"],
                unit="%",
                bar=at_most(REACHED[name][place]) if seconds >= LONG else None,
                note=f"mdav {found['begun']:.4f}, printed {PRINTED[name][place]:g}, at least {found['bound']:.4f} "
                f"({gap:.0f} % below)",
            )
    return losses


def _row(name: str, seconds: float, bar: Bar, floor: float, note: str) -> Row:
    return Row(question="microaggregation", name=name, figure=seconds, unit="s", ratio=seconds / floor,
               against="one pass", bar=bar, note=note)  # fmt: skip
