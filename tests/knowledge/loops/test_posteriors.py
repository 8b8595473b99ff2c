"""Each way in the kernel against its plain twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from sfumato.kernels.bit_sets import add, words
from sfumato.knowledge.inference import exact, maximum_entropy, omega
from sfumato.knowledge.loops.posteriors import share_by_entropy, share_by_weight, share_evenly, share_exactly
from sfumato.knowledge.matching import valid_values
from tests.knowledge.test_inference import single_groups


def counted(group):
    values, classes, chances = group
    return np.array(values), np.array(classes), chances, np.empty(chances.shape)


@given(single_groups(10))
def test_exactly(group):
    *given_group, found = counted(group)
    assert share_exactly(*given_group, found)
    np.testing.assert_allclose(found, exact(*group), atol=1e-12)


@pytest.mark.parametrize("chance", [0.11, 1e-6, 1e-30])
def test_exactly_in_large_groups_that_nobody_expected(chance):
    *given_group, found = counted(([399, 1], [1, 399], np.array([[chance, 1.0], [chance, 0.5]])))
    assert share_exactly(*given_group, found)
    np.testing.assert_allclose(found[:, 1], [1 / (1 + 399 / 2), 0.5 / (1 + 399 / 2)], rtol=1e-9)


def test_what_floating_point_cannot_hold_is_not_inferred():
    *given_group, found = counted(([6, 2], [4, 4], np.array([[1.0, 5e-324], [5e-324, 1.0]])))
    assert not share_exactly(*given_group, found)


@given(single_groups(20, 6))
def test_by_weight(group):
    *given_group, found = counted(group)
    share_by_weight(*given_group, found)
    np.testing.assert_allclose(found, omega(*group), atol=1e-12)


@given(single_groups(20, 5))
def test_by_entropy(group):
    """Scaling in turn comes to what Newton's method finds."""
    values, classes, chances, found = counted(group)
    open_ = np.zeros((len(classes), words(len(values))), dtype=np.uint64)
    for place, value in zip(*np.nonzero(valid_values(values, classes, chances <= 0)), strict=True):
        add(open_[place], value)
    assert share_by_entropy(values, classes, chances, open_, found, 10_000, 1e-12)
    np.testing.assert_allclose(found, maximum_entropy(*group), atol=1e-8)


def test_too_few_rounds_are_told():
    open_ = np.full((2, 1), 3, dtype=np.uint64)
    ones = np.ones(2, dtype=np.int64)
    chances = np.array([[1.0, 0.01], [0.5, 0.5]])
    assert not share_by_entropy(ones, ones, chances, open_, np.empty((2, 2)), 1, 1e-12)


def test_evenly():
    found = np.empty((3, 2))
    share_evenly(np.array([1, 3]), found)
    np.testing.assert_array_equal(found, [[0.25, 0.75]] * 3)
