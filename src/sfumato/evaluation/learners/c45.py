"""C4.5: the decision tree that papers on publishing data for classification measure with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.evaluation.learners.base import Codes, Known, Learner, known
from sfumato.evaluation.learners.features import Features
from sfumato.evaluation.learners.pruning import prune
from sfumato.evaluation.learners.tree import DecisionTree, Ranks, coded, numeric, ranked
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.evaluation.learners.loops.tree_growth import Nodes

_MANY = 0.3
"""A column of names with as many values as this share of the records has no say in what a mean gain is."""


@dataclass(frozen=True, kw_only=True)
class C45(Learner):
    """Decision tree by gain ratio, with cuts of numbers, a branch for every name, and pessimistic pruning.

    A node tests the column of the highest gain ratio among those whose gain is not below the mean. A column of names
    is tested once on a path, one of numbers as often as it pays; the gain of a cut is charged for the number of cuts
    there were to choose from. A missing number goes where most others go, a name without a branch gets the commonest
    class. Between equal tests the first column decides, between equally common classes the lowest code.

    >>> import numpy as np
    >>> import pyarrow as pa
    >>> visits = pa.table({"age": [21, 25, 30, 52, 58, 60], "sex": ["m", "f", "m", "f", "m", "f"]})
    >>> tree = C45().fit(Features.of_frame(visits, ["age", "sex"]), np.array([0, 0, 0, 1, 1, 1]))
    >>> print(tree.text(["well", "ill"]))
    age <= 30: well (3)
    age > 30: ill (3)

    References: Quinlan (1993), C4.5: Programs for Machine Learning; Quinlan (1996), Improved Use of Continuous
    Attributes in C4.5. Subtrees are not raised.
    """

    confidence: float = param(
        0.25, doc="chance that a leaf errs more than expected; lower prunes more", above=0, at_most=1
    )
    fewest: int = param(2, doc="fewest cases in at least two branches of a test", at_least=1)

    def root(self, features: Features, classes: Codes) -> str | None:
        """The column that the tree tests first, before pruning; None where no column tells classes apart."""
        records = known(features, classes)
        first = int(self._grown(records, ranked(features)).column[0])
        return None if first < 0 else features.names[first]

    def _fit(self, known: Known) -> DecisionTree:
        ranks = ranked(known.features)
        nodes = prune(self._grown(known, ranks), self.confidence)
        return DecisionTree(known.features.emptied(), known.codes, ranks, nodes)

    def _grown(self, known: Known, ranks: Ranks) -> Nodes:
        """The tree before pruning."""
        from sfumato.evaluation.learners.loops.tree_growth import Nodes, grow, room_to_grow
        from sfumato.evaluation.learners.loops.tree_splits import Cases, room_to_count

        features, records, classes = known.features, len(known.classes), len(known.codes)
        cases = Cases(coded(features, ranks), numeric(features), known.classes, known.weights)
        widths = np.array([len(column.texts or ()) for column in features.columns], dtype=np.int64)
        many = (widths >= _MANY * records) & ~cases.numeric
        widest = max([*(widths + 1), *map(len, ranks)], default=1)
        room = room_to_grow(records)
        made = grow(cases, classes, float(self.fewest), many, room, room_to_count(widest, records, classes))
        return _at_values(Nodes._make(column[:made].copy() for column in room), ranks)


def _at_values(nodes: Nodes, ranks: Ranks) -> Nodes:
    """Cuts at the highest number of training that is not above the middle of the two numbers around them."""
    below = nodes.below.copy()
    for column, values in enumerate(ranks):
        here = (nodes.column == column) & (nodes.below >= 0)
        middle = (values[nodes.below[here]] + values[nodes.above[here]]) / 2
        below[here] = np.searchsorted(values, middle, side="right") - 1
    return nodes._replace(below=below)
