from __future__ import annotations

import pytest

from sfumato.algorithms import Mst
from sfumato.algorithms.microaggregation.mst_groups import mst_groups
from sfumato.errors import ParameterError
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


@pytest.mark.parametrize("split", ["diameter", "cbfs", "mdav"])
def test_the_groups_of_standardized_columns_are_published(split):
    table = numbers_table()
    assert grouped(Mst(split=split), table, 4) == groups_of(mst_groups(points_of(table), 4, split))


def test_other_ways_to_split_are_refused():
    with pytest.raises(ParameterError, match="'split' of Mst must be one of 'diameter', 'cbfs', 'mdav'"):
        Mst(split="d")
