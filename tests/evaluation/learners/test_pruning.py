from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.evaluation.learners.loops.tree_growth import Nodes
from sfumato.evaluation.learners.pruning import added_errors, deviate, prune
from tests.oracles.c45_oracle import added


def one(cases: float, wrong: float, confidence: float = 0.25) -> float:
    return float(added_errors(np.array([cases]), np.array([wrong]), confidence)[0])


@pytest.mark.parametrize(("wrong", "cases", "limit"), [(0, 6, 0.206), (0, 9, 0.143), (0, 1, 0.750), (1, 16, 0.157)])
def test_limits_that_quinlan_prints(wrong, cases, limit):
    """Quinlan (1993), section 4.2: upper limits for a confidence of 25 %."""
    assert (wrong + one(cases, wrong)) / cases == pytest.approx(limit, abs=0.0005)


def test_every_branch_of_the_formula_by_hand():
    """z = 0.84 - 0.59 / 4 = 0.6925, so z2 = 0.47955625."""
    assert deviate(0.25) == pytest.approx(0.6925)
    assert one(4, 0) == pytest.approx(4 * (1 - 0.25**0.25))
    inside = 0.47955625 * (2.5 * 0.75 + 0.47955625 / 4)
    assert one(10, 2) == pytest.approx(10 * (2.5 + 0.47955625 / 2 + inside**0.5) / 10.47955625 - 2)
    assert one(4, 0.5) == pytest.approx((one(4, 0) + one(4, 1)) / 2)
    assert one(3, 2.5) == pytest.approx(0.67 * 0.5)


@given(
    st.floats(0.5, 5000),
    st.floats(0, 1),
    st.sampled_from([0.001, 0.01, 0.1, 0.25, 0.3, 0.5, 0.9, 1.0]),
)
def test_many_leaves_at_once_are_the_same_as_one_by_one(cases, share, confidence):
    wrong = cases * share
    assert one(cases, wrong, confidence) == pytest.approx(added(cases, wrong, confidence), abs=1e-9)


def tree(wrong: list[float], cases: list[float]) -> Nodes:
    """A root and its leaves."""
    count = len(cases)
    whole = np.array([0] + [-1] * (count - 1), dtype=np.int32)
    return Nodes(
        column=whole,
        first=np.where(whole == 0, 1, -1).astype(np.int32),
        children=np.where(whole == 0, count - 1, -1).astype(np.int32),
        branch=np.arange(-1, count - 1, dtype=np.int32),
        below=np.full(count, -1, dtype=np.int32),
        above=np.full(count, -1, dtype=np.int32),
        parent=whole.copy() - (whole == 0),
        majority=np.zeros(count, dtype=np.int32),
        cases=np.array(cases),
        wrong=np.array(wrong),
        start=np.zeros(count, dtype=np.int64),
        stop=np.zeros(count, dtype=np.int64),
    )


def test_quinlans_example_of_a_subtree_that_is_replaced():
    """Section 4.2: leaves of 6, 9 and 1 cases expect 3.273 errors, one leaf of 16 with one error 2.512."""
    whole = tree([1, 0, 0, 0], [16, 6, 9, 1])
    assert prune(whole, 0.25).column.tolist() == [-1, -1, -1, -1]
    assert whole.column.tolist() == [0, -1, -1, -1]


def test_branches_that_err_less_stay():
    """Two pure leaves of 10 expect 2 * 10 * (1 - 0.25 ** 0.1) = 2.59 errors; one leaf of 20 has 10 wrong already."""
    assert prune(tree([10, 0, 0], [20, 10, 10]), 0.25).column.tolist() == [0, -1, -1]


def test_branches_that_err_as_often_as_a_leaf_in_training_go():
    """Even where nothing else is pruned: the branches get as many wrong as the leaf does."""
    assert prune(tree([3, 1, 2], [100, 50, 50]), 1.0).column.tolist() == [-1, -1, -1]


def test_the_bonus_of_a_leaf():
    """A confidence of 1 adds half an error to each one seen: a leaf with 1.5 against 1.41 and 1.395 and a tenth."""
    assert prune(tree([1, 0.94, 0], [100, 50, 50]), 1.0).column[0] == -1
    assert prune(tree([1, 0.93, 0], [100, 50, 50]), 1.0).column[0] == 0
