import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.mondrian.loops.every_cut import every_cut
from sfumato.algorithms.mondrian.loops.info_gain_mondrian import class_bits
from sfumato.metrics.information_gain import entropy
from tests.kernels.cutting import grouped_rows, listed
from tests.oracles import plain_cuts as plain


def class_bits_plain(rows, keys, values, domain, starts, stops, cuts):
    """Both sides counted anew for every cut."""
    lefts = plain.left_counts_plain(rows, keys, values, domain, starts, stops, cuts)
    everything = cuts._replace(place=np.full(len(cuts.group), 99, dtype=np.int32))
    whole = plain.left_counts_plain(rows, keys, values, domain, starts, stops, everything)
    sides = [counts.sum(axis=1) * entropy(counts) for counts in (lefts, whole - lefts, whole)]
    return sides[0] + sides[1], sides[2]


@given(grouped_rows(), st.data())
def test_bits_are_what_the_twin_finds(given_rows, data):
    _, _, rows, losses, sizes, starts, stops = given_rows
    cuts = listed(every_cut, rows, losses, sizes, starts, stops, data.draw(st.integers(1, 3)))
    records = len(rows.counts)
    values = np.array(data.draw(st.lists(st.integers(0, 4), min_size=records, max_size=records)), dtype=np.int32)
    found = class_bits(rows, rows.codes, values, 6, starts, stops, cuts)
    expected = class_bits_plain(rows, rows.codes, values, 6, starts, stops, cuts)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(grouped_rows())
def test_one_class_leaves_exactly_nothing_open(given_rows):
    _, _, rows, losses, sizes, starts, stops = given_rows
    cuts = listed(every_cut, rows, losses, sizes, starts, stops, 1)
    values = np.full(len(rows.counts), 2, dtype=np.int32)
    after, before = class_bits(rows, rows.codes, values, 3, starts, stops, cuts)
    assert not after.any()
    assert not before.any()
