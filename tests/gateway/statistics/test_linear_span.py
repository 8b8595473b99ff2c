from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.statistics.linear_span import LinearSpan
from sfumato.gateway.statistics.modular_arithmetic import BLOCK, BUCKETS, Residues
from sfumato.gateway.statistics.record_sets import RecordSet
from tests.examples import examples
from tests.oracles.sums_that_tell import people_told, rank, told

SPREADS = {
    "beside each other": lambda place: place,
    "one a block": lambda place: place * BLOCK + 5,
    "in one bucket": lambda place: place * BLOCK * BUCKETS,
    "far apart": lambda place: (place * 2_654_435_761) % 2**32,
}
histories = st.lists(st.sets(st.integers(0, 7), max_size=8), max_size=9)


@pytest.mark.parametrize("spread", SPREADS)
@examples(30)
@given(history=histories)
def test_like_elimination_with_fractions(spread, history):
    number = {place: SPREADS[spread](place) for place in range(8)}
    space = LinearSpan.empty(Residues.random())
    for known in range(len(history)):
        space = space.extended(RecordSet.of([number[place] for place in history[known]]))
        assert space.revealed == {number[place] for place in told(history[: known + 1], range(8))}
    assert len(space.sets) == rank([[int(place in each) for place in range(8)] for each in history])


class Several:
    """People of whom some have several records, which lie anywhere."""

    def __init__(self, person_of: list[int], number: dict[int, int]) -> None:
        self.person = {number[place]: person for place, person in enumerate(person_of)}

    def owners(self, records):
        return np.array([self.person.get(int(one), -1) for one in records], dtype=np.int64)

    def records_of(self, person: int):
        return np.array([one for one, owner in self.person.items() if owner == person], dtype=np.int64)


@pytest.mark.parametrize("spread", SPREADS)
@examples(80)
@given(history=histories, person_of=st.lists(st.integers(0, 4), min_size=8, max_size=8))
def test_people_with_several_records_like_ranks_with_fractions(spread, history, person_of):
    number = {place: SPREADS[spread](place) for place in range(8)}
    space = LinearSpan.empty(Residues.random(), Several(person_of, number))
    for known in range(len(history)):
        space = space.extended(RecordSet.of([number[place] for place in history[known]]))
        assert space.revealed == people_told(history[: known + 1], person_of)


def test_the_difference_of_two_records_of_one_person_is_told():
    """January of everybody, and January of all but the last with their February: no single record, but one person."""
    months = Several([0, 1, 2, 3, 4, 4], {place: place for place in range(6)})
    space = LinearSpan.empty(Residues.random(), months).extended(RecordSet.of([0, 1, 2, 3, 4]))
    assert space.revealed == frozenset()
    assert space.extended(RecordSet.of([0, 1, 2, 3, 5])).revealed == {4}


def test_a_set_that_follows_changes_nothing():
    space = LinearSpan.empty(Residues.random())
    for numbers in ([1, 2, 3, 4], [1, 2]):
        space = space.extended(RecordSet.of(numbers))
    assert space.extended(RecordSet.of([3, 4])) is space
    assert space.extended(RecordSet.of([])) is space


def test_a_chain_of_many_sets_that_tells_at_last():
    """Sets of two neighbours each in a ring of even length tell nothing, and in one of odd length tell all."""
    for length, tells in ((60, 0), (61, 61)):
        space = LinearSpan.empty(Residues.random())
        for place in range(length):
            space = space.extended(RecordSet.of([place * 7919, (place + 1) % length * 7919]))
            assert place == length - 1 or not space.revealed
        assert len(space.revealed) == tells


def test_random_halves_of_many_records_tell_nothing_until_they_differ_in_one():
    rng = np.random.default_rng(3)
    space = LinearSpan.empty(Residues.random())
    masks = [rng.random(20_000) < 0.5 for _ in range(40)]
    for mask in masks:
        space = space.extended(RecordSet.of_mask(mask))
    assert (len(space.sets), space.revealed) == (40, frozenset())
    mask = masks[7].copy()
    mask[12_345] ^= True
    assert space.extended(RecordSet.of_mask(mask)).revealed == {12_345}
    assert space.revealed == frozenset()


def test_ranges_tell_where_they_end_one_apart():
    space = LinearSpan.empty(Residues.random())
    for start, stop in ((0, 5_000), (5_000, 9_000), (3_000, 9_000)):
        space = space.extended(RecordSet.of(np.arange(start, stop)))
    assert space.revealed == frozenset()
    assert space.extended(RecordSet.of(np.arange(0, 3_001))).revealed == {3_000}
