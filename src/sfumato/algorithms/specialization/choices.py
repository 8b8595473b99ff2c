"""The refinements that a top-down search can choose from, with the latest measurements of each, as arrays.

`TopDownSearch` adds refinements, asks for the best one, and notes what the guards have measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.specialization.constraint_checks import Guard
from sfumato.algorithms.specialization.scores import Effect
from sfumato.algorithms.specialization.specialization_paths import Refinement
from sfumato.kernels.arrays import Flags

_EQUAL = 1e-12
"""Scores whose relative difference is less than this are equal, because rounding of logarithms must not decide."""


_OUTDATED, _ESTIMATED, _MEASURED = 0, 1, 2
"""How well the safety is known: before the last change of the groups, by a quick check, or by a full check since."""


class Choices:
    """The refinements that are possible now. A refinement is identified by its position in the arrays.

    `safety[i, p]` is the expected safety of model p in the groups that refinement i makes, infinite if that is not
    known or if the model does not depend on the column. `fresh[i, g]` says whether guard g has measured or only
    estimated it since the groups of the guard last changed. `mark_applied` can compact the arrays, which changes
    positions.
    """

    def __init__(self, guards: Sequence[Guard], watching: Sequence[Sequence[int]]) -> None:
        self._guards, self._watching = guards, [list(numbers) for numbers in watching]
        bounds = np.cumsum([0, *(len(guard.safety) for guard in guards)]).tolist()
        self._slots = [slice(bounds[at], bounds[at + 1]) for at in range(len(guards))]
        self._weights = np.zeros((len(watching), bounds[-1]), dtype=np.float64)
        self._watched = np.zeros((len(watching), len(guards)), dtype=bool)
        for place, numbers in enumerate(self._watching):
            self._watched[place, numbers] = True
            for number in numbers:
                self._weights[place, self._slots[number]] = 1
        # The loss of a refinement is the average over the models that depend on its column.
        self._weights /= np.maximum(self._weights.sum(axis=1, keepdims=True), 1)
        self.refinements: list[Refinement] = []
        self._resize(64)

    def add(self, refinement: Refinement) -> None:
        """Add a refinement, of which nothing is measured yet."""
        at = len(self.refinements)
        if at == len(self.alive):
            self._resize(2 * at)
        self.refinements.append(refinement)
        self.alive[at], self.place[at], self.gain[at] = True, refinement.place, refinement.gain
        # Column and value as one number, so that ties are broken by a comparison of integers.
        self.order[at] = refinement.order[0] * 2**32 + refinement.order[1]
        # Infinite safety means no loss: an unmeasured refinement gets
        # the best score it could have, and is measured if it wins.
        self.safety[at], self.fresh[at] = np.inf, np.where(self._watched[refinement.place], _OUTDATED, _MEASURED)
        self.before[at] = self.after[at] = self.fallen[at] = np.inf

    def effect(self, at: int | None = None) -> Effect:
        """The known effect of each refinement, or of one; too favourable where measurements are outdated or missing."""
        chosen = slice(0, len(self.refinements)) if at is None else slice(at, at + 1)
        # The current safety with old measurements. The measured safety can
        # only have fallen since, so the true loss is at least this one.
        now = np.array([level for guard in self._guards for level in guard.safety])
        lost = np.maximum(now - self.safety[chosen], 0)
        loss = np.einsum("ij,ij->i", lost, self._weights[self.place[chosen]])
        return Effect(self.gain[chosen], loss, self.before[chosen], self.after[chosen], self.fallen[chosen])

    def best(self, scores: NDArray[np.float64]) -> int:
        """The refinement with the highest score, of equal ones the first in order; -1 if none is left."""
        scores = np.where(self.alive[: len(scores)], scores, -np.inf)
        most = scores.max(initial=-np.inf)
        if most == -np.inf:
            return -1
        equal = np.flatnonzero(scores >= most - _EQUAL * abs(most)) if most < np.inf else np.flatnonzero(scores == most)
        return int(equal[np.argmin(self.order[equal])])

    def outdated(self, at: int) -> list[int]:
        """The guards that must still measure a refinement."""
        return np.flatnonzero(self.fresh[at] != _MEASURED).tolist()

    def is_estimated(self, at: int, guard: int) -> bool:
        """Whether a guard has made a quick check of a refinement."""
        return bool(self.fresh[at, guard] == _ESTIMATED)

    def note(self, at: int, guard: int, safety: tuple[float, ...], *, whole: bool) -> None:
        """Store the safety that a guard has found by a full check (`whole`) or by a quick one."""
        self.safety[at, self._slots[guard]] = safety
        self.fresh[at, guard] = _MEASURED if whole else _ESTIMATED

    def note_squares(self, at: int, before: float, after: float) -> None:
        """Store the sums of squared sizes of the affected groups, before and after."""
        self.before[at], self.after[at], self.fallen[at] = before, after, before - after

    def drop(self, at: int) -> None:
        """Remove a refinement that would violate a model; refining other values cannot make it safe again."""
        self.alive[at] = False

    def expected_safety(self, at: int, guard: int) -> tuple[float, ...]:
        """The safety of a guard's models after a refinement, as last measured."""
        return tuple(self.safety[at, self._slots[guard]].tolist())

    def mark_applied(self, at: int, *, replaces_all: bool) -> None:
        """Mark a refinement as applied: the guards of its column must measure refinements of other columns again.

        Groups with other values of the same column have not changed, so their measurements stay valid, unless the path
        of the column replaces all its refinements.
        """
        place = int(self.place[at])
        here = self.place[: len(self.refinements)] == place
        self.alive[at] = False
        if replaces_all:
            self.alive[: len(here)][here] = False
        changed = np.zeros(len(self._guards), dtype=bool)
        changed[self._watching[place]] = True
        fresh = self.fresh[: len(here)]
        # Refinements of other columns divide groups that have changed now, if they share a guard with this column.
        fresh[~here[:, None] & changed & self._watched[self.place[: len(here)]]] = _OUTDATED
        # Compacting when half of the entries are dead keeps the
        # cost per step proportional to the possible refinements.
        if 2 * np.count_nonzero(self.alive[: len(here)]) < len(here) - 64:
            self._compact()

    def _compact(self) -> None:
        """Remove the refinements that are no longer possible from the arrays."""
        kept = np.flatnonzero(self.alive[: len(self.refinements)])
        self.refinements = [self.refinements[at] for at in kept.tolist()]
        for name in _ARRAYS:
            array = getattr(self, name)
            array[: len(kept)] = array[kept]
        self.alive[len(kept) :] = False

    def _resize(self, room: int) -> None:
        """Make arrays for this number of refinements and copy the old content."""
        shapes = {"safety": (room, self._weights.shape[1]), "fresh": (room, len(self._guards))}
        for name, kind in _ARRAYS.items():
            made: NDArray[Any] = np.zeros(shapes.get(name, room), dtype=kind)
            old = getattr(self, name, made[:0])
            made[: len(old)] = old
            setattr(self, name, made)

    alive: Flags
    place: NDArray[np.int32]
    order: NDArray[np.int64]
    gain: NDArray[np.float64]
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    fallen: NDArray[np.float64]
    safety: NDArray[np.float64]
    fresh: NDArray[np.int8]


_ARRAYS: dict[str, type] = {
    "alive": bool,
    "place": np.int32,
    "order": np.int64,
    "gain": np.float64,
    "before": np.float64,
    "after": np.float64,
    "fallen": np.float64,
    "safety": np.float64,
    "fresh": np.int8,
}
