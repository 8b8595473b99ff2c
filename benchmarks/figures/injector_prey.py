"""Whether Injector's releases are easier prey than Anatomy's for somebody who guesses by what kind of people have what.

The attack `naive_bayes_inference` learns that from all buckets together, here without rules and with those that the
release withstands. How well it does depends on what buckets teach; buckets may even mislead it. So the same guess is
also made by somebody who was taught the truth about all columns elsewhere, and needs the release only for who is with
whom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.figures.figure import Claim, Figure, Line
from benchmarks.figures.injected import ANATOMY, GUARDED, LS, NEAR, PAPER, listed, model, over_l
from sfumato.attacks import NaiveBayesInference
from sfumato.disclosure.groups import Groups
from sfumato.knowledge import Knowledge
from sfumato.releases.table_release import TableRelease

MARGIN = 0.5
"""So many points more pass for no easier: about what two of Anatomy's own runs may differ by."""


@dataclass(frozen=True, kw_only=True)
class Taught(NaiveBayesInference):
    """The same guess by somebody who knows how common each value is among people with each secret."""

    def _fits(self, values: Any, groups: Groups, sensitive: str) -> Any:
        found = np.full((len(groups.whole(sensitive)), int(values.max()) + 1), self.smoothing)
        np.add.at(found, (groups.table.codes[sensitive], values), groups.table.counts)
        return np.log(found / found.sum(axis=1, keepdims=True))


def figures() -> list[Figure]:
    """Without rules, with them, and taught elsewhere."""
    rules = model().knowledge
    return [
        _figure("injector_prey", "without rules", NaiveBayesInference(), None),
        _figure("injector_prey_rules", "with rules", NaiveBayesInference(), rules),
        _figure("injector_prey_taught", "with rules, taught elsewhere", Taught(), rules),
    ]


def guessed(release: TableRelease, attack: NaiveBayesInference, rules: Knowledge | None = None) -> float:
    """The percentage of people whose occupation is guessed right."""
    return 100 * attack.run(release, rules).rate


def _figure(name: str, how: str, attack: NaiveBayesInference, rules: Any) -> Figure:
    lines = over_l(lambda release: guessed(release, attack, rules))
    claims = [no_easier(lines, way) for way in (PAPER, GUARDED, NEAR)]
    lines["one of l"] = [(l, 100 / l) for l in LS]
    return Figure(name, f"Occupations guessed by naive Bayes, {how}", "l", "guessed right, %", lines, claims,
                  "The paper has no such figure.", guides=("one of l",))  # fmt: skip


def no_easier(lines: dict[str, Line], way: str) -> Claim:
    """Whether a release gives away no more than Anatomy's, give or take a little."""
    one, other = lines[way], lines[ANATOMY]
    more = max(y - z for (_, y), (_, z) in zip(one, other, strict=True))
    return Claim(f"(no easier prey than Anatomy: {way})", f"{listed(one)} against {listed(other)}", more <= MARGIN)
