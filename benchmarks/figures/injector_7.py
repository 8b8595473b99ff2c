"""Figure 7 of the paper on Injector: which rules are found in a release that are none, and which are not found.

Rules need a conviction of 1.05 here. At 1.2, as for figure 6, every rule is lost in every release but the near ones of
l = 3, and nothing is left to compare.
"""

from __future__ import annotations

from statistics import mean

from benchmarks.figures.figure import Figure, Line
from benchmarks.figures.injected import LS, NEAR, PAPER, WAYS, releases, smaller
from benchmarks.figures.injected_rules import SUPPORT, rule_errors, rules

CONVICTION = 1.05
CONVICTIONS = (1.02, 1.05, 1.1, 1.15, 1.2)
ADDED, LOST, BOTH = "added", "lost", "added and lost"

Sides = dict[str, dict[str, Line]]


def figures() -> list[Figure]:
    """Rules that are added and lost over l, and both together over the least conviction."""
    found = _over_l()
    notes = f"Of {len(rules(SUPPORT, CONVICTION))} rules with support {SUPPORT:.0%} and conviction {CONVICTION}."
    claims = [smaller(found[BOTH], way, "Injector errs less, added and lost together") for way in (PAPER, NEAR)]
    return [
        Figure("injector_7_added", "Rules that are none", "l", "of the rules, %", found[ADDED]),
        Figure("injector_7_lost", "Rules that are lost", "l", "of the rules, %", found[LOST], claims, notes),
        *(_over_conviction(l) for l in (LS[0], LS[-1])),
    ]


def _over_l() -> Sides:
    """Means over all releases of a way."""
    found: Sides = {side: {} for side in (ADDED, LOST, BOTH)}
    for way in WAYS:
        errors = [(l, [rule_errors(each, CONVICTION) for each in releases(way, l)]) for l in LS]
        found[ADDED][way] = [(l, 100 * mean(one.added for one in several)) for l, several in errors]
        found[LOST][way] = [(l, 100 * mean(one.lost for one in several)) for l, several in errors]
        found[BOTH][way] = together(found[ADDED][way], found[LOST][way])
    return found


def _over_conviction(l: int) -> Figure:
    """Of one release of every way."""
    lines: dict[str, Line] = {}
    for way in WAYS:
        release = next(releases(way, l))
        errors = [(conviction, rule_errors(release, conviction)) for conviction in CONVICTIONS]
        lines |= {f"{way}, added": [(least, 100 * one.added) for least, one in errors]}
        lines |= {f"{way}, lost": [(least, 100 * one.lost) for least, one in errors]}
    many = ", ".join(f"{len(rules(SUPPORT, conviction))} at {conviction:g}" for conviction in CONVICTIONS)
    title = f"Rules that are none and rules that are lost, l = {l}"
    notes = f"Rules: {many}."
    return Figure(f"injector_7_conviction_{l}", title, "least conviction", "of the rules, %", lines, notes=notes)


def together(one: Line, other: Line) -> Line:
    """The sum of two lines."""
    return [(x, y + z) for (x, y), (_, z) in zip(one, other, strict=True)]
