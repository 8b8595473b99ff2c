"""Generality: drop the rules that follow from a more general rule. The miner calls it with the rules it found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from sfumato.data.row_keys import Packing
from sfumato.kernels.arrays import Flags
from sfumato.knowledge.axis import ItemAxis

Codes = NDArray[np.int64]
Numbers = NDArray[np.float64]
Columns = tuple[str, ...]

_MAX_TABLE = 2**24
"""Number of entries of the largest table with one entry per possible rule, 16 MB."""


@dataclass(frozen=True, eq=False)
class RuleArrays:
    """Rules over the same columns as arrays: indices of items on the axes, numbers of values, supports and counts."""

    places: Codes
    values: Codes
    supports: Numbers
    counts: Numbers

    def __len__(self) -> int:
        return len(self.values)

    def select(self, rows: Flags | Codes) -> RuleArrays:
        """The rules of these rows."""
        return RuleArrays(self.places[rows], self.values[rows], self.supports[rows], self.counts[rows])

    def sorted_by_items(self) -> RuleArrays:
        """The rules sorted by their items, then by their values."""
        return self.select(np.lexsort((self.values, *self.places.T[::-1])))

    @classmethod
    def concatenate(cls, parts: Sequence[RuleArrays], columns: int) -> RuleArrays:
        """All rules of several parts, sorted; a single part is already sorted."""
        if len(parts) == 1:
            return parts[0]
        none = cls(np.zeros((0, columns), dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))
        names = ("places", "values", "supports", "counts")
        return cls(
            *(np.concatenate([getattr(part, name) for part in (none, *parts)]) for name in names)
        ).sorted_by_items()


def most_general(
    rules: Mapping[Columns, RuleArrays], axes: Mapping[str, ItemAxis], *, step_by_step: bool
) -> dict[Columns, RuleArrays]:
    """Keep only the rules that have no generalization among the rules.

    A rule becomes more general when an item is replaced by a wider one of its column or is left out. With
    `step_by_step` only direct generalizations are looked up. That is enough if everything between two rules is a rule
    as well, which holds for rules without exceptions.
    """
    known = {columns: _RuleIndex(found, columns, axes) for columns, found in rules.items() if len(found)}
    return {
        columns: found.select(~_has_generalization(columns, found, known, axes, step_by_step))
        for columns, found in rules.items()
        if len(found)
    }


def _has_generalization(
    columns: Columns,
    found: RuleArrays,
    known: Mapping[Columns, _RuleIndex],
    axes: Mapping[str, ItemAxis],
    step_by_step: bool,
) -> Flags:
    covered = np.zeros(len(found), dtype=bool)
    heights = [len(axes[name].above) for name in columns]
    for steps in _generalization_steps(heights, step_by_step):
        # `above` gives -1 where the item becomes the root (it is
        # left out) and -2 where there are not so many wider items.
        wider = {
            name: axes[name].above[step][found.places[:, at]]
            for at, (name, step) in enumerate(zip(columns, steps, strict=True))
        }
        moved = [name for name, step in zip(columns, steps, strict=True) if step]
        # An item that moved either is replaced by a wider item or is left out. Rules of these two kinds are over
        # different columns, so they are looked up in different indices.
        for gone in product((False, True), repeat=len(moved)):
            out = {name for name, goes in zip(moved, gone, strict=True) if goes}
            stays = tuple(name for name in columns if name not in out)
            if stays in known:
                # Rules that are covered already are not looked up again.
                rows = _rows([wider[name] == -1 if name in out else wider[name] >= 0 for name in moved] + [~covered])
                covered[rows] = known[stays].has([wider[name][rows] for name in stays], found.values[rows])
    return covered


def _generalization_steps(heights: Sequence[int], step_by_step: bool) -> Iterator[tuple[int, ...]]:
    """All combinations of how many steps each item is generalized, except the one of no steps."""
    if step_by_step:
        yield from (tuple(int(at == one) for at in range(len(heights))) for one in range(len(heights)))
    else:
        yield from (steps for steps in product(*map(range, heights)) if any(steps))


def _rows(conditions: Sequence[Flags]) -> Codes:
    return np.flatnonzero(np.logical_and.reduce(conditions))


class _RuleIndex:
    """An index of the rules over some columns that answers which of many candidates are among them."""

    def __init__(self, found: RuleArrays, columns: Columns, axes: Mapping[str, ItemAxis]) -> None:
        self._radices = [*(len(axes[name]) for name in columns), int(found.values.max()) + 1]
        self._rules = [*found.places.T, found.values]
        self._table: Flags | None = None
        if prod(self._radices) <= _MAX_TABLE:
            self._table = np.zeros(prod(self._radices), dtype=bool)
            self._table[self._key(self._rules)] = True

    def has(self, places: Sequence[Codes], values: Codes) -> Flags:
        """Whether each candidate is one of the rules; values above the largest known value number are never found."""
        answer = values < self._radices[-1]
        candidates = [column[answer] for column in (*places, values)]
        answer[answer] = self._among(candidates) if self._table is None else self._table[self._key(candidates)]
        return np.asarray(answer, dtype=np.bool_)

    def _key(self, rules: Sequence[Codes]) -> Codes:
        key = rules[0]
        for column, radix in zip(rules[1:], self._radices[1:], strict=True):
            key = key * radix + column
        return key

    def _among(self, candidates: Sequence[Codes]) -> Flags:
        """The same without a table of all possible rules, where it would be too large: number the rules that occur."""
        both = [np.concatenate(pair) for pair in zip(self._rules, candidates, strict=True)]
        _, number = Packing.of(both, self._radices)
        there = np.zeros(int(number.max()) + 1, dtype=bool)
        there[number[: len(self._rules[0])]] = True
        return np.asarray(there[number[len(self._rules[0]) :]], dtype=np.bool_)
