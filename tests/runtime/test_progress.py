from __future__ import annotations

from contextvars import copy_context

import pytest

from sfumato.runtime.progress import advance, interrupt, listening, resume


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
