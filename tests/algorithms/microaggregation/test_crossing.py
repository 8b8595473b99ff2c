import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.crossing import crossed, losses, numbered
from tests.oracles.optimal_microaggregation import sse


def some_labels(random, records, k):
    return numbered(random.permutation(np.minimum(np.arange(records) // k, records // k - 1)))


@given(st.integers(3, 60), st.integers(2, 4), st.integers(0, 10_000), st.integers(0, 8))
def test_is_no_worse_than_either_and_made_of_groups_of_both(records, k, seed, swaps):
    """The other partition differs from the first by a few swaps, so that much of them agrees."""
    if records < k:
        return
    random = np.random.default_rng(seed)
    points, one = random.standard_normal((records, 2)), some_labels(random, records, k)
    other = one.copy()
    for _ in range(swaps):
        here, there = random.integers(0, records, 2)
        other[[here, there]] = other[[there, here]]
    found = crossed(points, one, numbered(other))
    assert sse(points, found) <= min(sse(points, one), sse(points, other)) + 1e-12
    parents = {frozenset(np.flatnonzero(labels == group)) for labels in (one, other) for group in labels}
    assert {frozenset(np.flatnonzero(found == group)) for group in found} <= parents


def test_takes_the_better_part_of_each():
    points = np.array([[0.0], [0.0], [1.0], [1.0], [7.0], [7.0], [8.0], [8.0]])
    one, other = np.array([0, 0, 1, 1, 2, 3, 2, 3]), np.array([0, 1, 0, 1, 2, 2, 3, 3])
    assert sse(points, crossed(points, one, other)) == 0 < min(sse(points, one), sse(points, other))


@given(st.integers(1, 40), st.integers(0, 1_000))
def test_losses_are_those_of_every_group(records, seed):
    random = np.random.default_rng(seed)
    points, labels = random.standard_normal((records, 3)), random.integers(0, 5, records)
    found = losses(points, labels)
    for group in range(labels.max() + 1):
        mine = points[labels == group]
        assert np.isclose(found[group], sse(mine, np.zeros(len(mine))) if len(mine) else 0)


def test_numbers_groups_by_their_first_records():
    assert numbered(np.array([7, 3, 7, 5, 3])).tolist() == [0, 1, 0, 2, 1]
