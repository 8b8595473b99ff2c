import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.evaluation.learners.loops.tree_splits import (
    NOTHING,
    Cases,
    best_cut,
    branch_per_value,
    count,
    empty_tally,
    reset,
    sort_codes,
    total_entropy,
)
from sfumato.metrics.information_gain import entropy, gain


def branches_plain(table, fewest):
    """By the definition, over a table of counts (values x classes) of values that occur."""
    if (table.sum(axis=1) >= fewest).sum() < 2:
        return NOTHING
    return gain(table), float(entropy(table.sum(axis=1))), -1, -1


def cut_plain(table, values, fewest):
    """Every cut of a table in order of its values, all records known."""
    total, classes = table.sum(), table.shape[1]
    least = min(max(0.1 * total / classes, fewest), 25)
    places = [place for place in range(1, len(table)) if min(table[:place].sum(), table[place:].sum()) >= least]
    if not places:
        return NOTHING
    gains = [gain(np.stack([table[:place].sum(axis=0), table[place:].sum(axis=0)])) for place in places]
    best = next(number for number, found in enumerate(gains) if found > max(gains) - 1e-9)
    place = places[best]
    sizes = np.array([table[:place].sum(), table[place:].sum()])
    return gains[best] - np.log2(len(places)) / total, float(entropy(sizes)), values[place - 1], values[place]


@st.composite
def counted(draw):
    """Records of one column, and the same as a table of counts in order of the values."""
    classes = draw(st.integers(2, 3))
    top = draw(st.sampled_from([3, 9, 400]))
    records = draw(st.integers(2, 60))
    codes = np.array(draw(st.lists(st.integers(0, top), min_size=records, max_size=records)), dtype=np.int32)
    labels = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=records, max_size=records)), dtype=np.int32)
    values, place = np.unique(codes, return_inverse=True)
    table = np.zeros((len(values), classes), dtype=np.int64)
    np.add.at(table, (place, labels), 1)
    return codes, labels, values, table


def tallied(codes, labels, classes, *, numeric):
    cases = Cases(codes[None, :], np.array([numeric]), labels, np.ones(len(codes)))
    tally = empty_tally(int(codes.max()) + 1, len(codes), classes)
    return tally, count(cases, 0, np.arange(len(codes)), tally)


@given(counted(), st.integers(1, 4))
def test_branches_gain_what_the_definition_says(given_cases, fewest):
    codes, labels, _, table = given_cases
    tally, found = tallied(codes, labels, table.shape[1], numeric=False)
    whole = table.sum(axis=0).astype(np.float64)
    assert branch_per_value(tally, found, whole, fewest) == pytest.approx(branches_plain(table, fewest), abs=1e-12)


@given(counted(), st.integers(1, 4))
def test_the_best_cut_is_found_among_all(given_cases, fewest):
    codes, labels, values, table = given_cases
    tally, found = tallied(codes, labels, table.shape[1], numeric=True)
    whole = table.sum(axis=0).astype(np.float64)
    assert best_cut(tally, found, whole, fewest) == pytest.approx(cut_plain(table, values, fewest), abs=1e-12)


@given(counted())
def test_codes_are_put_in_order_and_forgotten(given_cases):
    codes, labels, values, table = given_cases
    tally, found = tallied(codes, labels, table.shape[1], numeric=True)
    np.testing.assert_array_equal(tally.sums[tally.slot[values], : table.shape[1]], table)
    sort_codes(tally, found)
    np.testing.assert_array_equal(tally.present[:found], values)
    reset(tally, found)
    assert (tally.slot == -1).all()


def test_unknown_numbers_take_their_share_of_the_gain():
    """Four of five numbers are known and part the classes: 4/5 of one bit, and three parts of information."""
    codes, labels = np.array([0, 0, 1, 1, -1], dtype=np.int32), np.array([0, 0, 1, 1, 0], dtype=np.int32)
    cases = Cases(codes[None, :], np.array([True]), labels, np.ones(5))
    tally = empty_tally(2, 5, 2)
    found = count(cases, 0, np.arange(5), tally)
    got = best_cut(tally, found, np.array([3.0, 2.0]), 2.0)
    assert got == pytest.approx((0.8, float(entropy(np.array([2, 2, 1]))), 0, 1))


def test_spread_is_entropy_times_the_total():
    assert total_entropy(np.array([2.0, 2.0, 0.0])) == pytest.approx(4.0)
    assert total_entropy(np.zeros(2)) == 0


@pytest.mark.parametrize(("records", "least"), [(20, 2), (300, 15), (1000, 25)])
def test_a_cut_leaves_a_tenth_of_the_mean_class_on_either_side(records, least):
    """A tenth of half of the records, but not below the 2 that are asked for and not above 25."""
    for apart, allowed in ((least - 1, False), (least, True)):
        codes = (np.arange(records) >= apart).astype(np.int32)
        tally, found = tallied(codes, 1 - codes, 2, numeric=True)
        got = best_cut(tally, found, np.array([records - apart, apart], dtype=np.float64), 2.0)
        assert (got[0] > 0) is allowed
