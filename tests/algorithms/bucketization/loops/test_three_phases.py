import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.group_merging import hopeless_classes
from sfumato.algorithms.bucketization.loops.three_phases import Group, add_member, conflicts, draw_groups, left, release
from sfumato.algorithms.bucketization.record_classes import Classes
from sfumato.algorithms.bucketization.three_phases import _remaining_records
from tests.algorithms.bucketization.some_records import small_records
from tests.oracles.bucketing_oracle import draw_plainly, in_conflict, incompatible_tuples


def waiting_of(records, l):
    classes = Classes.of_records(records)
    return _remaining_records(records, classes, hopeless_classes(records, classes, l))


@given(small_records(most=8), st.data())
def test_conflicts_are_counted_as_they_are_defined(records, data):
    """While a group grows, for every class that goes with it: what a further member would add."""
    pool = waiting_of(records, 1)
    before = pool.whole.sum()
    values, kinds = len(pool.whole), len(pool.value)
    group = Group(
        np.zeros(values, dtype=bool), np.zeros(kinds, dtype=bool), np.zeros(values, np.int64), pool.sums.copy()
    )
    inside, outside, taken = [], list(range(len(records))), []
    while True:
        going = [
            chosen
            for chosen in range(kinds)
            if left(pool, chosen)
            and not any(in_conflict(records, member, pool.rows[pool.used[chosen]]) for member in inside)
        ]
        for chosen in going:
            record = int(pool.rows[pool.used[chosen]])
            grown = incompatible_tuples(records, [*inside, record], outside)
            assert conflicts(pool, group, chosen) == grown - incompatible_tuples(records, inside, outside)
        if not going:
            break
        chosen = data.draw(st.sampled_from(going))
        inside.append(int(pool.rows[pool.used[chosen]]))
        outside.remove(inside[-1])
        taken.append(chosen)
        add_member(pool, group, chosen)
    release(pool, group)
    rest = np.array(sorted(outside), dtype=np.int64)
    assert pool.whole.tolist() == np.bincount(records.value[rest], minlength=values).tolist()
    expected = records.ruled_out[records.exclusion[rest]].sum(axis=0)
    assert np.array_equal(pool.sums[pool.line], expected)
    assert pool.sums.sum() == expected.sum()
    assert pool.exclusions_by_value.sum(axis=1).tolist() == pool.sums.tolist()
    assert len(taken) == before - pool.whole.sum()


@given(small_records(most=9), st.integers(1, 3))
def test_groups_are_drawn_as_record_by_record(records, l):
    pool = waiting_of(records, l)
    rest = np.empty(len(records), dtype=np.int32)
    groups, aside = draw_groups(pool, l, rest)
    expected, over = draw_plainly(records, l)
    assert groups.tolist() == expected
    assert rest[:aside].tolist() == over[:aside]
