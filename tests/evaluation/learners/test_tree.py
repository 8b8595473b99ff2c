from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given

from sfumato.evaluation.learners import C45, Features
from sfumato.evaluation.learners.tree import code_columns, distinct_numbers, numeric
from tests.evaluation.learners.records import drawn, golf


def test_a_tree_can_be_read():
    features, classes = golf()
    tree = C45().fit(features, classes)
    assert (tree.size, tree.depth, tree.root) == (8, 2, "outlook")
    assert tree.text().splitlines()[0] == "outlook = overcast: 0 (4)"


def test_a_tree_of_one_leaf():
    tree = C45().fit(Features((), 3), np.array([1, 0, 0]))
    assert (tree.size, tree.depth, tree.root) == (1, 0, None)
    assert tree.text(["no", "yes"]) == "no (3, 1 wrong)"


def test_missing_names_are_called_missing():
    frame = pa.table({"job": ["cook"] * 4 + [None] * 4})
    tree = C45().fit(Features.of_frame(frame, ["job"]), np.repeat([0, 1], 4))
    assert tree.text() == "job = cook: 0 (4)\njob = missing: 1 (4)"


def test_codes_of_numbers_are_ranks_of_training():
    seen = Features.of_frame(pa.table({"n": [5.0, 1.0, None, 3.0], "a": ["x", "y", "x", "y"]}), ["n", "a"])
    ranks = distinct_numbers(seen)
    assert [values.tolist() for values in ranks] == [[1.0, 3.0, 5.0], []]
    assert numeric(seen).tolist() == [True, False]
    assert code_columns(seen, ranks).tolist() == [[2, 0, -1, 1], [0, 1, 0, 1]]
    other = Features.of_frame(pa.table({"n": [0.0, 1.5, 9.0, None], "a": ["y", "z", "x", None]}), ["n", "a"])
    assert code_columns(other.aligned_with(seen), ranks).tolist() == [[0, 1, 3, -1], [1, 2, 0, 2]]


@given(drawn())
def test_size_and_depth_are_those_of_the_drawing(records):
    tree = C45(confidence=1, fewest=1).fit(*records)
    lines = tree.text().splitlines()
    assert tree.size == (len(lines) + 1 if tree.root else 1)
    assert tree.depth == (max(line.count("|   ") for line in lines) + 1 if tree.root else 0)
