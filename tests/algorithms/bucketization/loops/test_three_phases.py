import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.group_merging import hopeless_classes
from sfumato.algorithms.bucketization.loops.three_phases import Group, admit, conflicts, draw_groups, left, release
from sfumato.algorithms.bucketization.record_classes import Classes
from sfumato.algorithms.bucketization.three_phases import _waiting
from tests.algorithms.bucketization.some_records import small_records
from tests.oracles.bucketing_oracle import draw_plainly, in_conflict, incompatible_tuples


def waiting_of(records, l):
    classes = Classes.of_records(records)
    return _waiting(records, classes, hopeless_classes(records, classes, l))


@given(small_records(most=8), st.data())
def test_conflicts_are_counted_as_they_are_defined(records, data):
    """While a group grows, for every class that goes with it: what a further member would add."""
    waiting = waiting_of(records, 1)
    before = waiting.whole.sum()
    values, kinds = len(waiting.whole), len(waiting.value)
    group = Group(
        np.zeros(values, dtype=bool), np.zeros(kinds, dtype=bool), np.zeros(values, np.int64), waiting.sums.copy()
    )
    inside, outside, taken = [], list(range(len(records))), []
    while True:
        going = [
            chosen
            for chosen in range(kinds)
            if left(waiting, chosen)
            and not any(in_conflict(records, member, waiting.rows[waiting.used[chosen]]) for member in inside)
        ]
        for chosen in going:
            record = int(waiting.rows[waiting.used[chosen]])
            grown = incompatible_tuples(records, [*inside, record], outside)
            assert conflicts(waiting, group, chosen) == grown - incompatible_tuples(records, inside, outside)
        if not going:
            break
        chosen = data.draw(st.sampled_from(going))
        inside.append(int(waiting.rows[waiting.used[chosen]]))
        outside.remove(inside[-1])
        taken.append(chosen)
        admit(waiting, group, chosen)
    release(waiting, group)
    rest = np.array(sorted(outside), dtype=np.int64)
    assert waiting.whole.tolist() == np.bincount(records.value[rest], minlength=values).tolist()
    expected = records.ruled_out[records.barred[rest]].sum(axis=0)
    assert np.array_equal(waiting.sums[waiting.line], expected)
    assert waiting.sums.sum() == expected.sum()
    assert waiting.bars.sum(axis=1).tolist() == waiting.sums.tolist()
    assert len(taken) == before - waiting.whole.sum()


@given(small_records(most=9), st.integers(1, 3))
def test_groups_are_drawn_as_record_by_record(records, l):
    waiting = waiting_of(records, l)
    rest = np.empty(len(records), dtype=np.int32)
    groups, aside = draw_groups(waiting, l, rest)
    expected, over = draw_plainly(records, l)
    assert groups.tolist() == expected
    assert rest[:aside].tolist() == over[:aside]
