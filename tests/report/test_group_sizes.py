from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.report.group_sizes import GroupSizes, SizeBar
from tests.report.releases import book, without_group_of


def test_table_2_4_has_one_group_of_three_and_one_of_four():
    found = GroupSizes.of(book().groups)
    assert found.bars == (SizeBar(3, 3, 1, 3), SizeBar(4, 4, 1, 4))
    assert (found.groups, found.records, found.smallest, found.largest, found.average) == (2, 7, 3, 4, 3.5)


def test_nothing_published_has_no_bars():
    assert GroupSizes.of(without_group_of(7).groups).bars == ()


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=60))
def test_every_group_stands_in_exactly_one_bar(sizes):
    table = Table.of_rows(Schema.of(quasi=["q"]), {"q": ["x"]})
    found = GroupSizes.of(Groups.of_matrices(table, np.array(sizes), {}))
    assert len(found.bars) <= 14
    assert sum(bar.groups for bar in found.bars) == len(sizes)
    assert sum(bar.records for bar in found.bars) == sum(sizes)
    for bar in found.bars:
        assert bar.groups == sum(bar.low <= size <= bar.high for size in sizes)
