import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.loops.margin_swaps import (
    Views,
    allowed,
    difference,
    gain,
    margin_errors,
    swap_round,
)
from sfumato.algorithms.bucketization.margin_swaps import slots_of

VALUES, CELLS, KINDS = 5, 7, 3


@st.composite
def buckets_with_views(draw):
    """Three buckets of two or three different values, two views of the records, and kinds that values share."""
    value, bucket = [], []
    for number in range(3):
        mine = draw(st.permutations(range(VALUES)))[: draw(st.integers(2, 3))]
        value, bucket = value + mine, bucket + [number] * len(mine)
    rows = len(value)
    one = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    other = draw(st.lists(st.integers(4, CELLS - 1), min_size=rows, max_size=rows))
    kind = np.array(draw(st.lists(st.integers(0, KINDS - 1), min_size=VALUES, max_size=VALUES)), dtype=np.int32)
    slots = slots_of(np.array(bucket, dtype=np.int32), np.array(value, dtype=np.int32), VALUES)
    return slots, Views(np.array([one, other], dtype=np.int32).T.copy(), kind)


def errors_plainly(slots, views):
    errors = np.zeros((CELLS, KINDS))
    for slot, holder in enumerate(slots.holder):
        mine = slots.value[slots.bucket == slots.bucket[slot]]
        shares = np.bincount(views.kind[mine], minlength=KINDS) / len(mine)
        shares[views.kind[slots.value[slot]]] -= 1
        for row in views.codes[holder]:
            errors[row] += shares
    return errors


@given(buckets_with_views())
def test_errors_are_what_is_too_much(case):
    slots, views = case
    assert np.allclose(margin_errors(slots, views, CELLS, KINDS), errors_plainly(slots, views))


@given(buckets_with_views(), st.data())
def test_gain_is_by_how_much_squared_errors_fall(case, data):
    """Half of it, to be exact: the kernel leaves out a factor that all exchanges share."""
    slots, views = case
    one = data.draw(st.integers(0, len(slots.holder) - 1))
    others = np.flatnonzero((slots.value == slots.value[one]) & (slots.bucket != slots.bucket[one]))
    if len(others) == 0:
        return
    other = data.draw(st.sampled_from(others.tolist()))
    errors = errors_plainly(slots, views)
    change, kinds, listed = np.zeros(KINDS), np.empty(KINDS, dtype=np.int32), np.zeros(KINDS, dtype=bool)
    count = difference(slots, views, slots.bucket[one], slots.bucket[other], change, kinds, listed)
    found = gain(errors, views.codes[one], views.codes[other], change, kinds, count)
    slots.holder[[one, other]] = slots.holder[[other, one]]
    assert not listed.any()
    assert np.isclose(2 * found, np.square(errors).sum() - np.square(errors_plainly(slots, views)).sum())


@given(buckets_with_views(), st.integers(0, 1_000))
def test_a_round_lowers_errors_and_keeps_to_the_rules(case, seed):
    slots, views = case
    random = np.random.default_rng(seed)
    ruled_out = random.random((3, VALUES)) < 0.3
    ruled_out[0] = False
    exclusion = random.integers(0, 3, len(slots.holder)).astype(np.int32)
    for record, bucket in enumerate(slots.bucket):
        if ruled_out[exclusion[record], slots.value[slots.bucket == bucket]].any():
            exclusion[record] = 0
    values = slots.value.copy()
    errors = margin_errors(slots, views, CELLS, KINDS)
    before = np.square(errors).sum()
    fell = swap_round(slots, views, exclusion, ruled_out, errors, random.integers(0, 2**32, (40, 2), dtype=np.uint32))
    assert np.allclose(errors, errors_plainly(slots, views))
    assert np.isclose(fell, before - np.square(errors).sum())
    assert fell >= 0
    assert sorted(slots.holder.tolist()) == list(range(len(values)))
    assert values[slots.holder].tolist() == values.tolist()
    for slot, holder in enumerate(slots.holder):
        mine = slots.value[slots.bucket == slots.bucket[slot]]
        assert not ruled_out[exclusion[holder], mine].any()
        assert allowed(slots, exclusion, ruled_out, slots.bucket[slot], holder)
