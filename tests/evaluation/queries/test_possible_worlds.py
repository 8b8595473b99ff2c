"""One bucket, beside the average over every way to shuffle it."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.evaluation.queries.possible_worlds import PossibleWorlds


@given(
    st.integers(1, 4).flatmap(
        lambda size: st.tuples(
            st.lists(st.integers(-5, 5), min_size=size, max_size=size),
            st.lists(st.integers(0, size), max_size=2),
        )
    )
)
def test_like_every_shuffle(given_ones):
    numbers, matching = given_ones
    size = len(numbers)
    marks = [[place < often for place in range(size)] for often in matching]
    sums, counts = [], []
    for orders in product(list(permutations(range(size))), repeat=len(marks)):
        hit = [all(mark[order[place]] for mark, order in zip(marks, orders, strict=True)) for place in range(size)]
        sums.append(sum(number for number, there in zip(numbers, hit, strict=True) if there))
        counts.append(sum(hit))
    worlds = PossibleWorlds(np.array([float(size)]), [np.array([float(often)]) for often in matching])
    assert worlds.mean(np.array([float(sum(numbers))])) == pytest.approx(np.mean(sums), abs=1e-9)
    assert (worlds.fewest[0], worlds.most[0]) == (min(counts), max(counts))


def test_no_buckets():
    assert PossibleWorlds(np.zeros(0), []).mean(np.zeros(0)) == 0
