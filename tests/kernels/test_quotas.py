import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.quotas import assign, assign_plain, places, places_plain


@given(st.data())
def test_records_fill_their_groups_exactly_in_row_order(data):
    runs = data.draw(st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=3), min_size=1, max_size=5))
    starts = np.cumsum([0, *map(len, runs)]).astype(np.int64)
    quotas = np.array([quota for run in runs for quota in run], dtype=np.int64)
    groups = np.arange(len(quotas), dtype=np.int32)
    numbers = np.repeat(np.arange(len(runs)), [sum(run) for run in runs]).astype(np.int32)
    numbers = np.array(data.draw(st.permutations(numbers.tolist())), dtype=np.int32)
    cut = data.draw(st.integers(0, len(numbers)))
    used, used_plain = np.zeros((len(runs), 2), dtype=np.int64), np.zeros(len(runs), dtype=np.int64)
    found = np.concatenate([assign(part, starts, groups, quotas, used) for part in (numbers[:cut], numbers[cut:])])
    plain = np.concatenate(
        [assign_plain(part, starts, groups, quotas, used_plain) for part in (numbers[:cut], numbers[cut:])]
    )
    np.testing.assert_array_equal(found, plain)
    np.testing.assert_array_equal(np.bincount(found, minlength=len(quotas)), quotas)
    for number in range(len(runs)):
        assert (np.diff(found[numbers == number]) >= 0).all()


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1), st.data())
def test_places_in_a_group_are_counted_on_from_batch_to_batch(records, data):
    groups = np.array([group for group, _ in records], dtype=np.int32)
    skipped = np.array([gone for _, gone in records], dtype=bool)
    cut = data.draw(st.integers(0, len(records)))
    parts = [slice(0, cut), slice(cut, None)]
    used, used_plain = np.zeros((2, 5), dtype=np.int64)
    found = np.concatenate([places(groups[part], skipped[part], used) for part in parts])
    plain = np.concatenate([places_plain(groups[part], skipped[part], used_plain) for part in parts])
    np.testing.assert_array_equal(found, plain)
    for group in range(5):
        kept = found[(groups == group) & ~skipped]
        np.testing.assert_array_equal(kept, np.arange(len(kept)))
