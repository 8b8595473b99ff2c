import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.mondrian.loops.cuts import Cuts, Rows
from sfumato.algorithms.mondrian.loops.every_cut import every_cut
from sfumato.algorithms.mondrian.loops.lsd_mondrian import squared_deviations
from tests.kernels.cutting import grouped_rows, listed


def deviations(numbers, counts):
    if not counts.sum():
        return 0.0
    return float(counts @ (numbers - np.average(numbers, weights=counts)) ** 2)


def squared_deviations_plain(rows, keys, numbers, starts, stops, cuts):
    """Both sides and the group measured anew for every cut."""
    after, before = [], []
    for group, column, place in zip(cuts.group, cuts.column, cuts.place, strict=True):
        inside = slice(starts[group], stops[group])
        low, counts = keys[inside, column] <= place, rows.counts[inside]
        sides = (deviations(numbers[inside][side], counts[side]) for side in (low, ~low))
        after.append(sum(sides))
        before.append(deviations(numbers[inside], counts))
    return np.array(after), np.array(before)


@given(grouped_rows(), st.data())
def test_deviations_are_what_the_twin_finds(given_rows, data):
    _, _, rows, losses, sizes, starts, stops = given_rows
    cuts = listed(every_cut, rows, losses, sizes, starts, stops, data.draw(st.integers(1, 3)))
    records = len(rows.counts)
    numbers = np.array(data.draw(st.lists(st.floats(-100, 100), min_size=records, max_size=records)))
    found = squared_deviations(rows, rows.codes, numbers, starts, stops, cuts)
    expected = squared_deviations_plain(rows, rows.codes, numbers, starts, stops, cuts)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_small_deviations_far_from_zero_are_not_lost():
    """0, 1, 5 and 6 above a billion: 26 together, 0.5 on each side of the middle."""
    rows = Rows(np.arange(4, dtype=np.int32)[:, None], np.ones(4, dtype=np.int64), np.zeros((4, 0), dtype=np.uint64))
    middle = [np.array([value], dtype=kind) for value, kind in ((0, "i4"), (0, "i4"), (1, "i4"), (2, "i8"))]
    cuts = Cuts(*middle, np.zeros(1), np.zeros(1))
    bounds = np.array([0, 4], dtype=np.int64)
    numbers = 1e9 + np.array([0.0, 1.0, 5.0, 6.0])
    after, before = squared_deviations(rows, rows.codes, numbers, bounds[:1], bounds[1:], cuts)
    assert (after[0], before[0]) == pytest.approx((1.0, 26.0), rel=1e-12)
