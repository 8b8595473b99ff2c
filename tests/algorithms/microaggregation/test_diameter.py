from __future__ import annotations

from sfumato.algorithms import Diameter, MaximumDistance
from sfumato.algorithms.microaggregation.diameter import diameter_groups
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


def test_the_groups_of_standardized_columns_are_published():
    table = numbers_table(62)
    assert grouped(Diameter(), table, 5) == groups_of(diameter_groups(points_of(table), 5))


def test_only_the_end_differs_from_maximum_distance():
    """Of 66 records in groups of 10 six are left over after three pairs, of 76 sixteen."""
    assert grouped(Diameter(), numbers_table(66), 10) == grouped(MaximumDistance(), numbers_table(66), 10)
    one, other = grouped(Diameter(), numbers_table(76), 10), grouped(MaximumDistance(), numbers_table(76), 10)
    assert sorted(map(len, other)) == [10] * 6 + [16]
    assert max(map(len, one)) < 16
