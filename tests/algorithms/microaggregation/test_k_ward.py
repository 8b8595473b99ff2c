from __future__ import annotations

from sfumato.algorithms import KWard
from sfumato.algorithms.microaggregation.ward_groups import ward_groups
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


def test_the_groups_of_standardized_columns_are_published():
    table = numbers_table()
    assert grouped(KWard(), table, 4) == groups_of(ward_groups(points_of(table), 4))


def test_all_pairs_are_compared_only_up_to_a_size():
    assert KWard.most_rows == 20_000
