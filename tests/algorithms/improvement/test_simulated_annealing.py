import time
from itertools import count
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.improvement import simulated_annealing as module
from sfumato.algorithms.improvement.simulated_annealing import (
    AGAIN,
    COLD,
    HOT,
    ROUND,
    TOP,
    Cooling,
    cross_partitions,
    cut_down,
    improve_groups,
    renumber,
)
from sfumato.errors import ParameterError
from sfumato.runtime.progress import listening
from sfumato.runtime.time_limit import stopping
from tests.examples import examples
from tests.oracles.optimal_microaggregation import least_sse, sse


def groups_of(points, k, seed=0):
    """Any groups of at least k, without regard to where points lie."""
    order = np.random.default_rng(seed).permutation(len(points))
    labels = np.empty(len(points), dtype=np.int32)
    labels[order] = np.minimum(np.arange(len(points)) // k, max(len(points) // k - 1, 0))
    return labels


def blobs(records, columns=3, seed=0):
    random = np.random.default_rng(seed)
    centres = 4.0 * random.standard_normal((max(records // 7, 1), columns))
    return centres[random.integers(0, len(centres), records)] + random.standard_normal((records, columns))


@st.composite
def tiny_tables(draw):
    """Up to nine points, sometimes on a coarse grid so that some are the same or equally far."""
    records, columns = draw(st.integers(1, 9)), draw(st.integers(1, 3))
    points = np.random.default_rng(draw(st.integers(0, 2**32))).standard_normal((records, columns))
    return np.round(points) if draw(st.booleans()) else points


@examples(50)
@given(tiny_tables(), st.integers(1, 4), st.integers(0, 100))
def test_finds_the_optimum_of_tiny_tables(points, k, seed):
    if len(points) < k:
        return
    found = improve_groups(points, groups_of(points, k, seed), k, effort=60_000, seed=seed)
    assert np.bincount(found).min() >= k
    assert np.isclose(sse(points, found), least_sse(points, k), atol=1e-9)


@examples(30)
@given(st.integers(1, 60), st.integers(1, 9), st.integers(0, 1_000), st.sampled_from([0, 0.5, 3, 40]))
def test_never_makes_it_worse_and_keeps_groups_large_enough(records, k, seed, effort):
    points = blobs(records, seed=seed)
    start = groups_of(points, k, seed)
    found = improve_groups(points, start, k, effort=effort, seed=seed)
    assert found.dtype == np.int32
    assert np.unique(found).tolist() == list(range(found.max() + 1))
    assert np.bincount(found).min() >= min(k, records)
    assert sse(points, found) <= sse(points, start) + 1e-9


def test_a_good_partition_is_kept():
    """Nothing is better than groups of points at one place, and then there is nothing to search."""
    points = np.repeat(np.arange(5.0), 4)[:, None]
    start = np.repeat(np.arange(5), 4).astype(np.int32)
    assert improve_groups(points, start, 4, effort=100, seed=0).tolist() == start.tolist()


def test_more_effort_finds_better_groups():
    points = blobs(300)
    start = groups_of(points, 4)
    found = [sse(points, improve_groups(points, start, 4, effort=effort, seed=3)) for effort in (0, 10, 1_000)]
    assert found[0] > 2 * found[1] > 2 * found[2]


def test_the_same_seed_and_effort_give_the_same_groups():
    points = blobs(200)
    one, two, three = (improve_groups(points, groups_of(points, 3), 3, effort=200, seed=seed) for seed in (1, 1, 2))
    assert one.tolist() == two.tolist() != three.tolist()


def test_windows_and_shares_of_the_table_are_covered(monkeypatch: pytest.MonkeyPatch):
    """Far fewer records at a time than there are: groups everywhere become as good as at once."""
    points = blobs(400)
    whole = sse(points, improve_groups(points, groups_of(points, 4), 4, effort=2_000, seed=1))
    monkeypatch.setattr(module, "WINDOW", 64)
    parts = sse(points, improve_groups(points, groups_of(points, 4), 4, effort=2_000, seed=1))
    assert parts < 1.05 * whole


def test_a_time_limit_is_kept_and_used(monkeypatch: pytest.MonkeyPatch):
    points = blobs(300)
    start = groups_of(points, 4)
    module.load_loops()
    clock = count()
    monkeypatch.setattr(time, "monotonic", lambda: 0.01 * next(clock))
    found = improve_groups(points, start, 4, effort=float("inf"), seed=0, seconds=0.5)
    assert 50 <= next(clock) < 100
    assert sse(points, found) < 0.5 * sse(points, start)


def test_ends_when_somebody_has_had_enough():
    points = blobs(300)
    start = groups_of(points, 4)
    calls = []
    with stopping(lambda: calls.append(1) or len(calls) > 40):
        found = improve_groups(points, start, 4, effort=float("inf"), seed=0, seconds=600)
    assert len(calls) < 60
    assert sse(points, found) <= sse(points, start)


def test_tells_how_far_it_is():
    heard = []
    with listening(lambda what, done, total: heard.append((what, done, total))):
        improve_groups(blobs(100), groups_of(blobs(100), 3), 3, effort=100, seed=0)
    assert ("finding near records", 100, 100) in heard
    assert heard[-1] == ("improving groups", 1000, 1000)


@given(st.integers(1, 80), st.integers(1, 5), st.integers(0, 100))
def test_large_groups_are_cut_and_others_left(records, k, seed):
    random = np.random.default_rng(seed)
    points = random.standard_normal((records, 2))
    sizes = np.minimum(np.arange(records) // (3 * k), max(records // (3 * k) - 1, 0))
    start = random.permutation(sizes).astype(np.int32)
    found = cut_down(points, start, k)
    assert sse(points, found) <= sse(points, start) + 1e-9
    assert np.bincount(found).max() < 2 * k
    assert np.bincount(found).min() >= min(k, records)
    assert len(np.unique(np.stack([start, found]), axis=1).T) == found.max() + 1


def test_a_large_group_is_cut_along_its_widest_column():
    points = np.array([[0.0, 5.0], [0.1, 1.0], [0.2, 4.0], [0.0, 2.0], [0.1, 9.0]])
    assert cut_down(points, np.zeros(5, dtype=np.int32), 2).tolist() == [0, 1, 0, 1, 0]


@pytest.mark.parametrize(("effort", "seconds"), [(-1, None), (float("nan"), None), (float("inf"), None), (1, -1)])
def test_refuses_limits_that_are_none(effort, seconds):
    with pytest.raises(ParameterError, match="must be a"):
        improve_groups(blobs(20), groups_of(blobs(20), 3), 3, effort=effort, seed=0, seconds=seconds)


def test_refuses_groups_that_are_too_small():
    with pytest.raises(ParameterError, match="at least k = 3"):
        improve_groups(blobs(20), groups_of(blobs(20), 2), 3, effort=1, seed=0)


LOSSES, SIZES = np.array([6.0, 3.0, 30.0]), np.array([3, 3, 3])


def calibrated(effort, seconds=None, records=9):
    cooling = Cooling(records, effort, seconds, time.monotonic())
    cooling.calibrate(LOSSES, SIZES)
    return cooling


def test_falls_by_equal_factors_from_hot_to_cold_and_is_still_in_the_end():
    cooling, heard = calibrated(1_000), []
    while not cooling.over:
        heard.append(cooling.temperature)
        cooling.count(90)
    assert len(heard) == 100
    assert heard[0] == pytest.approx(HOT * 39 / 9)
    assert HOT * 39 / 9 > TOP * 30
    factors = np.array(heard[1:97]) / heard[:96]
    assert np.allclose(factors, factors[0])
    assert heard[96] == pytest.approx(COLD * 2.0, rel=0.1)
    assert heard[97:] == [0.0, 0.0, 0.0]
    assert cooling.temperature == 0


def test_is_over_when_time_is():
    cooling = calibrated(inf, 1e-9)
    assert cooling.over
    assert cooling.temperature == 0
    assert calibrated(inf, 0).over
    assert calibrated(0).over


def test_time_cools_as_moves_do(monkeypatch: pytest.MonkeyPatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    by_time, by_moves = calibrated(inf, 2.0, records=1_000), calibrated(1_000, records=1_000)
    for share in (0.0, 0.25, 0.5, 0.9):
        now[0] = 100.0 + 2.0 * share
        by_moves.count(int(1_000_000 * share) - round(by_moves.share * 1_000_000))
        assert by_time.share == pytest.approx(share)
        assert by_time.temperature == pytest.approx(by_moves.temperature)


def test_great_effort_is_spent_in_several_rounds():
    cooling = calibrated(3 * ROUND)
    hot = cooling.temperature
    cooling.count(int(0.9 * 9 * ROUND))
    assert cooling.temperature < 0.1 * hot
    cooling.count(int(0.1 * 9 * ROUND))
    assert cooling.turn == 1
    assert cooling.temperature == pytest.approx(AGAIN * hot)
    cooling.count(int(9 * ROUND))
    assert cooling.turn == 2
    assert cooling.temperature == pytest.approx(hot)


def test_the_dearest_group_melts_too():
    cooling = Cooling(9, 1_000, None, time.monotonic())
    cooling.calibrate(np.array([1.0, 1.0, 500.0] + [1.0] * 97), np.full(100, 3))
    assert cooling.temperature == pytest.approx(TOP * 500.0)


def test_little_effort_begins_colder_and_visits_often():
    assert calibrated(9).temperature == pytest.approx(0.1 * HOT * 39 / 9)
    assert [calibrated(effort).visit for effort in (0.5, 500, 1e6)] == [1, 10, 50]


def test_groups_that_lose_nothing_are_no_measure_of_cold():
    cooling = Cooling(9, 1_000, None, time.monotonic())
    cooling.calibrate(np.array([0.0, 0.0, 9.0]), SIZES)
    cooling.count(int(0.96 * 9_000))
    assert 0 < cooling.temperature < 1e-3


def some_labels(random, records, k):
    return renumber(random.permutation(np.minimum(np.arange(records) // k, records // k - 1)))


@given(st.integers(3, 60), st.integers(2, 4), st.integers(0, 10_000), st.integers(0, 8))
def test_is_no_worse_than_either_and_made_of_groups_of_both(records, k, seed, swaps):
    """The other partition differs from the first by a few swaps, so that much of them agrees."""
    if records < k:
        return
    random = np.random.default_rng(seed)
    points, one = random.standard_normal((records, 2)), some_labels(random, records, k)
    other = one.copy()
    for _ in range(swaps):
        here, there = random.integers(0, records, 2)
        other[[here, there]] = other[[there, here]]
    found = cross_partitions(points, one, renumber(other))
    assert sse(points, found) <= min(sse(points, one), sse(points, other)) + 1e-12
    parents = {frozenset(np.flatnonzero(labels == group)) for labels in (one, other) for group in labels}
    assert {frozenset(np.flatnonzero(found == group)) for group in found} <= parents


def test_takes_the_better_part_of_each():
    points = np.array([[0.0], [0.0], [1.0], [1.0], [7.0], [7.0], [8.0], [8.0]])
    one, other = np.array([0, 0, 1, 1, 2, 3, 2, 3]), np.array([0, 1, 0, 1, 2, 2, 3, 3])
    assert sse(points, cross_partitions(points, one, other)) == 0 < min(sse(points, one), sse(points, other))


def test_numbers_groups_by_their_first_records():
    assert renumber(np.array([7, 3, 7, 5, 3])).tolist() == [0, 1, 0, 2, 1]
