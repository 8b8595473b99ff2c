"""The kernels against their numpy twins, and the losses they read against what would really be published."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.algorithms.losses import losses_of, set_bits
from sfumato.kernels import plain_cuts as plain
from sfumato.kernels.cuts import (
    Cuts,
    Rows,
    chosen,
    every_cut,
    group_counts,
    halving_cuts,
    left_counts,
    median_cuts,
    ranks,
    split,
)
from sfumato.metrics import Ncp
from sfumato.operations.generalize import generalize_groups
from sfumato.partition import Partition
from tests.strategies import small_tables

NO_BITS = np.zeros((0, 0), dtype=np.uint64)


def empty_cuts(capacity=1000):
    kinds = (np.int32, np.int32, np.int32, np.int64, np.float64, np.float64)
    return Cuts(*(np.empty(capacity, dtype=kind) for kind in kinds))


def listed(kernel, rows, losses, sizes, starts, stops, least, capacity=1000):
    """All cuts, however many groups fit into the buffer at a time."""
    first, pieces, buffer = 0, [], empty_cuts(capacity)
    while first < len(starts):
        found, first = kernel(rows, losses, sizes, starts, stops, first, least, buffer)
        pieces.append([column[:found].copy() for column in buffer])
    return Cuts(*(np.concatenate(columns) for columns in zip(*pieces, strict=True)))


def same(found, expected):
    for name in ("group", "column", "place", "left"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_allclose(found.left_loss, expected.left_loss, atol=1e-12)
    np.testing.assert_allclose(found.right_loss, expected.right_loss, atol=1e-12)


@st.composite
def grouped_rows(draw, *, counted=True):
    table = draw(small_tables(max_rows=10, max_repeats=3 if counted else 1, taxonomies=draw(st.booleans())))
    if not counted:
        table = table.rows_at(
            np.repeat(np.arange(len(table)), table.counts), np.ones(table.records, dtype=np.int64)
        )
    sets = draw(st.booleans())
    codes = np.stack([table.codes[name] for name in table.schema.quasi], axis=1)
    rows = Rows(np.ascontiguousarray(codes), table.counts.copy(), set_bits(table, sets=sets))
    inner = draw(st.lists(st.integers(1, len(table) - 1), unique=True)) if len(table) > 1 else []
    bounds = np.array([0, *sorted(inner), len(table)], dtype=np.int64)
    sizes = np.array([len(table.domains[name]) for name in table.schema.quasi], dtype=np.int64)
    return table, sets, rows, losses_of(table, sets=sets), sizes, bounds[:-1], bounds[1:]


@given(grouped_rows(), st.integers(1, 4))
def test_every_cut_is_what_the_twin_finds(given_rows, least):
    _, _, rows, losses, sizes, starts, stops = given_rows
    expected = plain.every_cut_plain(rows, losses, starts, stops, least)
    same(listed(every_cut, rows, losses, sizes, starts, stops, least), expected)
    same(listed(every_cut, rows, losses, sizes, starts, stops, least, capacity=int(sizes.sum())), expected)


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
    np.testing.assert_array_equal(
        ranks(rows.codes, sizes, starts, stops), plain.ranks_plain(rows.codes, starts, stops)
    )


@given(grouped_rows())
def test_counts_left_of_a_cut_are_what_the_twin_finds(given_rows):
    table, _, rows, losses, sizes, starts, stops = given_rows
    cuts = listed(every_cut, rows, losses, sizes, starts, stops, 1)
    name = table.schema.sensitive[0]
    values, domain = table.codes[name], len(table.domains[name])
    found = left_counts(rows, rows.codes, values, domain, starts, stops, cuts, len(cuts.group))
    np.testing.assert_array_equal(
        found, plain.left_counts_plain(rows, rows.codes, values, domain, starts, stops, cuts)
    )
    whole = group_counts(rows, values, domain, starts, stops, cuts.group)
    everything = cuts._replace(place=np.full(len(cuts.group), 99, dtype=np.int32))
    np.testing.assert_array_equal(
        whole, plain.left_counts_plain(rows, rows.codes, values, domain, starts, stops, everything)
    )


@given(grouped_rows())
@settings(max_examples=60)
def test_the_loss_of_a_side_is_the_ncp_of_publishing_it(given_rows):
    """Independent of the kernels: publish both sides as groups of their own and measure them."""
    table, sets, rows, losses, sizes, _, _ = given_rows
    starts, stops = np.array([0]), np.array([len(table)])
    cuts = listed(every_cut, rows, losses, sizes, starts, stops, 1)
    columns = len(table.schema.quasi)
    for cut in range(len(cuts.group)):
        name = table.schema.quasi[cuts.column[cut]]
        sides = (table.codes[name] > cuts.place[cut]).astype(np.int32)
        candidate = generalize_groups(table, Partition.of_labels(sides), sets=sets)
        expected = Ncp().measure(table, candidate) * table.records * columns
        np.testing.assert_allclose(cuts.left_loss[cut] + cuts.right_loss[cut], expected, atol=1e-9)


@given(grouped_rows(), st.data())
def test_splitting_moves_whole_rows(given_rows, data):
    _, _, rows, _, _, starts, stops = given_rows
    column = np.array([data.draw(st.integers(0, rows.codes.shape[1] - 1)) for _ in starts], dtype=np.int32)
    place = np.array([data.draw(st.integers(0, 4)) for _ in starts], dtype=np.int32)
    before = np.column_stack([rows.codes, rows.counts, np.arange(len(rows.counts))])
    order = np.arange(len(rows.counts), dtype=np.int64)
    middle = split(rows, order, chosen(rows.codes, starts, stops, column), starts, stops, place)
    np.testing.assert_array_equal(np.column_stack([rows.codes, rows.counts, order]), before[order])
    for group, (start, stop) in enumerate(zip(starts, stops, strict=True)):
        assert sorted(order[start:stop]) == list(range(start, stop))
        keys = rows.codes[start:stop, column[group]] <= place[group]
        assert keys[: middle[group] - start].all()
        assert not keys[middle[group] - start :].any()
