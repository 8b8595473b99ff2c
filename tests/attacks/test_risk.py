"""Goldens by hand on Table 2.4 (golden B4: groups of 3 and 4) and Table 2.5 (golden B5: groups of 4 and 5)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.risk import Risk
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.disclosure.groups import Groups
from sfumato.errors import ParameterError
from sfumato.operations.generalize import generalize_levels


def published() -> Groups:
    return generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}).groups()


def population() -> Groups:
    jobs = ["Artist"] * 5 + ["Professional"] * 4
    return Groups.of(Table.of_rows(Schema.of(quasi=["Job"]), {"Job": jobs}), ["Job"])


def test_prosecutor_and_marketer_on_table_2_4():
    risk = Risk.of(published())
    assert risk.prosecutor.highest == 1 / 3
    assert risk.prosecutor.average == pytest.approx(2 / 7)
    assert risk.marketer == pytest.approx(2 / 7)
    assert risk.records == 7


@pytest.mark.parametrize(("threshold", "share"), [(0.2, 1), (0.25, 3 / 7), (0.3, 3 / 7), (1 / 3, 0)])
def test_share_above_a_threshold_counts_records(threshold, share):
    assert Risk.of(published(), threshold=threshold).prosecutor.share_above == pytest.approx(share)


def test_without_a_population_the_journalist_equals_the_prosecutor_and_says_so():
    risk = Risk.of(published())
    assert risk.journalist == risk.prosecutor
    assert not risk.population_known
    assert risk.to_dict()["journalist"]["population_known"] is False


def test_journalist_reads_the_population_of_table_2_5():
    risk = Risk.of(published(), population())
    assert risk.journalist.highest == 1 / 4
    assert risk.journalist.average == pytest.approx(2 / 9)
    assert risk.journalist.share_above == pytest.approx(4 / 9)
    assert risk.prosecutor.highest == 1 / 3
    assert risk.population_known


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40), st.sampled_from([0.05, 0.2, 0.5, 1.0]))
def test_a_histogram_of_sizes_equals_one_loop_over_records(sizes, threshold):
    chances = [1 / size for size in sizes for _ in range(size)]
    distinct, how_many = np.unique(sizes, return_counts=True)
    risk = Risk.of_sizes(distinct, how_many, threshold=threshold)
    assert risk.prosecutor.highest == max(chances)
    assert risk.prosecutor.average == pytest.approx(sum(chances) / len(chances))
    assert risk.prosecutor.share_above == pytest.approx(sum(chance > threshold for chance in chances) / len(chances))


def test_sizes_that_no_group_has_do_not_count():
    assert Risk.of_sizes([1, 4], [0, 2]) == Risk.of_sizes([4], [2])


def test_nobody_is_found_in_an_empty_release():
    risk = Risk.of_sizes([], [])
    assert (risk.records, risk.prosecutor.highest, risk.marketer) == (0, 0.0, 0.0)


@pytest.mark.parametrize(("sizes", "how_many"), [([0], [3]), ([1, 2], [1]), ([2], [-1])])
def test_a_strange_histogram_is_refused(sizes, how_many):
    with pytest.raises(ParameterError, match="histogram of group sizes"):
        Risk.of_sizes(sizes, how_many)


@pytest.mark.parametrize("threshold", [0, 1.5, float("nan")])
def test_a_threshold_is_a_chance(threshold):
    with pytest.raises(ParameterError, match="threshold"):
        Risk.of(published(), threshold=threshold)
