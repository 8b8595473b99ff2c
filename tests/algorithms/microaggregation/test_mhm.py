from __future__ import annotations

import pytest

from sfumato.algorithms import MaximumDistance, Mhm
from sfumato.algorithms.microaggregation.path_groups import path_groups
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


@pytest.mark.parametrize("path", ["npn", "md", "mdav", "cbfs"])
def test_the_groups_of_standardized_columns_are_published(path):
    table = numbers_table()
    assert grouped(Mhm(path=path), table, 4) == groups_of(path_groups(points_of(table), 4, path))


def test_only_the_path_that_compares_all_pairs_is_refused_on_many_records():
    assert Mhm(path="md")._limit() == MaximumDistance.most_rows == 20_000
    assert Mhm()._limit() is None
