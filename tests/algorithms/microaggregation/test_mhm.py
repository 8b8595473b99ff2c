from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import MaximumDistance, Mhm
from sfumato.algorithms.microaggregation.cbfs import cbfs_groups
from sfumato.algorithms.microaggregation.maximum_distance import maximum_distance_groups
from sfumato.algorithms.microaggregation.mdav import mdav_groups
from sfumato.algorithms.microaggregation.mhm import path_along_groups, path_groups
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.golden.reference_sets import SIZES, loss, printed, reference_set
from tests.oracles import plain_paths
from tests.oracles.optimal_microaggregation import sse
from tests.oracles.small_points import numbered, same, small_points


@pytest.mark.parametrize("path", ["npn", "md", "mdav", "cbfs"])
def test_the_groups_of_standardized_columns_are_published(path):
    table = numbers_table()
    assert grouped(Mhm(path=path), table, 4) == groups_of(path_groups(points_of(table), 4, path))


def test_only_the_path_that_compares_all_pairs_is_refused_on_many_records():
    assert Mhm(path="md")._limit() == MaximumDistance.most_rows == 20_000
    assert Mhm()._limit() is None


NEAREST_NEXT = {
    "census": ("6.2106", "8.9586", "11.0541", "20.2272"),
    "tarragona": ("17.5258", "21.6916", "28.1666", "38.7184"),
    "eia": ("0.4994", "0.6872", "0.9990", "2.4931"),
}
"""With another program for the cuts than this one."""

ALONG_GROUPS = {
    ("tarragona", "mdav"): (16.927, 22.048, 33.188),
    ("census", "mdav"): (5.650, 9.087, 14.156),
    ("census", "md"): (5.690, 8.987, 14.382),
    ("census", "cbfs"): (5.626, 8.879, 14.002),
}
"""For groups of 3, 5 and 10, by another program than this one, with the lower record of each pair of md first."""


@pytest.mark.parametrize("name", NEAREST_NEXT)
def test_losses_of_the_nearest_point_next(name):
    points = reference_set(name)
    for k, figure in zip(SIZES, NEAREST_NEXT[name], strict=True):
        assert loss(points, path_groups(points, k, "npn")) == printed(figure)


@pytest.mark.parametrize(("name", "path"), ALONG_GROUPS)
def test_losses_along_the_groups_of_others(name, path):
    points = reference_set(name)
    losses = [loss(points, path_groups(points, k, path, "lowest")) for k in (3, 5, 10)]
    assert losses == pytest.approx(ALONG_GROUPS[name, path], abs=6e-4)


@pytest.mark.parametrize("path", ["npn", "md", "mdav", "cbfs"])
@given(small_points(), st.integers(1, 5))
def test_groups_have_their_sizes(path, points, k):
    assert numbered(path_groups(points, k, path), k, 2 * k - 1)


@given(small_points(), st.integers(1, 5))
def test_what_is_cut_out_is_no_worse_than_the_groups_it_came_from(points, k):
    guides = {"mdav": mdav_groups(points, k, ending="mdav"), "cbfs": cbfs_groups(points, k)}
    guides["md"] = maximum_distance_groups(points, k)
    for path, guide in guides.items():
        assert sse(points, path_groups(points, k, path)) <= sse(points, guide) + 1e-9


@given(small_points(most=15), st.integers(0, 2**32))
def test_the_way_through_groups_is_the_plain_one(points, seed):
    random = np.random.default_rng(seed)
    points = points + random.random(points.shape)  # means of equal groups are rounded as it falls
    labels = np.unique(random.integers(0, 5, len(points)), return_inverse=True)[1].astype(np.int32)
    groups = [np.flatnonzero(labels == group).tolist() for group in range(int(labels.max()) + 1)]
    assert path_along_groups(points, labels).tolist() == plain_paths.chained(points, groups)


@pytest.mark.parametrize("path", ["npn", "md", "mdav", "cbfs"])
def test_the_order_of_records_does_not_matter(path):
    points = np.random.default_rng(1).standard_normal((95, 3))
    order = np.random.default_rng(2).permutation(95)
    shuffled = path_groups(points[order], 5, path)
    groups = [order[shuffled == group].tolist() for group in range(int(shuffled.max()) + 1)]
    assert same(path_groups(points, 5, path), groups)
