"""Rank columns by their importance for the class: the root of a tree, then the root without that column, and so on."""

from __future__ import annotations

from sfumato.errors import ParameterError
from sfumato.evaluation.learners.base import Codes
from sfumato.evaluation.learners.c45 import C45
from sfumato.evaluation.learners.features import Features


def rank(learner: C45, features: Features, classes: Codes, how_many: int) -> list[str]:
    """The most important columns: train, take the column tested first (before pruning), remove it, and train again.

    The list is shorter than `how_many` if no remaining column separates the classes. The first N columns are the TopN
    quasi-identifier of Fung, Wang and Yu (2007), section 5.

    >>> import numpy as np
    >>> import pyarrow as pa
    >>> visits = pa.table({"sex": ["m", "f", "f", "f", "m", "m"], "age": [21, 25, 30, 52, 58, 60]})
    >>> features = Features.of_frame(visits, ["age", "sex"])
    >>> rank(C45(), features, np.array([0, 0, 0, 1, 1, 1]), 2)
    ['age', 'sex']
    """
    if not 1 <= how_many <= len(features.columns):
        raise ParameterError(f"'how_many' must be between 1 and the {len(features.columns)} columns; got {how_many}.")
    found: list[str] = []
    while len(found) < how_many:
        first = learner.root(features.without(found), classes)
        if first is None:
            break
        found.append(first)
    return found
