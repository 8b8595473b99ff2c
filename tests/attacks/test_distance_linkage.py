from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks import DistanceLinkage
from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.errors import UsageError

numbers = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8)


def slow(masked: PairedNumbers) -> float:
    """Every pair of records, one after the other."""
    scale = masked.original.std(axis=0)
    scale[scale == 0] = 1
    hits = 0.0
    for here, one in enumerate(masked.published):
        apart = [float(np.linalg.norm((one - other) / scale)) for other in masked.original]
        nearest = [place for place, distance in enumerate(apart) if distance <= min(apart) + 1e-9]
        hits += (here in nearest) / len(nearest)
    return hits / len(masked.original)


@given(numbers, st.data())
def test_against_every_pair(before, data):
    after = data.draw(st.lists(st.sampled_from(before), min_size=len(before), max_size=len(before)))
    masked = PairedNumbers.of_arrays(before, after)
    assert DistanceLinkage().run(masked).rate == pytest.approx(slow(masked))


def test_rows_stand_for_records():
    before, after, counts = [[1], [2], [9]], [[1.2], [1.4], [8]], [2, 1, 3]
    counted = DistanceLinkage().run(PairedNumbers.of_arrays(before, after, counts=counts))
    every = DistanceLinkage().run(PairedNumbers.of_arrays(np.repeat(before, counts), np.repeat(after, counts)))
    assert (counted.rate, counted.people) == (pytest.approx(every.rate), every.people)
    assert counted.rate == pytest.approx((2 / 2 + 3 / 3) / 6)
    assert counted.baseline == pytest.approx(1 / 6)


def test_scales_matter_unless_columns_count_alike():
    pair = PairedNumbers.of_arrays([[0, 0], [1, 1000], [2, 0]], [[0, 900], [1, 900], [2, 400]])
    assert DistanceLinkage(standardize=False).run(pair).rate == pytest.approx((0 + 1 + 1) / 3)
    assert DistanceLinkage().run(pair).rate == pytest.approx((0 + 1 + 1) / 3)
    pair = PairedNumbers.of_arrays([[0, 0], [1, 10]], [[1, 0], [1, 10]])
    assert DistanceLinkage(standardize=False).run(pair).rate == 1
    assert DistanceLinkage().run(pair).rate == pytest.approx(0.5 * (1 / 2 + 1))


def test_records_that_miss_a_number_are_left_out():
    result = DistanceLinkage().run(PairedNumbers.of_arrays([1, 2, np.nan], [1, 2, 3]))
    assert (result.people, result.rate) == (2, 1)
    with pytest.raises(UsageError, match="nobody to attack"):
        DistanceLinkage().run(PairedNumbers.of_arrays([np.nan], [1]))


@pytest.mark.parametrize("numbers", [np.r_[1e12, np.arange(1, 500.0)], np.arange(100.0) * 1e-12])
def test_one_large_number_or_a_small_unit_does_not_hide_anybody(numbers):
    """Nothing was masked, so everybody is found, whatever the scale."""
    for standardize in (True, False):
        assert DistanceLinkage(standardize=standardize).run(PairedNumbers.of_arrays(numbers, numbers)).rate == 1.0
