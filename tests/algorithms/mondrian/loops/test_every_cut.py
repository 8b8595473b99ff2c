from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.mondrian.loops.every_cut import every_cut
from tests.kernels.cutting import grouped_rows, listed, same
from tests.oracles import plain_cuts as plain


@given(grouped_rows(), st.integers(1, 4))
def test_every_cut_is_what_the_twin_finds(given_rows, least):
    _, _, rows, losses, sizes, starts, stops = given_rows
    expected = plain.every_cut_plain(rows, losses, starts, stops, least)
    same(listed(every_cut, rows, losses, sizes, starts, stops, least), expected)
    same(listed(every_cut, rows, losses, sizes, starts, stops, least, capacity=int(sizes.sum())), expected)
