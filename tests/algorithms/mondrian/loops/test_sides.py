import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.mondrian.loops.every_cut import every_cut
from sfumato.algorithms.mondrian.loops.sides import side_counts, split
from tests.kernels.cutting import grouped_rows, listed
from tests.oracles import plain_cuts as plain


@given(grouped_rows())
def test_counts_on_both_sides_of_a_cut_are_what_the_twin_finds(given_rows):
    table, _, rows, losses, sizes, starts, stops = given_rows
    cuts = listed(every_cut, rows, losses, sizes, starts, stops, 1)
    name = table.schema.sensitive[0]
    values, domain = table.codes[name], len(table.domains[name])
    left, right = side_counts(rows, rows.codes, values, domain, starts, stops, cuts)
    np.testing.assert_array_equal(left, plain.left_counts_plain(rows, rows.codes, values, domain, starts, stops, cuts))
    everything = cuts._replace(place=np.full(len(cuts.group), 99, dtype=np.int32))
    np.testing.assert_array_equal(
        left + right, plain.left_counts_plain(rows, rows.codes, values, domain, starts, stops, everything)
    )


@given(grouped_rows(), st.data())
def test_splitting_moves_whole_rows(given_rows, data):
    _, _, rows, _, _, starts, stops = given_rows
    column = np.array([data.draw(st.integers(0, rows.codes.shape[1] - 1)) for _ in starts], dtype=np.int32)
    place = np.array([data.draw(st.integers(0, 4)) for _ in starts], dtype=np.int32)
    before = np.column_stack([rows.codes, rows.counts, np.arange(len(rows.counts))])
    order = np.arange(len(rows.counts), dtype=np.int64)
    middle = split(rows, order, rows.codes, starts, stops, column, place)
    np.testing.assert_array_equal(np.column_stack([rows.codes, rows.counts, order]), before[order])
    for group, (start, stop) in enumerate(zip(starts, stops, strict=True)):
        assert sorted(order[start:stop]) == list(range(start, stop))
        keys = rows.codes[start:stop, column[group]] <= place[group]
        assert keys[: middle[group] - start].all()
        assert not keys[middle[group] - start :].any()
