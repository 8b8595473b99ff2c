from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import FuzzyCMeans
from sfumato.algorithms.microaggregation.fuzzy_c_means import fuzzy_groups
from sfumato.errors import ParameterError
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.golden.reference_sets import loss, reference_set
from tests.oracles.small_points import numbered, small_points


def test_the_groups_of_standardized_columns_are_published():
    table, way = numbers_table(), FuzzyCMeans(fuzziness=1.2, steps=3)
    expected = fuzzy_groups(points_of(table), 4, np.random.default_rng(3), fuzziness=1.2, steps=3)
    assert grouped(way, table, 4, seed=3) == groups_of(expected)


def test_without_fuzziness_there_are_no_shares():
    with pytest.raises(ParameterError, match="'fuzziness' of FuzzyCMeans must be number > 1"):
        FuzzyCMeans(fuzziness=1.0)


def found(points, k, seed=0, fuzziness=1.1, steps=5):
    return fuzzy_groups(points, k, np.random.default_rng(seed), fuzziness=fuzziness, steps=steps)


@given(small_points(), st.integers(1, 5), st.sampled_from([1.05, 1.5, 3.0]))
def test_groups_have_their_sizes(points, k, fuzziness):
    assert numbered(found(points, k, fuzziness=fuzziness), k, 2 * k - 1)


@pytest.mark.parametrize("name", ["census", "tarragona"])
def test_groups_are_far_better_than_by_chance(name):
    points = reference_set(name)
    random = np.random.default_rng(0).permutation(len(points)) % (len(points) // 5)
    assert loss(points, found(points, 5)) < 0.4 * loss(points, random)


def test_clumps_are_found():
    points = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 4, axis=0) + np.random.default_rng(0).random((12, 2))
    labels = found(points, 4)
    assert sorted(np.bincount(labels).tolist()) == [4, 4, 4]
    assert all(len(set(labels[first : first + 4].tolist())) == 1 for first in (0, 4, 8))


def test_many_records_at_one_place_are_dealt_out():
    assert np.bincount(found(np.zeros((3001, 2)), 3)).tolist() == [3] * 999 + [4]


def test_the_seed_decides():
    points = np.random.default_rng(0).standard_normal((200, 3))
    one, again, other = (found(points, 4, seed).tolist() for seed in (1, 1, 2))
    assert one == again != other
