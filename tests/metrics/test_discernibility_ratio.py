"""Goldens: Table 6.2 of the book, whose groups are 4, 2, 2, 2 and 1, and its running example."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from sfumato.data.partition import Partition
from sfumato.datasets import hospital
from sfumato.metrics import Discernibility, DiscernibilityRatio
from sfumato.operations.generalize import generalize_groups, generalize_levels
from tests.metrics import printed
from tests.strategies import grouped_tables


def test_table_6_2():
    candidate = printed.candidate(printed.RED_CROSS)
    assert DiscernibilityRatio().measure(candidate) == 29 / 121


def test_1_when_all_look_the_same():
    everything = generalize_levels(hospital(), {"Job": 2, "Sex": 1, "Age": 2})
    assert DiscernibilityRatio().measure(everything) == 1


def test_a_suppressed_record_looks_like_all():
    """Table 6.2 without its group of four: 2 * 2 three times, 1, and 4 * 11."""
    candidate = printed.candidate(printed.RED_CROSS)
    groups = candidate.groups()
    rest = candidate.suppressing(groups.labels == groups.sizes.argmax())
    assert DiscernibilityRatio().measure(rest) == pytest.approx((13 + 44) / 121)
    nothing = candidate.suppressing(np.ones(len(candidate.published), dtype=bool))
    assert DiscernibilityRatio().measure(nothing) == 1


@given(grouped_tables(max_repeats=3))
def test_it_is_the_chance_that_two_draws_look_the_same(drawn):
    table, labels = drawn
    candidate = generalize_groups(table, Partition.of_labels(labels), sets=True)
    look = np.repeat(candidate.groups().labels, table.counts)
    pairs = (look[:, None] == look[None, :]).mean()
    assert DiscernibilityRatio().measure(candidate) == pytest.approx(pairs)
    assert Discernibility().measure(candidate) == pytest.approx(pairs * table.records**2)
