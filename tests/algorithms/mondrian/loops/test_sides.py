import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.mondrian.loops.cuts import Cuts
from sfumato.algorithms.mondrian.loops.every_cut import every_cut
from sfumato.algorithms.mondrian.loops.sides import side_cells, split
from tests.kernels.cutting import grouped_rows, listed
from tests.oracles import plain_cuts as plain


def matrices(sides, domain):
    """The cells of both sides of all cuts as matrices, after a look at their form."""
    for side in sides:
        assert side.starts[0] == 0
        assert side.starts[-1] == len(side.values) == len(side.counts)
        assert (side.counts > 0).all()
        matrix = np.zeros((len(side.starts) - 1, domain), dtype=np.int64)
        for cut, (start, stop) in enumerate(zip(side.starts[:-1], side.starts[1:], strict=True)):
            assert (np.diff(side.values[start:stop]) > 0).all()
            matrix[cut, side.values[start:stop]] = side.counts[start:stop]
        yield matrix


@given(grouped_rows(), st.data())
def test_the_values_on_both_sides_of_a_cut_are_what_the_twin_finds(given_rows, data):
    _, _, rows, losses, sizes, starts, stops = given_rows
    cuts = listed(every_cut, rows, losses, sizes, starts, stops, 1)
    first = data.draw(st.integers(0, len(cuts.group)))  # blocks of cuts may begin and end inside a run
    stop = data.draw(st.integers(first, len(cuts.group)))
    cuts = Cuts._make(column[first:stop] for column in cuts)
    domain, records = data.draw(st.integers(1, 7)), len(rows.counts)
    values = np.array(
        data.draw(st.lists(st.integers(0, domain - 1), min_size=records, max_size=records)), dtype=np.int32
    )
    always = np.array(data.draw(st.lists(st.booleans(), min_size=domain, max_size=domain)))
    left = plain.left_counts_plain(rows, rows.codes, values, domain, starts, stops, cuts)
    everything = cuts._replace(place=np.full(len(cuts.group), 99, dtype=np.int32))
    whole = plain.left_counts_plain(rows, rows.codes, values, domain, starts, stops, everything)
    most = data.draw(st.integers(1, domain))
    found = side_cells(rows, rows.codes, values, always, most, starts, stops, cuts)
    for listing, expected in zip(matrices(found, domain), (left, whole - left), strict=True):
        assert ((listing == expected) | (listing == 0)).all()
        np.testing.assert_array_equal(listing[:, always], expected[:, always])
        # of the other values at least so many of the most frequent ones
        others = -np.sort(-np.where(always, 0, expected))[:, :most]
        np.testing.assert_array_equal(-np.sort(-np.where(always, 0, listing))[:, :most], others)
    found = side_cells(rows, rows.codes, values, always, domain, starts, stops, cuts)
    for listing, expected in zip(matrices(found, domain), (left, whole - left), strict=True):
        np.testing.assert_array_equal(listing, expected)


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
