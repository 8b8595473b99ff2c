"""Figure 5 of the paper on Injector: how long it takes to find rules, and to choose buckets with and without them."""

from __future__ import annotations

from benchmarks.figures.figure import Claim, Figure, Line
from benchmarks.figures.injected import (
    ANATOMY,
    EXPECTATION,
    EXPECTATIONS,
    GUARDED,
    LS,
    NEAR,
    PAPER,
    STRATEGIES,
    L,
    model,
    prepared,
    table,
)
from benchmarks.measure import repeated
from sfumato.algorithms import Anatomy, Injector
from sfumato.knowledge import Miner
from sfumato.models import DistinctLDiversity

REPEAT = 3
ITEMS = (1, 3)
SECONDS, TIMES = 5.0, 2.0
"""Up to what time passes for seconds, and up to how many times as long for as long."""


def figures() -> list[Figure]:
    """(a) over the least expectation of rules, (b) over l; medians, after the first call of everything."""
    for way in (ANATOMY, PAPER, GUARDED, NEAR):
        bucketizing(way, L, EXPECTATION, repeat=1)
    return [_over_expectation(), _over_l()]


def mining(items: int, expectation: float) -> float:
    """Milliseconds to find rules of up to so many items in a table that is in memory."""
    miner = Miner(max_items=items, min_expectation=expectation)
    return 1000 * repeated(lambda: miner.mine(table()), REPEAT).wall


def bucketizing(way: str, l: int, expectation: float, repeat: int = REPEAT) -> float:
    """Milliseconds to choose buckets and to judge what is published."""
    rows = prepared(expectation)
    if way == ANATOMY:
        return 1000 * repeated(lambda: Anatomy().anonymize(table(), DistinctLDiversity(l=l)), repeat).wall
    algorithm, promise = Injector(strategy=STRATEGIES[way]), model(l, expectation)  # type: ignore[arg-type]
    return 1000 * repeated(lambda: algorithm.anonymize(rows, promise), repeat).wall


def _over_expectation() -> Figure:
    lines: dict[str, Line] = {_rules_of(items): [(e, mining(items, e)) for e in EXPECTATIONS] for items in ITEMS}
    for way in (ANATOMY, PAPER, GUARDED, NEAR):
        lines[way] = [(e, bucketizing(way, L, e)) for e in EXPECTATIONS]
    return Figure("injector_5a", f"Time to make a release of Adult, l = {L}", "least expectation", "milliseconds",
                  lines, _claims(lines), _NOTES)  # fmt: skip


def _over_l() -> Figure:
    found = {items: mining(items, EXPECTATION) for items in ITEMS}
    lines: dict[str, Line] = {_rules_of(items): [(l, took) for l in LS] for items, took in found.items()}
    for way in (ANATOMY, PAPER, GUARDED, NEAR):
        lines[way] = [(l, bucketizing(way, l, EXPECTATION)) for l in LS]
    title = f"Time to make a release of Adult, least expectation {EXPECTATION}"
    return Figure("injector_5b", title, "l", "milliseconds", lines, _claims(lines), _NOTES)


def _rules_of(items: int) -> str:
    return f"rules of {items} item" if items == 1 else f"rules of up to {items} items"


def _claims(lines: dict[str, Line]) -> list[Claim]:
    longest = {name: max(y for _, y in line) for name, line in lines.items()}
    paper, ours = (_times(lines[way], lines[ANATOMY]) for way in (PAPER, GUARDED))
    mined = longest[_rules_of(ITEMS[0])]
    return [
        Claim("choosing buckets takes seconds", f"at most {max(longest.values()) / 1000:.2f} s",
              max(longest.values()) < 1000 * SECONDS),
        Claim("choosing buckets takes about as long as Anatomy",
              f"{_many_times(paper)} as long; {GUARDED} {_many_times(ours)}", paper[1] <= TIMES),
        Claim("most of the time goes to finding rules", f"{mined:.0f} ms; three phases up to {longest[PAPER]:.0f} ms",
              mined > longest[PAPER]),
    ]  # fmt: skip


def _times(one: Line, other: Line) -> tuple[float, float]:
    """How many times as high a line is as another, least and most."""
    ratios = [y / z for (_, y), (_, z) in zip(one, other, strict=True)]
    return min(ratios), max(ratios)


def _many_times(between: tuple[float, float]) -> str:
    return f"{between[0]:.1f} to {between[1]:.1f} times"


_NOTES = "Records are in memory and coded; a release is chosen and judged. Medians of three."
