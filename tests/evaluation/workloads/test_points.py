from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import UsageError
from sfumato.evaluation.workloads import points
from sfumato.evaluation.workloads.points import points_of
from sfumato.operations.generalize import generalize_groups
from tests.golden import workers
from tests.strategies import grouped_tables


def numbers(values: list[str | None]) -> Table:
    return Table.of_rows(Schema.of(quasi=["n"], kinds={"n": "number"}), {"n": values})


def test_a_number_is_its_z_score():
    """1, 1, 1 and 5 have mean 2 and standard deviation the root of 3; equal records are one row that weighs 3."""
    table = numbers(["1", "1", "1", "5"])
    assert table.counts.tolist() == [3, 1]
    assert points_of(table)[:, 0] == pytest.approx([-1 / 3**0.5, 3 / 3**0.5])


def test_a_category_has_a_coordinate_of_its_own():
    """Two of a and two of b: each coordinate varies by 1/4, so both are stretched by the root of 2."""
    table = Table.of_rows(Schema.of(quasi=["c"]), {"c": ["a", "a", "b", "b"]})
    assert points_of(table).tolist() == [
        [pytest.approx(0.5 * 2**0.5), pytest.approx(-0.5 * 2**0.5)],
        [pytest.approx(-0.5 * 2**0.5), pytest.approx(0.5 * 2**0.5)],
    ]


def test_a_missing_number_lies_apart_from_all_others():
    table = numbers(["1", "2", "3", None])
    found = points_of(table)
    assert found.shape == (4, 2)
    assert len(set(found[:3, 1].tolist())) == 1
    assert found[3, 1] != found[0, 1]
    assert found[3, 0] == pytest.approx(found[1, 0])


@pytest.mark.parametrize("values", [["0.1"] * 7, [None] * 3])
def test_a_column_of_one_value_says_nothing(values):
    assert not points_of(numbers(values)).any()


@given(grouped_tables(max_repeats=3))
def test_every_column_that_varies_weighs_the_same(drawn):
    table, labels = drawn
    published = generalize_groups(table, Partition.of_labels(labels), sets=True).published
    for shown, midpoints in ((table, True), (published, True), (published, False)):
        found = points_of(shown, midpoints=midpoints)
        spread = (shown.counts @ (found**2)).sum() / shown.records
        varying = sum(len(np.unique(_looks(shown, name, midpoints))) > 1 for name in shown.schema.quasi)
        assert spread == pytest.approx(varying, abs=1e-9)
        assert shown.counts @ found == pytest.approx(np.zeros(found.shape[1]), abs=1e-9)


def _looks(table: Table, name: str, midpoints: bool) -> np.ndarray:
    """What tells two rows apart in one column: the place if it has one, else the code."""
    places = points._places(table.domains[name], midpoints=midpoints)
    return table.codes[name] if places is None else np.nan_to_num(places, nan=1e9)[table.codes[name]]


def test_published_ranges_lie_in_their_middle():
    """Table 7.2: twelve records between 30 and 35, and 22 between 37 and 44."""
    seen = workers.table_7_2(workers.workers()).published_rows
    place = points._places(seen.domains["Age"], midpoints=True)
    assert sorted(place.tolist()) == [32.5, 40.5]
    assert points._places(seen.domains["Age"], midpoints=False) is None
    assert points_of(seen).shape[1] == 5 + 1 + 1
    assert points_of(seen, midpoints=False).shape[1] == 5 + 1 + 2


def test_a_range_that_mixes_in_missing_values_is_one_of_the_others():
    table = numbers(["1", "2", "5", None])
    published = generalize_groups(
        table, Partition.of_labels(np.array([0, 1, 1, 1], dtype=np.int32)), sets=True
    ).published
    places = points._places(published.domains["n"], midpoints=True)
    assert places[published.codes["n"]].tolist() == [1.0, 3.0, 3.0, 3.0]


def test_too_many_coordinates_are_refused(monkeypatch):
    monkeypatch.setattr(points, "MOST_CELLS", 10)
    table = Table.of_rows(Schema.of(quasi=["c"]), {"c": list("abcd")})
    with pytest.raises(UsageError, match="4 points with 4 coordinates"):
        points_of(table)
