"""The pool: sessions are shared, never by two at once, and broken ones are not kept."""

from __future__ import annotations

import threading
from time import monotonic, sleep

import pytest

from sfumato.errors import DataError, LimitError
from sfumato.gateway.engines.postgres.session_pool import SessionPool


class Stub:
    """A session that does nothing."""

    def __init__(self) -> None:
        self.idle, self.users, self.ended = True, 0, ""

    def close(self) -> None:
        self.ended = "closed"

    def abandon(self) -> None:
        self.ended = "abandoned"


class Opened:
    def __init__(self) -> None:
        self.all: list[Stub] = []

    def __call__(self) -> Stub:
        self.all.append(Stub())
        return self.all[-1]


def soon() -> float:
    return monotonic() + 5


def test_a_session_is_used_again() -> None:
    opened = Opened()
    pool = SessionPool(opened, 3)  # type: ignore[arg-type]
    for _ in range(5):
        with pool.session(soon()):
            pass
    assert len(opened.all) == 1


def test_what_is_under_way_is_abandoned() -> None:
    opened = Opened()
    pool = SessionPool(opened, 1)  # type: ignore[arg-type]
    with pool.session(soon()) as session:
        session.idle = False
    with pool.session(soon()):
        pass
    assert [one.ended for one in opened.all] == ["abandoned", ""]


def test_a_refusal_does_not_cost_the_session() -> None:
    opened = Opened()
    pool = SessionPool(opened, 1)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError), pool.session(soon()):
        raise RuntimeError
    with pool.session(soon()):
        pass
    assert len(opened.all) == 1


def test_waiting_ends_in_time() -> None:
    pool = SessionPool(Opened(), 1)  # type: ignore[arg-type]
    with pool.session(soon()):
        due = monotonic() + 0.1
        with pytest.raises(LimitError, match="free in time"), pool.session(due):
            pass
        assert monotonic() >= due


def test_a_failure_to_open_gives_the_place_back() -> None:
    def failing() -> Stub:
        raise DataError("no")

    pool = SessionPool(failing, 1)  # type: ignore[arg-type]
    for _ in range(3):
        with pytest.raises(DataError, match="no"), pool.session(soon()):
            pass


def test_no_two_threads_have_the_same() -> None:
    opened, most, failures = Opened(), 3, []
    pool = SessionPool(opened, most)  # type: ignore[arg-type]

    def work() -> None:
        for _ in range(20):
            with pool.session(soon()) as session:
                session.users += 1
                if session.users > 1:
                    failures.append(session)
                sleep(0.0005)
                session.users -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(opened.all) <= most


def test_a_closed_pool_opens_no_more() -> None:
    opened = Opened()
    pool = SessionPool(opened, 2)  # type: ignore[arg-type]
    with pool.session(soon()):
        pool.close()
    assert opened.all[0].ended == "closed"
    with pytest.raises(DataError, match="closed"), pool.session(soon()):
        pass
