"""Generality: which rules say nothing that a more general rule does not say already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from sfumato.data.row_keys import Packing
from sfumato.knowledge.axis import ItemAxis

Codes = NDArray[np.int64]
Numbers = NDArray[np.float64]
Columns = tuple[str, ...]

_ROOM = 2**24


@dataclass(frozen=True, eq=False)
class Found:
    """Rules over the same columns: their items' places on the axes, their values, and what was counted."""

    places: Codes
    values: Codes
    supports: Numbers
    counts: Numbers

    def __len__(self) -> int:
        return len(self.values)

    def only(self, rows: NDArray[np.bool_] | Codes) -> Found:
        """Some of the rules."""
        return Found(self.places[rows], self.values[rows], self.supports[rows], self.counts[rows])

    def ordered(self) -> Found:
        """The rules in the order of their items, then of their values."""
        return self.only(np.lexsort((self.values, *self.places.T[::-1])))

    @classmethod
    def joined(cls, parts: Sequence[Found], columns: int) -> Found:
        """All rules of several parts, in order; a single part is in order already."""
        if len(parts) == 1:
            return parts[0]
        none = cls(np.zeros((0, columns), dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))
        names = ("places", "values", "supports", "counts")
        return cls(*(np.concatenate([getattr(part, name) for part in (none, *parts)]) for name in names)).ordered()


def most_general(
    rules: Mapping[Columns, Found], axes: Mapping[str, ItemAxis], *, step_by_step: bool
) -> dict[Columns, Found]:
    """Only the rules of which no generalization is a rule.

    A rule grows more general when an item becomes a wider one of its column or is left out. `step_by_step` looks one
    step up only: enough where whatever lies between two rules is a rule as well, as it is for rules without exceptions.
    """
    known = {columns: _Known(found, columns, axes) for columns, found in rules.items() if len(found)}
    return {
        columns: found.only(~_covered(columns, found, known, axes, step_by_step))
        for columns, found in rules.items()
        if len(found)
    }


def _covered(
    columns: Columns, found: Found, known: Mapping[Columns, _Known], axes: Mapping[str, ItemAxis], step_by_step: bool
) -> NDArray[np.bool_]:
    covered = np.zeros(len(found), dtype=bool)
    heights = [len(axes[name].above) for name in columns]
    for steps in _climbs(heights, step_by_step):
        wider = {
            name: axes[name].above[step][found.places[:, at]]
            for at, (name, step) in enumerate(zip(columns, steps, strict=True))
        }
        moved = [name for name, step in zip(columns, steps, strict=True) if step]
        for gone in product((False, True), repeat=len(moved)):
            out = {name for name, goes in zip(moved, gone, strict=True) if goes}
            stays = tuple(name for name in columns if name not in out)
            if stays in known:
                rows = _rows([wider[name] == -1 if name in out else wider[name] >= 0 for name in moved] + [~covered])
                covered[rows] = known[stays].has([wider[name][rows] for name in stays], found.values[rows])
    return covered


def _climbs(heights: Sequence[int], step_by_step: bool) -> Iterator[tuple[int, ...]]:
    """How many steps each item goes up, in all ways that go up at all."""
    if step_by_step:
        yield from (tuple(int(at == one) for at in range(len(heights))) for one in range(len(heights)))
    else:
        yield from (steps for steps in product(*map(range, heights)) if any(steps))


def _rows(conditions: Sequence[NDArray[np.bool_]]) -> Codes:
    return np.flatnonzero(np.logical_and.reduce(conditions))


class _Known:
    """The rules over some columns, to be asked which of many others are among them."""

    def __init__(self, found: Found, columns: Columns, axes: Mapping[str, ItemAxis]) -> None:
        self._radices = [*(len(axes[name]) for name in columns), int(found.values.max()) + 1]
        self._rules = [*found.places.T, found.values]
        self._table: NDArray[np.bool_] | None = None
        if prod(self._radices) <= _ROOM:
            self._table = np.zeros(prod(self._radices), dtype=bool)
            self._table[self._key(self._rules)] = True

    def has(self, places: Sequence[Codes], values: Codes) -> NDArray[np.bool_]:
        """Whether each of these rules is there; those about values that no rule here is about are not."""
        answer = values < self._radices[-1]
        asked = [column[answer] for column in (*places, values)]
        answer[answer] = self._among(asked) if self._table is None else self._table[self._key(asked)]
        return np.asarray(answer, dtype=np.bool_)

    def _key(self, rules: Sequence[Codes]) -> Codes:
        key = rules[0]
        for column, radix in zip(rules[1:], self._radices[1:], strict=True):
            key = key * radix + column
        return key

    def _among(self, asked: Sequence[Codes]) -> NDArray[np.bool_]:
        """The same where a table of all possible rules would be too large: number those that occur."""
        both = [np.concatenate(pair) for pair in zip(self._rules, asked, strict=True)]
        _, number = Packing.of(both, self._radices)
        there = np.zeros(int(number.max()) + 1, dtype=bool)
        there[number[: len(self._rules[0])]] = True
        return np.asarray(there[number[len(self._rules[0]) :]], dtype=np.bool_)
