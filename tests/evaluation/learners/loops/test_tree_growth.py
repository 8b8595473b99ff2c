import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.evaluation.learners import C45
from sfumato.evaluation.learners.base import training_records
from sfumato.evaluation.learners.tree import distinct_numbers
from tests.evaluation.learners.records import cases_of, drawn, nested, numeric_of
from tests.examples import examples
from tests.oracles.c45_oracle import grown


def same(found, expected):
    """Equal trees; sums of weights are multiples of a half, so they are equal to the last bit."""
    assert found[:3] == expected[:3]
    assert len(found) == len(expected)
    if len(found) > 3:
        assert found[3:5] == expected[3:5]
        assert found[5].keys() == expected[5].keys()
        for side in found[5]:
            same(found[5][side], expected[5][side])


@given(drawn(most=40), st.integers(1, 4))
@examples(300)
def test_the_tree_is_the_one_that_plain_recursion_grows(records, fewest):
    features, classes, weights = records
    learner = C45(fewest=fewest)
    given_records = training_records(features, classes, weights)
    ranks = distinct_numbers(features)
    nodes = learner._grow(given_records, ranks)
    names = tuple(len(column.texts or ()) for column in features.columns)
    expected = grown(cases_of(features, classes, weights), numeric_of(features), fewest, names)
    same(nested(nodes, ranks, given_records.codes), expected)


@given(drawn())
def test_children_come_after_their_parents_and_share_out_their_cases(records):
    features, classes, weights = records
    nodes = C45()._grow(training_records(features, classes, weights), distinct_numbers(features))
    assert nodes.cases[0] == pytest.approx(weights.sum())
    for node in np.flatnonzero(nodes.column >= 0):
        children = np.arange(nodes.first[node], nodes.first[node] + nodes.children[node])
        assert (children > node).all()
        assert (nodes.parent[children] == node).all()
        assert nodes.cases[children].sum() == pytest.approx(nodes.cases[node])
