from __future__ import annotations

import pytest

from sfumato.algorithms import MaximumDistance
from sfumato.algorithms.microaggregation.maximum_distance_groups import maximum_distance_groups
from sfumato.errors import UnsuitableError
from sfumato.models import KAnonymity
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


def test_the_groups_of_standardized_columns_are_published():
    table = numbers_table()
    assert grouped(MaximumDistance(), table, 4) == groups_of(maximum_distance_groups(points_of(table), 4))


def test_many_records_are_refused_with_a_way_out(monkeypatch):
    monkeypatch.setattr(MaximumDistance, "most_rows", 59)
    with pytest.raises(UnsuitableError, match=r"60 are more than the 59 .* rows_at_once = 5 "):
        MaximumDistance().anonymize(numbers_table(), KAnonymity(k=4))
    assert len(grouped(MaximumDistance(patient=True), numbers_table(), 4)) == 15
    assert len(grouped(MaximumDistance(rows_at_once=30), numbers_table(), 4)) == 14
