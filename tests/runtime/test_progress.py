from __future__ import annotations

import threading
from contextvars import copy_context
from typing import Any

import numpy as np
import pytest

from sfumato.runtime import progress
from sfumato.runtime.progress import advance, interrupt, labelling, listening, resume, step, watched


def test_nobody_needs_to_listen() -> None:
    heard: list[str] = []
    advance("counting", 1, 2)
    with listening(lambda what, done, total: heard.append(f"{what} {done}/{total}")):
        advance("counting", 1, 2)
        advance("writing")
    advance("counting", 2, 2)
    assert heard == ["counting 1/2", "writing 0/None"]


def test_everybody_who_listens_hears_while_he_listens() -> None:
    heard: list[str] = []

    def fail_inside() -> None:
        with listening(lambda *told: heard.append("inner")):
            advance("x")
            raise ValueError("stop")

    with listening(lambda *told: heard.append("outer")):
        with pytest.raises(ValueError, match="stop"):
            fail_inside()
        advance("x")
    assert heard == ["inner", "outer", "outer"]


def test_an_interruption_shows_how_far_the_work_is_and_then_the_work_again() -> None:
    heard: list[tuple[str, int, int | None]] = []
    with listening(lambda *told: heard.append(told)):
        interrupt("compiling")
        resume()
        advance("counting", 1, 5)
        interrupt("compiling")
        copy_context().run(advance, "writing", 2, 5)
        resume()
    interrupt("compiling")
    resume()
    assert heard == [
        ("compiling", 0, None),
        ("counting", 1, 5),
        ("compiling", 1, 5),
        ("writing", 2, 5),
        ("writing", 2, 5),
    ]


def test_reports_inside_a_step_begin_with_its_name_also_for_who_listens_later() -> None:
    heard: list[tuple[str, int, int | None]] = []
    with listening(lambda *told: heard.append(told)), step("deciding", 2, 6):
        advance("cutting", 1, 5)
        with listening(lambda *told: heard.append(told)):
            advance("judging")
    assert heard == [
        ("deciding (2 of 6)", 0, None),
        ("deciding (2 of 6): cutting", 1, 5),
        *[("deciding (2 of 6): judging", 0, None)] * 2,
    ]
    with step("deciding", 2, 6):
        advance("nobody listens")


def test_work_that_reports_nothing_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    heard: list[tuple[str, int, int | None]] = []
    told, values = threading.Event(), iter([-1, 3, 99])

    def hear(*report: Any) -> None:
        heard.append(report)
        if len(heard) == 2:
            told.set()
            raise KeyboardInterrupt  # ends the thread and nothing else

    with listening(hear), watched("querying", 10, lambda: next(values)):
        assert told.wait(10)
    assert heard == [("querying", 3, 10), ("querying", 10, 10)]
    with watched("querying", 10, lambda: pytest.fail("nobody listens")):
        pass


def test_groups_of_records_are_counted_while_a_loop_writes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    heard: list[tuple[str, int, int | None]] = []
    told = threading.Event()

    def hear(*report: Any) -> None:
        heard.append(report)
        told.set()

    labels = np.full(6000, -1, dtype=np.int32)
    labels[:1500] = 0
    with listening(hear):
        with labelling(labels):
            assert told.wait(10)
        assert set(heard) == {("grouping records", 1500, 6000)}
        del heard[:]
        with labelling(labels[:4000]):
            pass
    assert heard == []
