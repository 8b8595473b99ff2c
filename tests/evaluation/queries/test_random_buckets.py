"""Intervals of random buckets: by hand, and over every way in which the buckets could have been drawn."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.evaluation.queries.bucket_records import BucketRecords
from sfumato.evaluation.queries.random_buckets import RandomBuckets, largest_sum
from tests.examples import examples
from tests.oracles.draws_oracle import Place, draws


def made(buckets: Sequence[Sequence[Place]]) -> tuple[RandomBuckets, np.ndarray, list[str]]:
    """The buckets, the number at every position, and the sensitive value of every stratum."""
    places = [(str(number), value, str(at)) for number, bucket in enumerate(buckets, 1) for value, at in bucket]
    group, value, number = zip(*places, strict=True)
    schema = Schema.of(quasi=["x", "g"], sensitive=["s"], kinds={"x": "number", "g": "number"})
    table = Table.of_rows(schema, {"x": list(number), "g": list(group), "s": list(value)})
    records = BucketRecords.of(table, Linkage("g", (("x",), ("s",))))
    draw = RandomBuckets.of(records, ["s"])
    names = [table.domain("s").texts[code] for code in records.codes["s"][draw.first]]
    return draw, records.numbers("x"), names


PAIRS = [[("u", 1), ("v", 1)], [("u", 1), ("w", 0)], [("v", 0), ("w", 0)]]
"""Each two of three values share a bucket, so the total of u is that of its buckets minus that of the third."""


def test_three_buckets_by_hand():
    """The weights 1, 1, -1 are constant for u, and differ by 2 for v and w: 2 * 0.5 each, with halves of 0 and 1."""
    draw, numbers, names = made(PAIRS)
    assert names == ["u", "v", "w"]
    assert draw.strata.tolist() == [2, 2, 2]
    exact = draw.weights(np.array([1.0, 0, 0]))[0]
    assert exact.per_bucket == pytest.approx([1, 1, -1], abs=1e-5)
    assert exact.left == pytest.approx([0, 0, 0], abs=1e-5)
    assert draw.deviation(exact, numbers) == pytest.approx(sqrt(2), abs=1e-5)
    assert draw.bounds(exact, numbers, 1.0) == pytest.approx((3 - sqrt(2), 3 + sqrt(2)), abs=1e-5)


def test_values_that_always_share_their_buckets_are_not_told_apart():
    """In the first bucket u has 0 or 1, in the second 1: no draw is needed to know that, and none says more."""
    draw, numbers, _ = made([[("u", 1), ("v", 0)], [("u", 1), ("v", 1)]])
    factors = np.array([1.0, 0.0])
    for weights in draw.weights(factors):
        assert weights.per_bucket == pytest.approx([0.5, 0.5])
        assert weights.left == pytest.approx([0.5, -0.5])
    assert draw.total(factors, numbers, 1.96) == pytest.approx((1, 2), abs=1e-6)


def test_the_total_of_all_strata_is_known():
    draw, numbers, _ = made(PAIRS)
    assert draw.total(np.ones(3), numbers, 1.96) == pytest.approx((3, 3), abs=1e-6)


BUCKETS = st.lists(
    st.lists(st.tuples(st.sampled_from("uvw"), st.integers(-2, 3)), min_size=2, max_size=3, unique_by=lambda at: at[0]),
    min_size=2,
    max_size=3,
)


@examples(60)
@given(BUCKETS, st.lists(st.integers(-2, 2), min_size=3, max_size=3))
def test_over_every_draw(buckets, given_factors):
    """Estimates are right on average up to the known bias, and deviate no more than said.

    At most 1 in 4 draws are beyond two standard deviations, whatever the distribution.
    """
    by_value = dict(zip("uvw", map(float, given_factors), strict=True))
    draw, _, names = made(buckets)
    factors = np.array([by_value[name] for name in names])
    places = [place for bucket in buckets for place in bucket]
    totals = np.array([sum(number for value, number in places if value == name) for name in names])
    truth = sum(by_value[value] * number for value, number in places)
    everything = [made(drawn)[:2] for drawn in draws(buckets)]
    for weights in draw.weights(factors):
        estimates, inside, deviations = [], [], []
        for other, numbers in everything:
            estimates.append(float(weights.per_bucket @ np.add.reduceat(numbers, other.starts)))
            deviations.append(draw.deviation(weights, numbers))
            low, high = other.bounds(weights, numbers, 2.0)
            inside.append(low - 1e-6 <= truth <= high + 1e-6)
        assert np.mean(estimates) + weights.left @ totals == pytest.approx(truth, abs=1e-6)
        assert np.ptp(deviations) == pytest.approx(0, abs=1e-9)
        assert np.std(estimates) <= deviations[0] + 1e-6
        assert np.mean(inside) >= 0.75


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3)), min_size=1, max_size=4), st.data())
def test_the_largest_sum_is_the_best_of_all_amounts(pairs, data):
    rates, room = np.array(pairs, dtype=float).T
    total = data.draw(st.integers(0, int(room.sum())))
    amounts = [one for one in np.ndindex(*(int(most) + 1 for most in room)) if sum(one) == total]
    assert largest_sum(rates, room, total) == pytest.approx(max(float(rates @ np.array(one)) for one in amounts))


def test_averages_are_where_the_sum_of_differences_may_be_zero():
    """Buckets of one value each leave nothing open, so the interval is the average and nothing else."""
    draw, numbers, _ = made([[("u", 1), ("u", 2)], [("v", 4), ("v", 4)]])
    only_u, everybody = np.array([1.0, 0.0]), np.ones(4)
    found = draw.average_inside(only_u, numbers, everybody, (1.0, 4.0), 1.96)
    assert found == pytest.approx((1.5, 1.5), abs=1e-4)
    # Of the records with 4, both are v; of all records, half are.
    fours = (numbers == 4).astype(float)
    assert draw.average_of_strata(np.array([10.0, 20.0]), np.ones(2), fours, (10, 20), 1.96) == pytest.approx(
        (20, 20), abs=1e-3
    )
    assert draw.average_of_strata(np.array([10.0, 20.0]), np.ones(2), everybody, (10, 20), 1.96) == pytest.approx(
        (15, 15), abs=1e-4
    )


def test_similar_records_in_a_bucket_are_an_excess_by_hand():
    """Twenty pairs are alike. Both strata have the mean 1/2, so each pair has (0 - 1)² / 2 or (2 - 1)² / 2 = 0.5.

    All 40 records have 10 squares, and a random draw leaves at most 10 / 19 of each: 10 * 20 / 2 / 19.
    """
    draw, numbers, _ = made([[("u", number), ("v", number)] for number in [0, 1] * 10])
    assert draw.excess(numbers) == pytest.approx((10 - 100 / 19) / sqrt(20 * 0.25), abs=1e-6)
    draw, numbers, _ = made([[("u", number), ("v", 1 - number)] for number in [0, 1] * 10])
    assert draw.excess(numbers) < 0


def test_a_representation_shows_no_number():
    draw, _, _ = made([[("u", 7071), ("v", 7072)]])
    assert "707" not in repr(draw)
