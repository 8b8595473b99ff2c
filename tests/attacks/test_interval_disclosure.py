from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks import IntervalDisclosure
from sfumato.disclosure.paired_numbers import PairedNumbers
from tests.attacks.test_rank_linkage import rank


@given(st.lists(st.integers(0, 6), min_size=1, max_size=8), st.data(), st.sampled_from([0.1, 0.25, 0.5]))
def test_ranks_against_every_pair(before, data, width):
    after = data.draw(st.lists(st.integers(0, 6), min_size=len(before), max_size=len(before)))
    inside = [
        [abs(rank(before, was) - rank(before, now)) <= width * len(before) + 1e-6 for now in after] for was in before
    ]
    result = IntervalDisclosure(width=width).run(PairedNumbers.of_arrays(before, after))
    assert result.rate == pytest.approx(np.mean(np.diag(inside)))
    assert result.baseline == pytest.approx(np.mean(inside))


def test_deviations():
    """The standard deviation is 1, and the second number moves by 0.3."""
    pair = PairedNumbers.of_arrays([1, 3], [1, 3.3])
    assert IntervalDisclosure(by="deviation", width=0.2).run(pair).rate == 0.5
    assert IntervalDisclosure(by="deviation", width=0.3).run(pair).rate == 1


def test_every_column_must_lie_inside():
    pair = PairedNumbers.of_arrays([[1, 1], [2, 2], [3, 3], [4, 4]], [[1, 4], [2, 2], [3, 3], [4, 1]])
    assert IntervalDisclosure(width=0.1).run(pair).rate == 0.5


def test_the_baseline_is_that_of_records_dealt_out_at_random():
    random = np.random.default_rng(0)
    before, counts = random.normal(size=(30, 2)), random.integers(1, 4, size=30)
    after = before + random.normal(size=before.shape) / 4
    every = np.repeat(before, counts, axis=0), np.repeat(after, counts, axis=0)
    attack = IntervalDisclosure(by="deviation", width=0.4)
    baseline = attack.run(PairedNumbers.of_arrays(before, after, counts=counts)).baseline
    shuffled = [attack.run(PairedNumbers.of_arrays(every[0], random.permutation(every[1]))).rate for _ in range(300)]
    assert baseline == pytest.approx(np.mean(shuffled), abs=0.01)
