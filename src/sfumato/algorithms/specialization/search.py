"""The top-down search: from a fully generalized table down to one that shows as much as the models allow.

`TopDownSearch` has the refinements that are possible now, applies the one with the best score after which all models
hold, and stops when there is none or the time limit is reached. The state after every step satisfies all models.

Refining never makes a group larger. So a refinement that would violate a model now would violate it later, and an old
measurement is an upper bound of a new one. Only the refinement that seems best is measured again, and the steps are the
same as if all were measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sfumato.algorithms.specialization.choices import Choices
from sfumato.algorithms.specialization.constraint_checks import CheckResult, Guard
from sfumato.algorithms.specialization.leaf_guard import LeafGuard
from sfumato.algorithms.specialization.scores import Score
from sfumato.algorithms.specialization.specialization_paths import Cut, Refinement, SpecializationPath
from sfumato.runtime.progress import advance
from sfumato.runtime.time_limit import enough

_REPORT_EVERY = 64


@dataclass(frozen=True)
class Step:
    """A refinement that was applied: the column, the published value (and where an interval was cut), and its score."""

    column: str
    value: str = field(repr=False)
    at: str = field(repr=False)
    gain: float
    loss: float
    score: float


class TopDownSearch:
    """One search: the `paths` of all columns, the `guards` of all models, and the score.

    `beneficial` leaves out refinements of values whose records are all of one class. `whole` is a guard without models
    for scores that need group sizes.
    """

    def __init__(
        self,
        paths: Mapping[str, SpecializationPath],
        guards: Sequence[Guard],
        score: Score,
        *,
        beneficial: bool,
        whole: LeafGuard | None = None,
    ) -> None:
        self._names, self._paths = tuple(paths), tuple(paths.values())
        self._guards = tuple(guards) if whole is None else (*guards, whole)
        self._score, self._beneficial, self._whole = score, beneficial, whole
        self._watching = [
            [at for at, guard in enumerate(self._guards) if place in guard.columns] for place in range(len(self._names))
        ]
        self._choices = Choices(self._guards, self._watching)
        self.steps: list[Step] = []

    def run(self) -> None:
        """Apply refinements until none is possible, or the time limit is reached."""
        # If not even one group of all records satisfies the models, no refinement does; everything stays `*`.
        if not all(guard.holds for guard in self._guards):
            return
        for path in self._paths:
            self._add(path.start())
        while not enough():
            best = self._best()
            if best < 0:
                return
            self._apply(best)
            if len(self.steps) % _REPORT_EVERY == 0:
                advance("refining", len(self.steps))

    def cuts(self) -> dict[str, Cut]:
        """The current labels of every column."""
        return {name: path.cut() for name, path in zip(self._names, self._paths, strict=True)}

    def _add(self, refinements: Sequence[Refinement]) -> None:
        """Add refinements that can be of use; if a part is too small by itself, so are the groups that it makes."""
        for refinement in refinements:
            least = max((self._guards[number].least for number in self._watching[refinement.place]), default=0)
            if refinement.smallest_part >= least and (refinement.several_classes or not self._beneficial):
                self._choices.add(refinement)

    def _best(self) -> int:
        """The position of the best refinement after which all models hold; -1 if there is none."""
        while True:
            best = self._choices.best(self._score.of(self._choices.effect()))
            # The best score with current measurements is at least the
            # upper bounds of all others, so it is the true maximum.
            if best < 0 or not self._choices.outdated(best):
                return best
            self._measure(best)

    def _measure(self, at: int) -> None:
        """Measure a refinement again; drop it if it would violate a model."""
        refinement = self._choices.refinements[at]
        for number in self._choices.outdated(at):
            guard = self._guards[number]
            # The first measurement is a quick one, if there is one. It can reject a refinement or lower its score so
            # far that it is not the best any more; only if it is still the best, the next call makes the full check.
            estimate = self._quick_check(at, number)
            result, whole = estimate or guard.check(refinement), estimate is None
            if not result.holds:
                self._choices.drop(at)
                return
            self._choices.note(at, number, result.safety, whole=whole)
            if guard is self._whole and whole:
                self._choices.note_squares(at, *self._whole.squares(refinement))

    def _quick_check(self, at: int, number: int) -> CheckResult | None:
        """The result of a quick check, if the guard has made none since its groups changed."""
        if self._choices.is_estimated(at, number):
            return None
        return self._guards[number].quick_check(self._choices.refinements[at])

    def _apply(self, at: int) -> None:
        """Apply a refinement: divide the groups, follow the path of the column, and mark outdated measurements."""
        refinement, effect = self._choices.refinements[at], self._choices.effect(at)
        name, score = self._names[refinement.place], float(self._score.of(effect)[0])
        self.steps.append(Step(name, refinement.value, refinement.at, refinement.gain, float(effect.loss[0]), score))
        # All guards of this column have measured the refinement
        # since their last change, so their safety after it is known.
        for number in self._watching[refinement.place]:
            self._guards[number].apply(refinement, self._choices.expected_safety(at, number))
        path = self._paths[refinement.place]
        self._choices.mark_applied(at, replaces_all=path.replaces_all)
        self._add(path.apply(refinement))
