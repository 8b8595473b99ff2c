import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.loops.group_merging import (
    Chains,
    absorb,
    add_record,
    count_valid,
    join_groups,
    least_conflicting,
    members_of,
    most_different,
)
from sfumato.algorithms.bucketization.record_classes import Classes
from tests.algorithms.bucketization.some_records import small_records
from tests.oracles.bucketing_oracle import in_conflict, valid_values


def chains_of(records, groups):
    """Chains for groups of records, which are put in one after the other."""
    classes = Classes.of_records(records)
    rows = max(len(records), 1)
    chains = Chains(
        classes.value, classes.exclusion, records.ruled_out, np.full(len(groups), -1, dtype=np.int32),
        np.empty(rows, dtype=np.int32), np.zeros(rows, dtype=np.int32), np.empty(rows, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
    )  # fmt: skip
    for number, group in enumerate(groups):
        for record in group:
            add_record(chains, number, classes.of[record])
    return classes, chains


def shared_out(records, data, groups):
    """Records shared out among groups, the first ones so that none is empty; and one that stays out."""
    places = data.draw(st.lists(st.integers(0, groups - 1), min_size=len(records), max_size=len(records)))
    places[:groups] = range(groups)
    return [[record for record in range(1, len(records)) if places[record - 1] == number] for number in range(groups)]


@given(small_records(most=6))
def test_valid_values_are_those_of_some_assignment(records):
    classes = Classes.of_records(records)
    members = np.unique(classes.of)
    for record, expected in enumerate(valid_values(records, range(len(records)))):
        found = count_valid(members, classes.value, classes.exclusion, records.ruled_out, classes.of[record])
        assert found == len(expected)


def test_who_has_the_only_value_nobody_else_can_have_has_no_other():
    """One woman and three men, her value and three common ones: hers is known, theirs is one of three."""
    value, exclusion = np.array([0, 1, 2, 3], dtype=np.int32), np.array([0, 1, 1, 1], dtype=np.int32)
    ruled_out = np.array([[False] * 4, [True, False, False, False]])
    valid = [count_valid(np.arange(4, dtype=np.int32), value, exclusion, ruled_out, member) for member in range(4)]
    assert valid == [1, 3, 3, 3]


@given(small_records(most=8).filter(lambda records: len(records) > 3), st.data())
def test_the_least_unsuited_group_is_found_again_and_again(records, data):
    groups = shared_out(records, data, 3)
    classes, chains = chains_of(records, groups)
    search = np.zeros((len(classes.value), 3), dtype=np.int64)
    search[:, 2] = 2**62
    for _ in range(3):
        conflicts = [sum(in_conflict(records, 0, member) for member in group) for group in groups]
        best = min(range(3), key=lambda at: (conflicts[at], len(groups[at]), at))
        assert least_conflicting(chains, classes.of[0], search) == best
        grown = data.draw(st.integers(0, 2))
        chains.records[chains.head[grown]] += 1
        groups[grown].append(next(r for r in groups[grown] if classes.of[r] == chains.of[chains.head[grown]]))


@given(small_records(most=8).filter(lambda records: len(records) > 3), st.data())
def test_the_most_different_group_is_absorbed(records, data):
    groups = shared_out(records, data, 3)
    classes, chains = chains_of(records, groups)
    values = [{int(records.value[member]) for member in group} for group in groups]
    best = max((1, 2), key=lambda at: (len(values[at] - values[0]), -at))
    assert most_different(chains, 0) == best
    absorb(chains, 0, best)
    expected = {int(classes.of[member]) for member in groups[0] + groups[best]}
    found = members_of(chains, 0).tolist()
    assert sorted(found) == sorted(expected)
    assert chains.head[best] == -1
    node, total = chains.head[0], 0
    while node >= 0:
        node, total = chains.after[node], total + chains.records[node]
    assert total == len(groups[0] + groups[best])
    absorb(chains, 0, 3 - best)
    assert most_different(chains, 0) == -1


@given(small_records(most=6).filter(lambda records: len(records) > 2), st.data(), st.integers(1, 3))
def test_who_joins_has_enough_values_or_everything_was_merged(records, data, l):
    groups = shared_out(records, data, 2)
    classes, chains = chains_of(records, groups)
    joined, merged = np.empty(1, dtype=np.int32), np.arange(2, dtype=np.int32)
    fine = join_groups(chains, classes.of[:1], l, joined, merged)
    group = [0, *groups[joined[0]]] if (merged == [0, 1]).all() else list(range(len(records)))
    assert fine == (len(valid_values(records, group)[group.index(0)]) >= l)
    assert fine or (chains.head < 0).sum() == 1
