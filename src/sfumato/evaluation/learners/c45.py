"""C4.5: the decision tree that papers on publishing data for classification use for their measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.evaluation.learners.base import Codes, Learner, TrainingRecords, training_records
from sfumato.evaluation.learners.features import Features
from sfumato.evaluation.learners.pruning import prune
from sfumato.evaluation.learners.tree import DecisionTree, Ranks, code_columns, distinct_numbers, numeric
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.evaluation.learners.loops.tree_growth import Nodes

_TOO_MANY_NAMES = 0.3
"""A column of names with at least this share of distinct values per record is left out of the mean gain."""


@dataclass(frozen=True, kw_only=True)
class C45(Learner):
    """A decision tree by gain ratio, with cuts of numbers, a branch for every name, and pessimistic pruning.

    A node tests the column of the highest gain ratio among those whose gain is not below the mean. A column of names
    is tested once on a path, a column of numbers repeatedly; the gain of a cut is reduced by the cost of choosing among
    the possible cuts. A missing number follows the majority, a name without a branch gets the most frequent class. The
    first of several equal tests wins, and the lowest code of several equally frequent classes.

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
        0.25, doc="probability that a leaf errs more than expected; lower values prune more", above=0, at_most=1
    )
    fewest: int = param(2, doc="smallest number of cases in at least two branches of a test", at_least=1)

    def root(self, features: Features, classes: Codes) -> str | None:
        """The column that the tree tests first, before pruning; None if no column separates the classes."""
        records = training_records(features, classes)
        first = int(self._grow(records, distinct_numbers(features)).column[0])
        return None if first < 0 else features.names[first]

    def _fit(self, known: TrainingRecords) -> DecisionTree:
        ranks = distinct_numbers(known.features)
        nodes = prune(self._grow(known, ranks), self.confidence)
        return DecisionTree(known.features.without_records(), known.codes, ranks, nodes)

    def _grow(self, known: TrainingRecords, ranks: Ranks) -> Nodes:
        """The tree before pruning."""
        from sfumato.evaluation.learners.loops.tree_growth import Nodes, empty_nodes, grow
        from sfumato.evaluation.learners.loops.tree_splits import Cases, empty_tally

        features, records, classes = known.features, len(known.classes), len(known.codes)
        cases = Cases(code_columns(features, ranks), numeric(features), known.classes, known.weights)
        widths = np.array([len(column.texts or ()) for column in features.columns], dtype=np.int64)
        # A column with nearly as many names as records has a high gain by
        # chance, and would raise the mean gain that other columns must reach.
        many = (widths >= _TOO_MANY_NAMES * records) & ~cases.numeric
        widest = max([*(widths + 1), *map(len, ranks)], default=1)
        room = empty_nodes(records)
        made = grow(cases, classes, float(self.fewest), many, room, empty_tally(widest, records, classes))
        return _move_cuts_to_values(Nodes._make(column[:made].copy() for column in room), ranks)


def _move_cuts_to_values(nodes: Nodes, ranks: Ranks) -> Nodes:
    """Move every cut to the highest training number that is not above the midpoint of the two numbers around it."""
    below = nodes.below.copy()
    for column, values in enumerate(ranks):
        here = (nodes.column == column) & (nodes.below >= 0)
        middle = (values[nodes.below[here]] + values[nodes.above[here]]) / 2
        below[here] = np.searchsorted(values, middle, side="right") - 1
    return nodes._replace(below=below)
