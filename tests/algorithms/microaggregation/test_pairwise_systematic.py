from __future__ import annotations

import pytest

from sfumato.algorithms import PairwiseSystematic
from sfumato.algorithms.microaggregation.pairwise_groups import pairwise_groups
from sfumato.errors import ParameterError
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


@pytest.mark.parametrize("nearest", ["seed", "centroid"])
@pytest.mark.parametrize("last", ["held", "retaken"])
def test_every_reading_publishes_its_groups(nearest, last):
    table = numbers_table()
    expected = pairwise_groups(points_of(table), 4, nearest=nearest, last=last)
    assert grouped(PairwiseSystematic(nearest=nearest, last=last), table, 4) == groups_of(expected)


def test_the_readings_differ():
    table = numbers_table()
    assert grouped(PairwiseSystematic(), table, 4) != grouped(PairwiseSystematic(nearest="seed"), table, 4)


def test_another_reading_is_refused():
    with pytest.raises(ParameterError, match="'nearest' of PairwiseSystematic"):
        PairwiseSystematic(nearest="median")
