"""The refinements that a top-down search can choose from, with what was last measured of each, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.specialization.constraint_checks import Guard
from sfumato.algorithms.specialization.scores import Effect
from sfumato.algorithms.specialization.specialization_paths import Refinement

_EQUAL = 1e-12
"""Scores that differ by less are equal: which of two ways to add up logarithms was taken must not decide."""


_STALE, _GLIMPSED, _MEASURED = 0, 1, 2


class Choices:
    """What is possible now. Refinements are known by their place in the arrays, which taking one may change.

    `safety[i, p]` is how safe promise p would be in the groups that refinement i makes, infinite where that is not
    known or not concerned; `fresh[i, g]` says how well guard g was asked since its groups last changed.
    """

    def __init__(self, guards: Sequence[Guard], watching: Sequence[Sequence[int]]) -> None:
        self._guards, self._watching = guards, [list(numbers) for numbers in watching]
        bounds = np.cumsum([0, *(len(guard.safety) for guard in guards)]).tolist()
        self._promises = [slice(bounds[at], bounds[at + 1]) for at in range(len(guards))]
        self._concerns = np.zeros((len(watching), bounds[-1]), dtype=np.float64)
        self._watched = np.zeros((len(watching), len(guards)), dtype=bool)
        for place, numbers in enumerate(self._watching):
            self._watched[place, numbers] = True
            for number in numbers:
                self._concerns[place, self._promises[number]] = 1
        self._concerns /= np.maximum(self._concerns.sum(axis=1, keepdims=True), 1)
        self.refinements: list[Refinement] = []
        self._room(64)

    def add(self, refinement: Refinement) -> None:
        """One more that is possible; nothing is known yet of what it would do."""
        at = len(self.refinements)
        if at == len(self.alive):
            self._room(2 * at)
        self.refinements.append(refinement)
        self.alive[at], self.place[at], self.gain[at] = True, refinement.place, refinement.gain
        self.order[at] = refinement.order[0] * 2**32 + refinement.order[1]
        self.safety[at], self.fresh[at] = np.inf, np.where(self._watched[refinement.place], _STALE, _MEASURED)
        self.before[at] = self.after[at] = self.fallen[at] = np.inf

    def effect(self, at: int | None = None) -> Effect:
        """What each would do, or one of them, as far as is known; too favourable where it was not measured lately."""
        chosen = slice(0, len(self.refinements)) if at is None else slice(at, at + 1)
        now = np.array([level for guard in self._guards for level in guard.safety])
        lost = np.maximum(now - self.safety[chosen], 0)
        loss = np.einsum("ij,ij->i", lost, self._concerns[self.place[chosen]])
        return Effect(self.gain[chosen], loss, self.before[chosen], self.after[chosen], self.fallen[chosen])

    def best(self, scores: NDArray[np.float64]) -> int:
        """The one with the highest score, of equal ones the first in order; -1 if none is left."""
        scores = np.where(self.alive[: len(scores)], scores, -np.inf)
        most = scores.max(initial=-np.inf)
        if most == -np.inf:
            return -1
        equal = np.flatnonzero(scores >= most - _EQUAL * abs(most)) if most < np.inf else np.flatnonzero(scores == most)
        return int(equal[np.argmin(self.order[equal])])

    def stale(self, at: int) -> list[int]:
        """The guards that must be asked about one of them."""
        return np.flatnonzero(self.fresh[at] != _MEASURED).tolist()

    def glimpsed(self, at: int, guard: int) -> bool:
        """Whether a guard had a quick look at one of them."""
        return bool(self.fresh[at, guard] == _GLIMPSED)

    def note(self, at: int, guard: int, safety: tuple[float, ...], *, whole: bool) -> None:
        """What a guard said after a whole look, or after a glimpse."""
        self.safety[at, self._promises[guard]] = safety
        self.fresh[at, guard] = _MEASURED if whole else _GLIMPSED

    def note_squares(self, at: int, before: float, after: float) -> None:
        """The squared sizes of the groups concerned."""
        self.before[at], self.after[at], self.fallen[at] = before, after, before - after

    def drop(self, at: int) -> None:
        """It would break a promise, now and ever after."""
        self.alive[at] = False

    def foretold(self, at: int, guard: int) -> tuple[float, ...]:
        """How safe a guard's promises were said to become."""
        return tuple(self.safety[at, self._promises[guard]].tolist())

    def taken(self, at: int, *, others_void: bool) -> None:
        """It was made: the guards of its column must be asked anew about other columns.

        Groups with other values of the same column are the same as before, so what is known of those stays true; unless
        the column starts anew.
        """
        place = int(self.place[at])
        here = self.place[: len(self.refinements)] == place
        self.alive[at] = False
        if others_void:
            self.alive[: len(here)][here] = False
        changed = np.zeros(len(self._guards), dtype=bool)
        changed[self._watching[place]] = True
        fresh = self.fresh[: len(here)]
        fresh[~here[:, None] & changed & self._watched[self.place[: len(here)]]] = _STALE
        if 2 * np.count_nonzero(self.alive[: len(here)]) < len(here) - 64:
            self._compact()

    def _compact(self) -> None:
        kept = np.flatnonzero(self.alive[: len(self.refinements)])
        self.refinements = [self.refinements[at] for at in kept.tolist()]
        for name in _ARRAYS:
            array = getattr(self, name)
            array[: len(kept)] = array[kept]
        self.alive[len(kept) :] = False

    def _room(self, room: int) -> None:
        """Arrays for so many refinements, with what was in the old ones."""
        shapes = {"safety": (room, self._concerns.shape[1]), "fresh": (room, len(self._guards))}
        for name, kind in _ARRAYS.items():
            made: NDArray[Any] = np.zeros(shapes.get(name, room), dtype=kind)
            old = getattr(self, name, made[:0])
            made[: len(old)] = old
            setattr(self, name, made)

    alive: NDArray[np.bool_]
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
