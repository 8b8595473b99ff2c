"""The calibration of intervals, on the data set that needs no file."""

from __future__ import annotations

import pytest
from benchmarks.estimated import DATA_SETS, calibrate, ways


@pytest.mark.parametrize("asked", ["counts", "sums", "averages"])
def test_random_buckets_are_calibrated(asked: str) -> None:
    found = calibrate(folder="", name="census", way="anatomy", asked=asked, releases=1, queries=6)
    assert (found["certain"], found["offered"], found["asked"]) == (1.0, True, 6)
    assert found["coverage"][0] >= 5 / 6
    assert 0 < found["width"][1] <= found["width"][0] <= 1


def test_other_buckets_offer_no_interval() -> None:
    found = calibrate(folder="", name="census", way="injector, guarded", asked="counts", releases=1, queries=3)
    assert (found["certain"], found["offered"], found["asked"]) == (1.0, False, 3)


def test_each_data_set_is_asked_in_the_same_ways() -> None:
    names = [list(ways(data)) for data in DATA_SETS.values()]
    assert len(names) == 5
    assert all(one == names[0] for one in names)
