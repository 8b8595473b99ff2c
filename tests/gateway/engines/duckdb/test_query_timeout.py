from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from sfumato.gateway.engines.duckdb.query_timeout import QueryTimeout


class Bell:
    def __init__(self) -> None:
        self.rung: list[float] = []
        self.twice = threading.Event()

    def __call__(self) -> None:
        self.rung.append(time.monotonic())
        if len(self.rung) > 1:
            self.twice.set()


@pytest.fixture
def bell() -> Bell:
    return Bell()


@pytest.fixture
def timeout(bell: Bell) -> Iterator[QueryTimeout]:
    timeout = QueryTimeout(bell)
    yield timeout
    timeout.stop()


def test_it_rings_when_time_is_up_and_again_until_it_is_turned_off(timeout: QueryTimeout, bell: Bell) -> None:
    start = time.monotonic()
    with timeout.limit_to(0.05):
        assert bell.twice.wait(5)
    assert bell.rung[0] - start >= 0.05
    count = len(bell.rung)
    time.sleep(0.1)
    assert len(bell.rung) == count


def test_it_does_not_ring_for_what_ended_in_time(timeout: QueryTimeout, bell: Bell) -> None:
    for _ in range(100):
        with timeout.limit_to(0.1):
            pass
    count = len(bell.rung)  # more than none where the machine stood still for so long
    time.sleep(0.2)
    assert len(bell.rung) == count


def test_a_shorter_limit_after_a_longer_one_is_kept(timeout: QueryTimeout, bell: Bell) -> None:
    with timeout.limit_to(60):
        pass
    with timeout.limit_to(0.02):
        assert bell.twice.wait(5)


def test_a_longer_limit_after_a_shorter_one_is_kept(timeout: QueryTimeout, bell: Bell) -> None:
    with timeout.limit_to(0.05):
        pass
    count = len(bell.rung)
    with timeout.limit_to(3600):
        time.sleep(0.15)
    assert len(bell.rung) == count


def test_a_stopped_alarm_has_no_thread(bell: Bell) -> None:
    before = threading.active_count()
    timeout = QueryTimeout(bell)
    assert threading.active_count() == before + 1
    timeout.stop()
    assert threading.active_count() == before
