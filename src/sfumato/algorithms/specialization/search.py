"""Refining: from a table that shows nothing down to one that shows as much as its promises allow, step by step.

This is the machinery of top-down refinement and its family. It holds the refinements that are possible now, lets a
score choose, asks guards whether the promises would still be kept, and stops when nothing is left or somebody says it
is enough; whatever has been reached by then keeps every promise.

Refining never makes a group larger, so a promise that would be broken now would be broken later, and what was measured
before bounds what would be measured now. So only the refinement that looks best is measured again, and the steps are
the same as if all had been.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sfumato.algorithms.specialization.choices import Choices
from sfumato.algorithms.specialization.constraint_checks import Guard, Outlook
from sfumato.algorithms.specialization.leaf_guard import LeafGuard
from sfumato.algorithms.specialization.scores import Score
from sfumato.algorithms.specialization.specialization_paths import Cut, Ladder, Refinement
from sfumato.runtime.progress import advance
from sfumato.runtime.time_limit import enough

_TELL_EVERY = 64


@dataclass(frozen=True)
class Step:
    """One refinement that was made: of which column, which published value (and where an interval was cut), and why."""

    column: str
    value: str
    at: str
    gain: float
    loss: float
    score: float


class Refining:
    """One run: `ladders` by column, the `guards` of all promises, and the score to go by."""

    def __init__(
        self,
        ladders: Mapping[str, Ladder],
        guards: Sequence[Guard],
        score: Score,
        *,
        beneficial: bool,
        whole: LeafGuard | None = None,
    ) -> None:
        self._names, self._ladders = tuple(ladders), tuple(ladders.values())
        self._guards = tuple(guards) if whole is None else (*guards, whole)
        self._score, self._beneficial, self._whole = score, beneficial, whole
        self._watching = [
            [at for at, guard in enumerate(self._guards) if place in guard.columns] for place in range(len(self._names))
        ]
        self._choices = Choices(self._guards, self._watching)
        self.steps: list[Step] = []

    def run(self) -> None:
        """Refine until nothing is left that may be, or it is enough."""
        if not all(guard.holds for guard in self._guards):
            return
        for ladder in self._ladders:
            self._offer(ladder.start())
        while not enough():
            best = self._best()
            if best < 0:
                return
            self._take(best)
            if len(self.steps) % _TELL_EVERY == 0:
                advance("refining", len(self.steps))

    def cuts(self) -> dict[str, Cut]:
        """What every column publishes now."""
        return {name: ladder.cut() for name, ladder in zip(self._names, self._ladders, strict=True)}

    def _offer(self, refinements: Sequence[Refinement]) -> None:
        """Add what may be of use; a part that is too small by itself makes groups that are."""
        for refinement in refinements:
            least = max((self._guards[number].least for number in self._watching[refinement.place]), default=0)
            if refinement.fewest >= least and (refinement.mixed or not self._beneficial):
                self._choices.add(refinement)

    def _best(self) -> int:
        """The place of the best refinement that keeps all promises; -1 if there is none."""
        while True:
            best = self._choices.best(self._score.of(self._choices.effect()))
            if best < 0 or not self._choices.stale(best):
                return best
            self._measure(best)

    def _measure(self, at: int) -> None:
        """Look anew at what a refinement would do; one that would break a promise is out for good."""
        refinement = self._choices.refinements[at]
        for number in self._choices.stale(at):
            guard = self._guards[number]
            glimpse = self._glimpse(at, number)
            outlook, whole = glimpse or guard.outlook(refinement), glimpse is None
            if not outlook.holds:
                self._choices.drop(at)
                return
            self._choices.note(at, number, outlook.safety, whole=whole)
            if guard is self._whole and whole:
                self._choices.note_squares(at, *self._whole.squares(refinement))

    def _glimpse(self, at: int, number: int) -> Outlook | None:
        """A quick look, if none was had since the guard's groups changed."""
        if self._choices.glimpsed(at, number):
            return None
        return self._guards[number].glimpse(self._choices.refinements[at])

    def _take(self, at: int) -> None:
        """Make the refinement: part the groups, go down the ladder, and mark what must be looked at anew."""
        refinement, effect = self._choices.refinements[at], self._choices.effect(at)
        name, score = self._names[refinement.place], float(self._score.of(effect)[0])
        self.steps.append(Step(name, refinement.value, refinement.at, refinement.gain, float(effect.loss[0]), score))
        for number in self._watching[refinement.place]:
            self._guards[number].take(refinement, self._choices.foretold(at, number))
        ladder = self._ladders[refinement.place]
        self._choices.taken(at, others_void=ladder.replaces_all)
        self._offer(ladder.take(refinement))
