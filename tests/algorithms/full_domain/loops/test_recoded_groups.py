"""The kernels against plain numpy, and labels against what is published."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.full_domain.loops.recoded_groups import (
    Layout,
    close_below,
    hash_slots,
    labels_of,
    losses_of,
    majority_count,
    matrix_of,
    number_keys,
    number_rows,
    pack_columns,
    sizes_of,
    suppress_groups,
    total_loss,
)
from tests.examples import examples

COLUMNS = st.integers(1, 4)


@st.composite
def layouts(draw):
    """Columns of one to five codes, scattered or not, each code with any bit as its switch, and a string of bits."""
    lengths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    bits = draw(st.lists(st.booleans(), min_size=1, max_size=8))
    places = sum(lengths)
    switch = draw(st.lists(st.integers(0, len(bits) - 1), min_size=places, max_size=places))
    scattered = draw(st.lists(st.booleans(), min_size=len(lengths), max_size=len(lengths)))
    position = np.concatenate([np.linspace(0, 1, length) for length in lengths])
    offset = np.cumsum([0, *lengths]).astype(np.int64)
    layout = Layout(offset, np.array(switch, dtype=np.int32), np.array(scattered), position)
    return np.array(bits, dtype=np.bool_), layout


@st.composite
def rows(draw):
    """A recoding and some rows of codes with counts."""
    bits, layout = draw(layouts())
    how_many = draw(st.integers(1, 12))
    widths = np.diff(layout.offset).tolist()
    codes = [draw(st.lists(st.integers(0, width - 1), min_size=how_many, max_size=how_many)) for width in widths]
    counts = draw(st.lists(st.integers(1, 5), min_size=how_many, max_size=how_many))
    return bits, layout, np.array(codes, dtype=np.int32), np.array(counts, dtype=np.int64)


def plain_labels(bits, layout):
    """One list of labels a column: neighbours share one until a bit says so, hidden values share the first."""
    found = []
    for column, scattered in enumerate(layout.scattered):
        set_here = bits[layout.switch[layout.offset[column] : layout.offset[column + 1]]]
        if scattered:
            found.append(np.where(set_here, np.cumsum(set_here), 0))
        else:
            found.append(np.concatenate([[0], np.cumsum(set_here[1:])]))
    return found


def numbered(keys):
    """Numbers in order of first appearance."""
    place = {}
    return [place.setdefault(key, len(place)) for key in keys]


@given(layouts())
def test_labels_and_what_they_lose(drawn):
    bits, layout = drawn
    label, radix = labels_of(bits, layout)
    loss = losses_of(label, layout)
    for column, expected in enumerate(plain_labels(bits, layout)):
        here = slice(layout.offset[column], layout.offset[column + 1])
        np.testing.assert_array_equal(label[here], expected)
        assert radix[column] == expected.max() + 1
        for code, own in enumerate(expected):
            alike = np.flatnonzero(expected == own)
            if layout.scattered[column]:
                wide = (len(alike) - 1) / max(len(expected) - 1, 1) if own == 0 else 0.0
            else:
                wide = layout.position[here][alike[-1]] - layout.position[here][alike[0]]
            assert loss[here][code] == pytest.approx(wide)


@given(st.lists(st.tuples(st.booleans(), st.integers(-1, 20))))
def test_nothing_stays_set_below_what_is_not(drawn):
    bits = np.array([bit for bit, _ in drawn], dtype=np.bool_)
    parent = np.array([min(above, place - 1) for place, (_, above) in enumerate(drawn)], dtype=np.int32)
    expected = bits.copy()
    for place in range(len(bits)):
        above = place
        while above >= 0:
            expected[place] &= bits[above]
            above = parent[above]
    close_below(bits, parent)
    np.testing.assert_array_equal(bits, expected)


@pytest.mark.parametrize("span", [50, 2**40])
@given(keys=st.lists(st.integers(0, 49), min_size=1))
def test_keys_are_numbered_as_they_come(span, keys):
    """Few possible keys are looked up, many are hashed; spread out, they still get the same numbers."""
    spread = np.array(keys, dtype=np.int64) * (span // 50)
    number = np.empty(len(keys), dtype=np.int32)
    found = number_keys(spread, span, hash_slots(len(keys)), number)
    assert number.tolist() == numbered(keys)
    assert found == len(set(keys))


@given(rows(), st.data())
def test_rows_that_look_alike_have_one_number(drawn, data):
    bits, layout, codes, _ = drawn
    label, radix = labels_of(bits, layout)
    shown = [labels[codes[column]] for column, labels in enumerate(plain_labels(bits, layout))]
    number = np.empty(codes.shape[1], dtype=np.int32)
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(codes), max_size=len(codes))))
    slots = hash_slots(len(number))
    packed = pack_columns(codes, np.diff(layout.offset), data.draw(st.integers(0, 12)), slots)
    found = number_rows(packed, chosen, label, radix, layout.offset, slots, number)
    compared = [column for column, wanted in zip(shown, chosen, strict=True) if wanted]
    assert number.tolist() == numbered(zip(*compared, strict=True)) if compared else not number.any()
    assert found == number.max() + 1


@given(rows(), st.integers(0, 40))
def test_packed_columns_have_the_codes_of_all_columns(drawn, most):
    _, layout, codes, _ = drawn
    packed = pack_columns(codes, np.diff(layout.offset), most, hash_slots(codes.shape[1]))
    for place, (first, stop) in enumerate(pairwise(packed.first.tolist())):
        for column in range(first, stop):
            digits = packed.digits[packed.start[column] : packed.start[column + 1]]
            assert digits[packed.codes[place]].tolist() == codes[column].tolist()
        assert stop - first == 1 or len(set(packed.codes[place].tolist())) <= most


@given(st.integers(1, 9).flatmap(lambda n: st.lists(st.tuples(*[st.integers(0, 9)] * n), min_size=1, max_size=30)))
@examples(30)
def test_keys_that_outgrow_a_number_are_numbered_in_between(drawn):
    """Nine columns of a million labels each do not fit into 62 bits."""
    codes = np.ascontiguousarray(np.array(drawn, dtype=np.int32).T) * 100_000
    width = 1_000_000
    label = np.tile(np.arange(width, dtype=np.int32), len(codes))
    offset = np.arange(len(codes) + 1, dtype=np.int64) * width
    number = np.empty(codes.shape[1], dtype=np.int32)
    radix = np.full(len(codes), width, dtype=np.int64)
    slots = hash_slots(len(number))
    packed = pack_columns(codes, radix, 0, slots)
    number_rows(packed, np.ones(len(codes), dtype=bool), label, radix, offset, slots, number)
    assert number.tolist() == numbered(drawn)


@given(rows(), st.data())
def test_counting_and_leaving_out(drawn, data):
    _, _, codes, counts = drawn
    drawn_groups = data.draw(st.lists(st.integers(0, 3), min_size=len(counts), max_size=len(counts)))
    number = np.array(numbered(drawn_groups), dtype=np.int32)
    groups = int(number.max()) + 1
    sizes = np.bincount(number, weights=counts)
    np.testing.assert_array_equal(sizes_of(number, groups, counts), sizes)
    matrix = np.zeros((groups, 5))
    np.add.at(matrix, (number, codes[0]), counts)
    np.testing.assert_array_equal(matrix_of(number, groups, counts, codes[0], 5), matrix)
    failing = np.array(data.draw(st.lists(st.booleans(), min_size=groups, max_size=groups)), dtype=np.bool_)
    left = counts.copy()
    assert suppress_groups(number, failing, left) == sizes[failing].sum()
    np.testing.assert_array_equal(left, np.where(failing[number], 0, counts))
    np.add.at(matrix, (number, codes[0]), left - counts)
    assert majority_count(number, groups, left, codes[0], 5, hash_slots(len(number))) == matrix.max(axis=1).sum()


@given(rows(), st.data())
def test_what_all_cells_lose(drawn, data):
    bits, layout, codes, counts = drawn
    left = np.where(data.draw(st.lists(st.booleans(), min_size=len(counts), max_size=len(counts))), counts, 0)
    loss = losses_of(labels_of(bits, layout)[0], layout)
    widths = np.diff(layout.offset)
    histogram = np.concatenate(
        [np.bincount(column, weights=counts, minlength=width) for column, width in zip(codes, widths, strict=True)]
    ).astype(np.int64)
    cells = loss[layout.offset[:-1, None] + codes]
    expected = np.where(left > 0, cells, 1.0) @ counts
    assert total_loss(codes, layout.offset, loss, histogram, counts, left) == pytest.approx(expected.sum())
