from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks import RankLinkage
from sfumato.disclosure.paired_numbers import PairedNumbers

numbers = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8)


def rank(column, number):
    return (sum(other < number for other in column) + sum(other <= number for other in column)) / 2


def slow(masked: PairedNumbers, width: float) -> float:
    """Whoever ranks near enough in every column, one after the other."""
    before, after = masked.original, masked.published
    hits = 0.0
    for here in range(len(before)):
        left = [
            other
            for other in range(len(before))
            if all(
                abs(rank(before[:, place], after[here, place]) - rank(before[:, place], before[other, place]))
                <= width * len(before) + 1e-6
                for place in range(before.shape[1])
            )
        ]
        hits += (here in left) / max(len(left), 1)
    return hits / len(before)


@given(numbers, st.data(), st.sampled_from([0.05, 0.125, 0.3, 0.5, 1.0]))
def test_against_every_pair(before, data, width):
    after = data.draw(st.lists(st.sampled_from(before), min_size=len(before), max_size=len(before)))
    masked = PairedNumbers.of_arrays(before, after)
    assert RankLinkage(width=width).run(masked).rate == pytest.approx(slow(masked, width))


def test_everybody_is_possible_within_all_ranks():
    masked = PairedNumbers.of_arrays(np.arange(10.0), np.arange(10.0)[::-1])
    result = RankLinkage(width=1.0).run(masked)
    assert result.rate == result.baseline == pytest.approx(0.1)


def test_rows_stand_for_records():
    before, after, counts = [[1], [2], [9]], [[1], [9], [2]], [2, 1, 3]
    counted = RankLinkage(width=0.4).run(PairedNumbers.of_arrays(before, after, counts=counts))
    every = RankLinkage(width=0.4).run(PairedNumbers.of_arrays(np.repeat(before, counts), np.repeat(after, counts)))
    assert (counted.rate, counted.people) == (pytest.approx(every.rate), every.people)


def test_many_columns_leave_few_people():
    random = np.random.default_rng(0)
    before = random.normal(size=(200, 6))
    after = before + random.normal(size=before.shape) / 20
    few, many = (RankLinkage().run(PairedNumbers.of_arrays(before[:, :d], after[:, :d])).rate for d in (1, 6))
    assert few < 0.1
    assert many > 0.7
