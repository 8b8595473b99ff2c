"""Figure 3 of the paper on Injector: how many rules there are, and how many values they rule out for a record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from benchmarks.figures.figure import Claim, Figure, Line
from benchmarks.figures.injected import EXPECTATIONS, table
from sfumato.data.table import Table
from sfumato.knowledge import Knowledge, Miner

PRINTED = {
    0.75: (45, 0.0, 80.4, 15.9, 2.3, 1.2, 0.2),
    0.80: (39, 0.0, 84.6, 12.2, 2.1, 1.0, 0.1),
    0.85: (32, 0.0, 87.5, 9.2, 2.0, 1.0, 0.0),
    0.90: (22, 0.0, 87.9, 9.2, 2.5, 0.4, 0.0),
    0.95: (15, 0.0, 96.2, 1.8, 2.0, 0.0, 0.0),
}
"""Rules, and the percentages of records with 0, 1, 2, 3, 4, 5 and more values that are ruled out."""
QUOTED = {("Government", "Priv-house-serv"), ("Doctorate", "Handlers-cleaners")}
MOST = 5
RULES, POINTS = 3, 5.0
"""How far from print passes for near."""
MINERS = {
    "one item": Miner(),
    "one item, those that follow from others too": Miner(most_general=False),
    "one item, trapezoids that reach out by 0.5": Miner(fuzziness=0.5),
    "one item, trapezoids that reach out by 1": Miner(fuzziness=1),
    "one item, triangles that reach out by 0.5": Miner(fuzziness=0.5, membership="triangle"),
    "one item, triangles that reach out by 1": Miner(fuzziness=1, membership="triangle"),
}


def figures() -> list[Figure]:
    """Rules, and values that are ruled out."""
    found = {name: [mined(miner, expectation) for expectation in EXPECTATIONS] for name, miner in MINERS.items()}
    measured = [row(known) for known in found["one item"]]
    return [_rules(found, measured), _values(found, measured)]


def mined(miner: Miner, expectation: float) -> Knowledge:
    """What a miner finds with another least expectation."""
    return replace(miner, min_expectation=expectation).mine(table())


def row(known: Knowledge) -> tuple[float, ...]:
    """A row of the paper's table: rules, and percentages of records by how many values are ruled out for them."""
    return (len(known.never), *percentages(known, table()))


def percentages(known: Knowledge, people: Table) -> tuple[float, ...]:
    """Of how many percent of the records 0, 1, 2, 3, 4, 5 and more values are ruled out."""
    many = np.minimum(known.ruled_out(people).sum(axis=1), MOST)
    return tuple((100 * np.bincount(many, weights=people.counts, minlength=MOST + 1) / people.records).tolist())


def _rules(found: dict[str, list[Knowledge]], measured: Sequence[tuple[float, ...]]) -> Figure:
    lines: dict[str, Line] = {"printed": [(expectation, PRINTED[expectation][0]) for expectation in EXPECTATIONS]}
    lines |= {name: list(zip(EXPECTATIONS, map(_many, several), strict=True)) for name, several in found.items()}
    default = found["one item"][EXPECTATIONS.index(0.9)]
    said = {(rule.when[0].text, rule.value) for rule in default.never}
    claims = [
        Claim(f"{PRINTED[e][0]} rules at {e:.2f}", f"{own[0]:.0f} (tolerance {RULES})",
              abs(own[0] - PRINTED[e][0]) <= RULES)
        for e, own in zip(EXPECTATIONS, measured, strict=True)
    ]  # fmt: skip
    both = f"{len(QUOTED & said)} of the two at {EXPECTATIONS[-2]}"
    claims.append(Claim("two rules are quoted", both, said >= QUOTED))
    two = [_many(mined(Miner(max_items=2), expectation)) for expectation in EXPECTATIONS]
    notes = f"With up to two items there are {', '.join(f'{many:,}' for many in two)} rules."
    return Figure("injector_3", "Rules about occupations in Adult", "least expectation", "rules", lines, claims, notes)


def _many(known: Knowledge) -> int:
    return len(known.never)


def _values(found: dict[str, list[Knowledge]], measured: Sequence[tuple[float, ...]]) -> Figure:
    printed = [PRINTED[expectation] for expectation in EXPECTATIONS]
    lines: dict[str, Line] = {}
    for many in range(1, MOST + 1):
        name = f"{many} and more" if many == MOST else str(many)
        for whose, rows in (("printed", printed), ("measured", measured)):
            lines[f"{name}, {whose}"] = [(e, own[many + 1]) for e, own in zip(EXPECTATIONS, rows, strict=True)]
    claims = [share_claim(e, own) for e, own in zip(EXPECTATIONS, measured, strict=True)]
    away = {
        name: max(apart(*each) for each in zip(map(row, several), printed, strict=True))
        for name, several in found.items()
    }
    notes = "Farthest from print, in points: " + ", ".join(f"{name} {most:.1f}" for name, most in away.items()) + "."
    return Figure("injector_3_values", "Occupations that rules exclude in Adult", "least expectation",
                  "records with so many values ruled out, %", lines, claims, notes)  # fmt: skip


def share_claim(expectation: float, own: Sequence[float]) -> Claim:
    """The shares of one row beside those that are printed."""
    said, found = (" / ".join(f"{share:.1f}" for share in shares[1:]) for shares in (PRINTED[expectation], own))
    most = apart(own, PRINTED[expectation])
    return Claim(f"at {expectation:.2f}, 0 / 1 / 2 / 3 / 4 / 5+ values for {said} %",
                 f"{found} % (up to {most:.1f} points off, tolerance {POINTS:g})", most <= POINTS)  # fmt: skip


def apart(one: Sequence[float], other: Sequence[float]) -> float:
    """The largest difference between the shares of two rows."""
    return max(abs(a - b) for a, b in zip(one[1:], other[1:], strict=True))
