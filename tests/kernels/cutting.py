"""Grouped rows to cut, and ways to list and compare their cuts; shared by the tests of the kernels of cutting."""

import numpy as np
from hypothesis import strategies as st

from sfumato.algorithms.mondrian.loops.cuts import Cuts, Rows
from sfumato.algorithms.mondrian.losses import MOST_BITS, losses_of, set_bits
from tests.strategies import small_tables


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
        table = table.rows_at(np.repeat(np.arange(len(table)), table.counts), np.ones(table.records, dtype=np.int64))
    sets = draw(st.booleans())
    most_bits = draw(st.sampled_from([MOST_BITS, 0, 3]))
    codes = np.stack([table.codes[name] for name in table.schema.quasi], axis=1)
    rows = Rows(np.ascontiguousarray(codes), table.counts.copy(), set_bits(table, sets=sets, most_bits=most_bits))
    inner = draw(st.lists(st.integers(1, len(table) - 1), unique=True)) if len(table) > 1 else []
    bounds = np.array([0, *sorted(inner), len(table)], dtype=np.int64)
    sizes = np.array([len(table.domains[name]) for name in table.schema.quasi], dtype=np.int64)
    losses = losses_of(table, sets=sets, most_bits=most_bits)
    return table, sets, rows, losses, sizes, bounds[:-1], bounds[1:]
