import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.masks.loops.rank_swapping import partners


def slow(draws, reach):
    """One rank after the other, with a list of those that are free."""
    found, free = list(range(len(draws))), set(range(len(draws)))
    for rank, draw in enumerate(draws):
        if rank not in free:
            continue
        free.remove(rank)
        near = sorted(other for other in free if rank < other <= rank + reach)
        if near:
            other = near[int(draw * len(near))]
            free.remove(other)
            found[rank], found[other] = other, rank
    return found


@given(st.lists(st.floats(0, 1, exclude_max=True), max_size=40), st.integers(1, 45))
def test_against_plain_lists(draws, reach):
    assert partners(np.array(draws, dtype=np.float64), reach).tolist() == slow(draws, reach)


@given(st.integers(1, 300), st.integers(1, 50), st.integers(0, 5))
def test_pairs_within_reach(ranks, reach, seed):
    found = partners(np.random.default_rng(seed).random(ranks), reach)
    assert (found[found] == np.arange(ranks)).all()
    assert (np.abs(found - np.arange(ranks)) <= reach).all()
    assert (found == np.arange(ranks)).sum() <= ranks / 2 + 1
