"""Figure 4 of the paper on Injector: how many records an attacker who knows the rules leaves fewer than l values."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.figures.figure import Claim, Figure, Line
from benchmarks.figures.injected import (
    ANATOMY,
    EXPECTATION,
    EXPECTATIONS,
    GUARDED,
    LS,
    NEAR,
    PAPER,
    L,
    averaged,
    listed,
    model,
)
from sfumato.releases.table_release import TableRelease

OURS = (PAPER, GUARDED, NEAR)
JUDGED = {"by matching": True, "one by one": False}


def figures() -> list[Figure]:
    """(a) over the least expectation of rules, (b) over l."""
    return [_over_expectation(), _over_l()]


def vulnerable(l: int, expectation: float, matching: bool) -> Callable[[TableRelease], float]:
    """How many records of a release have fewer than l values left."""
    return lambda release: model(l, expectation).vulnerable(release.groups, matching=matching)


def _over_expectation() -> Figure:
    lines: dict[str, Line] = {
        f"{way}, {how}": [(e, averaged(vulnerable(L, e, matching), way, L, e)) for e in EXPECTATIONS]
        for way in (ANATOMY, *OURS)
        for how, matching in JUDGED.items()
    }
    return Figure("injector_4a", f"Records open to background knowledge, l = {L}", "least expectation",
                  "vulnerable records", lines, _claims(lines), _NOTES)  # fmt: skip


def _over_l() -> Figure:
    lines: dict[str, Line] = {
        f"{way}, {how}": [(l, averaged(vulnerable(l, EXPECTATION, matching), way, l)) for l in LS]
        for way in (ANATOMY, *OURS)
        for how, matching in JUDGED.items()
    }
    title = f"Records open to background knowledge, least expectation {EXPECTATION}"
    return Figure("injector_4b", title, "l", "vulnerable records", lines, _claims(lines), _NOTES)


def _claims(lines: dict[str, Line]) -> list[Claim]:
    plain = lines[f"{ANATOMY}, by matching"]
    most = {way: max(y for how in JUDGED for _, y in lines[f"{way}, {how}"]) for way in OURS}
    found = ", ".join(f"{way} {many:.0f}" for way, many in most.items())
    return [
        Claim("Anatomy leaves vulnerable records", listed(plain, 0), all(y > 0 for _, y in plain)),
        Claim("Injector leaves none", f"at most: {found}", not any(most.values())),
    ]


_NOTES = (
    "Anatomy: mean of ten runs. One by one, values are struck from a record's list that rules exclude for it; by "
    "matching, also those that must then belong to others. How many Anatomy leaves is not printed."
)
