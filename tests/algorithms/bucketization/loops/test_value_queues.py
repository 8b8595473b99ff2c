import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.loops.value_queues import give_back, piles_of, take

VALUE = np.array([0, 0, 1, 2, 2, 2], dtype=np.int32)


@given(st.lists(st.integers(0, 4), min_size=6, max_size=6), st.lists(st.integers(0, 5), max_size=30))
def test_orders_hold_whatever_is_taken_and_given_back(counts, turns):
    """A class that has records left loses one, an empty one gets one back."""
    counts = np.array(counts, dtype=np.int64)
    piles = piles_of(VALUE, np.zeros(6, dtype=np.int32), counts, 3)
    plain = counts.copy()
    for chosen in turns:
        if plain[chosen] > 0:
            take(piles, chosen)
            plain[chosen] -= 1
        else:
            give_back(piles, chosen)
            plain[chosen] += 1
        whole = np.bincount(VALUE, weights=plain)
        assert piles.left.tolist() == plain.tolist()
        assert piles.whole.tolist() == whole.tolist()
        assert (np.diff(whole[piles.values]) <= 0).all()
        assert piles.values[piles.value_at].tolist() == [0, 1, 2]
        assert piles.classes[piles.class_at].tolist() == list(range(6))
        for value in range(3):
            mine = piles.classes[piles.first[value] : piles.first[value + 1]]
            assert sorted(mine.tolist()) == np.flatnonzero(value == VALUE).tolist()
            assert (np.diff(plain[mine]) <= 0).all()


def test_the_given_counts_stay_as_they_are():
    counts = np.ones(6, dtype=np.int64)
    take(piles_of(VALUE, np.zeros(6, dtype=np.int32), counts, 3), 0)
    assert counts.tolist() == [1] * 6
