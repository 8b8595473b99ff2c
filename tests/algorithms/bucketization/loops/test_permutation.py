"""Runs of sorted numbers, beside every way there is to cut them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.loops.permutation import narrowest_runs


def every_cutting(length: int):
    """Every way to cut so many numbers into runs."""
    for cuts in range(length):
        for places in combinations(range(1, length), cuts):
            yield list(zip((0, *places), (*places, length), strict=True))


def plain(numbers: list[int], latest: list[int]) -> tuple[int, int] | None:
    """The least sum of ranges and the most runs that reach it; None where no cutting will do."""
    found = [
        (sum(numbers[stop - 1] - numbers[start] for start, stop in runs), -len(runs))
        for runs in every_cutting(len(numbers))
        if all(start <= latest[stop - 1] for start, stop in runs)
    ]
    return min(found, default=None)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(-1, 9)), min_size=1, max_size=9))
def test_like_going_through_every_cutting(given_ones):
    numbers = sorted(number for number, _ in given_ones)
    latest = np.minimum(np.maximum.accumulate([start for _, start in given_ones]), np.arange(len(numbers)))
    label = narrowest_runs(np.array(numbers, dtype=np.float64), latest.astype(np.int64))
    starts = np.flatnonzero(np.diff(label, prepend=-1)).tolist()
    runs = list(zip(starts, [*starts[1:], len(numbers)], strict=True))
    assert label.tolist() == [place for place, (start, stop) in enumerate(runs) for _ in range(start, stop)]
    best = plain(numbers, latest.tolist())
    if best is None:
        assert len(runs) == 1
    else:
        assert (sum(numbers[stop - 1] - numbers[start] for start, stop in runs), -len(runs)) == best
        assert all(start <= latest[stop - 1] for start, stop in runs)


@pytest.mark.parametrize("length", [0, 1])
def test_hardly_anything(length):
    label = narrowest_runs(np.zeros(length), np.zeros(length, dtype=np.int64))
    assert label.tolist() == [0] * length


def test_fractions_that_tie_on_paper_tie():
    """0.1, 0.2, 0.2, 0.3 in two runs that meet at 0.2 spans no more than in one run."""
    label = narrowest_runs(np.array([0.1, 0.2, 0.2, 0.3]), np.array([-1, 0, 0, 2]))
    assert label.tolist() == [0, 0, 1, 1]
