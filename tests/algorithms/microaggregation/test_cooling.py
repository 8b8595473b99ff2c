import time
from math import inf

import numpy as np
import pytest

from sfumato.algorithms.microaggregation import cooling as module
from sfumato.algorithms.microaggregation.cooling import AGAIN, COLD, HOT, ROUND, TOP, Cooling

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
