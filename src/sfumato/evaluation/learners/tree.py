"""The decision tree that C4.5 learns: it predicts classes, and prints itself as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import MISSING_TEXT, written
from sfumato.evaluation.learners.base import FittedLearner
from sfumato.evaluation.learners.features import UNSEEN, Feature, Features
from sfumato.kernels.arrays import Flags

if TYPE_CHECKING:
    from sfumato.evaluation.learners.loops.tree_growth import Nodes

Ranks = tuple[NDArray[np.float64], ...]


@dataclass(frozen=True, eq=False)
class DecisionTree(FittedLearner):
    """A tree of tests on one column each, with a class at every leaf.

    A name without a branch gets the most frequent class of its node. `ranks` holds the sorted distinct training numbers
    of every column, none for columns of names; the code of a number is its rank.
    """

    ranks: Ranks = field(repr=False)
    nodes: Nodes

    @property
    def size(self) -> int:
        """The number of nodes, leaves included."""
        return int(self._here.sum())

    @property
    def depth(self) -> int:
        """The number of tests on the longest path; 0 for a single leaf."""
        return int(self._depths[self._here].max())

    @property
    def root(self) -> str | None:
        """The column that is tested first; None for a single leaf."""
        first = int(self.nodes.column[0])
        return None if first < 0 else self.like.columns[first].name

    def text(self, names: Sequence[str] | None = None) -> str:
        """The tree as lines of text: every test, and for leaves the class (by name if given) and its cases."""
        if self.root is None:
            return self._leaf(0, names)
        return "\n".join(self._lines(0, names))

    def _predict(self, features: Features) -> NDArray[Any]:
        from sfumato.evaluation.learners.loops.tree_walk import walk

        return self.nodes.majority[walk(code_columns(features, self.ranks), numeric(features), self.nodes)]

    @cached_property
    def _depths(self) -> NDArray[np.int64]:
        found = np.zeros(len(self.nodes.column), dtype=np.int64)
        for node in range(1, len(found)):
            found[node] = found[self.nodes.parent[node]] + 1
        return found

    @cached_property
    def _here(self) -> Flags:
        """The nodes that remain after pruning."""
        here = np.ones(len(self.nodes.column), dtype=bool)
        for node in range(1, len(here)):
            above = self.nodes.parent[node]
            # Pruning turns a node into a leaf and leaves its former children in the arrays.
            here[node] = here[above] and self.nodes.column[above] >= 0
        return here

    def _lines(self, node: int, names: Sequence[str] | None) -> Iterator[str]:
        first = int(self.nodes.first[node])
        for child in range(first, first + int(self.nodes.children[node])):
            test = "|   " * int(self._depths[node]) + self._test(node, child)
            if self.nodes.column[child] < 0:
                yield f"{test}: {self._leaf(child, names)}"
            else:
                yield test
                yield from self._lines(child, names)

    def _test(self, node: int, child: int) -> str:
        place, branch = int(self.nodes.column[node]), int(self.nodes.branch[child])
        column = self.like.columns[place]
        if column.texts is None:
            limit = written(float(self.ranks[place][self.nodes.below[node]]))
            return f"{column.name} {'>' if branch else '<='} {limit}"
        text = column.texts[branch] if branch < len(column.texts) else None
        return f"{column.name} = {MISSING_TEXT if text is None else text}"

    def _leaf(self, node: int, names: Sequence[str] | None) -> str:
        code = int(self.classes[self.nodes.majority[node]])
        wrong = f", {self.nodes.wrong[node]:g} wrong" if self.nodes.wrong[node] else ""
        return f"{code if names is None else names[code]} ({self.nodes.cases[node]:g}{wrong})"


def distinct_numbers(features: Features) -> Ranks:
    """The sorted distinct numbers of every column, without missing ones; none for columns of names."""
    nothing = np.zeros(0)
    return tuple(
        np.unique(column.values[~np.isnan(column.values)]) if column.numeric else nothing for column in features.columns
    )


def numeric(features: Features) -> Flags:
    """A mask of the numeric columns."""
    return np.array([column.numeric for column in features.columns], dtype=bool)


def code_columns(features: Features, ranks: Ranks) -> NDArray[np.int32]:
    """Codes (columns x records); a number has the rank of the first training number not below it, -1 if missing."""
    codes = np.empty((len(features.columns), len(features)), dtype=np.int32)
    for place, column in enumerate(features.columns):
        codes[place] = _codes(column, ranks[place])
    return codes


def _codes(column: Feature, ranks: NDArray[np.float64]) -> NDArray[Any]:
    if column.texts is None:
        return np.where(np.isnan(column.values), -1, np.searchsorted(ranks, column.values))
    return np.where(column.values == UNSEEN, len(column.texts), column.values)
