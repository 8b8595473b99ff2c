import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.mondrian.loops.median_cuts import halving_cuts, median_cuts, ranks
from tests.kernels.cutting import grouped_rows, listed, same
from tests.oracles import plain_cuts as plain


@given(grouped_rows(), st.integers(1, 4))
def test_median_cuts_are_what_the_twin_finds(given_rows, least):
    _, _, rows, losses, sizes, starts, stops = given_rows
    expected = plain.median_cuts_plain(rows, losses, sizes, starts, stops, least)
    same(listed(median_cuts, rows, losses, sizes, starts, stops, least), expected)


@given(grouped_rows(counted=False), st.integers(1, 4))
def test_halving_cuts_are_what_the_twin_finds(given_rows, least):
    _, _, rows, losses, sizes, starts, stops = given_rows
    expected = plain.halving_cuts_plain(rows, losses, sizes, starts, stops, least)
    same(listed(halving_cuts, rows, losses, sizes, starts, stops, least), expected)


@given(grouped_rows())
def test_ranks_are_what_the_twin_finds(given_rows):
    _, _, rows, _, sizes, starts, stops = given_rows
    np.testing.assert_array_equal(ranks(rows.codes, sizes, starts, stops), plain.ranks_plain(rows.codes, starts, stops))
