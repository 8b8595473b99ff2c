"""Figure 6 of the paper on Injector: how wrong the confidences of rules are that are read from a release."""

from __future__ import annotations

from benchmarks.figures.figure import Figure, Line
from benchmarks.figures.injected import (
    ANATOMY,
    EXPECTATION,
    EXPECTATIONS,
    LS,
    NEAR,
    PAPER,
    WAYS,
    L,
    averaged,
    over_expectation,
    over_l,
    releases,
    smaller,
)
from benchmarks.figures.injected_rules import CONVICTION, ITEMS, SUPPORT, confidence_error, rules
from sfumato.knowledge import Rule

CONVICTIONS = (1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.4)
SUPPORTS = (0.005, 0.01, 0.02, 0.03, 0.05)
ERROR = "confidence error, %"


def figures() -> list[Figure]:
    """(a) over l, (b) over the least expectation, and what the thresholds of the rules do to it."""
    return [_over_l(), _over_expectation(), *(_over_conviction(l) for l in (LS[0], LS[-1])), _over_support()]


def _over_l() -> Figure:
    lines = over_l(lambda release: confidence_error(release, rules()))
    claims = [smaller(lines, way) for way in (PAPER, NEAR)]
    notes = f"{len(rules())} rules of up to {ITEMS} items, support {SUPPORT:.0%}, conviction {CONVICTION}."
    return Figure("injector_6a", "Confidence of rules about occupations", "l", ERROR, lines, claims, notes)


def _over_expectation() -> Figure:
    """Anatomy knows of no rules and is the same for all."""
    plain = averaged(lambda release: confidence_error(release, rules()), ANATOMY)
    lines = over_expectation(lambda release: confidence_error(release, rules()), WAYS[1:])
    lines[ANATOMY] = [(expectation, plain) for expectation in EXPECTATIONS]
    claims = [smaller(lines, way) for way in (PAPER, NEAR)]
    title = f"Confidence of rules about occupations, l = {L}"
    return Figure("injector_6b", title, "least expectation", ERROR, lines, claims)


def _over_conviction(l: int) -> Figure:
    sets = {conviction: rules(SUPPORT, conviction) for conviction in CONVICTIONS}
    notes = "Rules: " + ", ".join(f"{len(asked)} at {least:g}" for least, asked in sets.items()) + "."
    title = f"Confidence of rules about occupations, l = {l}, least expectation {EXPECTATION}"
    return Figure(f"injector_6_conviction_{l}", title, "least conviction", ERROR, _first(l, sets), notes=notes)


def _over_support() -> Figure:
    sets = {support: rules(support) for support in SUPPORTS}
    notes = "Rules: " + ", ".join(f"{len(asked)} at {least:.1%}" for least, asked in sets.items()) + "."
    title = f"Confidence of rules about occupations, l = {LS[0]}, least expectation {EXPECTATION}"
    return Figure("injector_6_support", title, "least support", ERROR, _first(LS[0], sets), notes=notes)


def _first(l: int, sets: dict[float, tuple[Rule, ...]]) -> dict[str, Line]:
    """Errors of several sets of rules in one release of every way."""
    found: dict[str, Line] = {}
    for way in WAYS:
        release = next(releases(way, l))
        found[way] = [(least, confidence_error(release, asked)) for least, asked in sets.items()]
    return found
