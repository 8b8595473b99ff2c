from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError, UsageError
from sfumato.evaluation.workloads import Split


def test_the_first_records():
    ((train, test),) = Split.first(3, 5).folds
    assert (train.tolist(), test.tolist()) == ([0, 1, 2], [3, 4])


@given(st.integers(2, 200), st.integers(0, 3))
def test_two_thirds_at_random(total, seed):
    ((train, test),) = Split.at_random(total, seed=seed).folds
    assert len(train) == total * 2 // 3
    assert sorted([*train.tolist(), *test.tolist()]) == list(range(total))


@given(st.data())
def test_every_record_is_tested_once(data):
    total = data.draw(st.integers(2, 60))
    folds = data.draw(st.integers(2, total))
    split = Split.into_folds(total, folds, seed=data.draw(st.integers(0, 3)))
    assert len(split.folds) == folds
    assert sorted(np.concatenate([test for _, test in split.folds]).tolist()) == list(range(total))
    for train, test in split.folds:
        assert sorted([*train.tolist(), *test.tolist()]) == list(range(total))
        assert abs(len(test) - total / folds) < 1


def test_seeds_decide():
    one, same, other = (Split.at_random(50, seed=seed).folds[0][0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert one.tolist() != other.tolist()
    assert Split.into_folds(50, seed=1).folds[0][1].tolist() != Split.into_folds(50, seed=2).folds[0][1].tolist()


def test_splits_describe_themselves():
    assert Split.first(3, 5).described == "the first 3 records for training, the other 2 for testing"
    assert "seed 7" in Split.at_random(9, seed=7).described
    assert Split.into_folds(9, 3).described.startswith("3-fold cross-validation over 9 records")


@pytest.mark.parametrize("n_train", [0, 5, 6])
def test_both_sides_need_records(n_train):
    with pytest.raises(ParameterError, match=f"below the 5 records; got {n_train}"):
        Split.first(n_train, 5)


@pytest.mark.parametrize("share", [0.0, 0.1, 1.0, 2.0, -1.0])
def test_shares_that_leave_a_side_empty(share):
    with pytest.raises(ParameterError, match="both sides"):
        Split.at_random(5, share)


@pytest.mark.parametrize("folds", [1, 6])
def test_as_many_folds_as_records_at_most(folds):
    with pytest.raises(ParameterError, match=f"between 2 and the 5 records; got {folds}"):
        Split.into_folds(5, folds)


def test_splits_of_ones_own_are_looked_at():
    some, none = np.array([0, 1]), np.array([], dtype=np.int64)
    with pytest.raises(UsageError, match="at least one fold"):
        Split(())
    with pytest.raises(UsageError, match="one to test on"):
        Split(((some, none),))
    with pytest.raises(UsageError, match="keep them separate"):
        Split(((some, np.array([1, 2])),))
    with pytest.raises(UsageError, match="at least 6 records, and there are 5"):
        Split(((some, np.array([5])),)).check_against(5)
    with pytest.raises(UsageError, match="there are 5"):
        Split(((some, np.array([-1])),)).check_against(5)
    assert Split(((some, np.array([2])),)).check_against(3) is None
