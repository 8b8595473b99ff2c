"""The kernel against a flow of scipy, and both against every assignment there is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.knowledge.loops.matching import open_counts, valid_counts
from sfumato.knowledge.matching import valid_values
from tests.oracles.matching_oracle import by_enumeration

Cells = tuple[np.ndarray, np.ndarray, np.ndarray]


@st.composite
def matrices(draw: st.DrawFn, classes: int, values: int) -> np.ndarray:
    cell = st.lists(st.booleans(), min_size=values, max_size=values)
    return np.array(draw(st.lists(cell, min_size=classes, max_size=classes)), dtype=bool)


@st.composite
def parted(draw: st.DrawFn, records: int, most: int) -> list[int]:
    """How many of the records are of each kind."""
    kinds = draw(st.lists(st.integers(0, most - 1), min_size=records, max_size=records))
    return np.bincount(kinds, minlength=most)[np.unique(kinds)].tolist()


@st.composite
def single_groups(draw: st.DrawFn, records: int, most: int) -> tuple[list[int], list[int], np.ndarray]:
    size = draw(st.integers(1, records))
    values, classes = draw(parted(size, most)), draw(parted(size, most))
    return values, classes, draw(matrices(len(classes), len(values)))


def counts(given: list[int]) -> np.ndarray:
    return np.array(given, dtype=np.int64)


def cells(groups: list[dict[int, int]]) -> Cells:
    """Groups of (code, count), one after the other."""
    starts = np.cumsum([0, *map(len, groups)])
    return (
        starts.astype(np.int64),
        np.array([code for group in groups for code in sorted(group)], dtype=np.int32),
        counts([group[code] for group in groups for code in sorted(group)]),
    )


def counted(values: list[int], classes: list[int], ruled_out: np.ndarray) -> list[int]:
    """What the kernel says of one group."""
    cells_of = [cells([dict(enumerate(kinds))]) for kinds in (values, classes)]
    return valid_counts(*cells_of[0], *cells_of[1], ruled_out).tolist()


@given(single_groups(7, 4))
def test_valid_are_the_values_of_some_assignment(group):
    values, classes, ruled_out = group
    people = np.repeat(np.arange(len(classes)), classes)
    handed = np.repeat(np.arange(len(values)), values)
    every = by_enumeration([set(np.flatnonzero(ruled_out[who])) for who in people], handed.tolist())
    expected = np.array([[value in every[np.searchsorted(people, who)] for value in range(len(values))]
                         for who in range(len(classes))])  # fmt: skip
    np.testing.assert_array_equal(valid_values(values, classes, ruled_out), expected)
    assert counted(values, classes, ruled_out) == expected.sum(axis=1).tolist()


@given(single_groups(40, 9))
def test_like_the_flow_of_scipy(group):
    values, classes, ruled_out = group
    assert counted(values, classes, ruled_out) == valid_values(values, classes, ruled_out).sum(axis=1).tolist()


@given(single_groups(30, 5), st.integers(2, 50))
def test_the_more_of_everybody_the_same_values(group, times):
    """Ten times the same group allow what the group allows: a mix of assignments can be told apart again."""
    values, classes, ruled_out = group
    many = counted([often * times for often in values], [often * times for often in classes], ruled_out)
    assert many == counted(values, classes, ruled_out)


@given(st.data())
def test_groups_are_counted_one_by_one(data):
    ruled_out = data.draw(matrices(4, 5))
    values, classes = [], []
    for _ in range(data.draw(st.integers(0, 6))):
        size = data.draw(st.integers(1, 9))
        for kinds, known in ((values, 5), (classes, 4)):
            drawn = data.draw(st.lists(st.integers(0, known - 1), min_size=size, max_size=size))
            kinds.append({code: drawn.count(code) for code in drawn})
    expected = [
        many
        for some, who in zip(values, classes, strict=True)
        for many in valid_values(
            [some[code] for code in sorted(some)], [who[code] for code in sorted(who)],
            ruled_out[np.ix_(sorted(who), sorted(some))],
        ).sum(axis=1)
    ]  # fmt: skip
    assert valid_counts(*cells(values), *cells(classes), ruled_out).tolist() == expected


@pytest.mark.parametrize("free", [True, False], ids=["some may have anything", "something is ruled out for all"])
@pytest.mark.parametrize("many", [63, 64, 65, 130])
def test_sets_of_more_values_than_a_word_has_bits(many, free):
    random = np.random.default_rng(many)
    people = random.integers(0, 40, 400)
    ruled_out = random.random((40, many)) < 0.9
    ruled_out[0] &= not free
    home = random.integers(0, many, 40)
    ruled_out[np.arange(40), home] = False
    values = np.where(random.random(400) < 0.5, home[people], [random.choice(np.flatnonzero(~ruled_out[who]))
                                                            for who in people])  # fmt: skip
    who, of_class = np.unique(people, return_counts=True)
    some, of_value = np.unique(values, return_counts=True)
    expected = valid_values(of_value.tolist(), of_class.tolist(), ruled_out[np.ix_(who, some)])
    assert expected.any(axis=1).all()
    one = np.array([0, len(some)]), some.astype(np.int32), of_value
    other = np.array([0, len(who)]), who.astype(np.int32), of_class
    assert valid_counts(*one, *other, ruled_out).tolist() == expected.sum(axis=1).tolist()


def test_a_chain_of_swaps_is_found():
    """Everybody may have his own value and the next; only the way through all of them serves the last."""
    size = 50
    ruled_out = np.ones((size, size), dtype=bool)
    ruled_out[np.arange(size), np.arange(size)] = False
    ruled_out[np.arange(size - 1), np.arange(1, size)] = False
    assert counted([1] * size, [1] * size, ruled_out) == [1] * size
    ruled_out[size - 1, 0] = False
    assert counted([1] * size, [1] * size, ruled_out) == [2] * size


@given(single_groups(12, 6))
def test_what_is_open_without_a_thought_for_the_others(group):
    values, classes, ruled_out = group
    (value_starts, some, _), (class_starts, who, _) = (cells([dict(enumerate(kinds))]) for kinds in (values, classes))
    found = open_counts(value_starts, some, class_starts, who, ruled_out)
    assert found.tolist() == (~ruled_out).sum(axis=1).tolist()
