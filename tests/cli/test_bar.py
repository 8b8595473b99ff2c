from __future__ import annotations

import io
import sys

import pytest

from sfumato.cli.answering import Detail, Format, presenting
from sfumato.cli.bar import progress_bar
from sfumato.runtime.progress import advance


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_it_shows_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with progress_bar():
        advance("counting", 1, 5)
        advance("writing", 3, 4)
    assert "writing" in screen.getvalue()
    assert "75%" in screen.getvalue()
    assert "-:--:--" in screen.getvalue()  # the time that remains, which is not known at the start


def test_quiet_shows_nothing_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with presenting(Format.TEXT) as chosen:
        chosen.detail = Detail.QUIET
        with progress_bar():
            advance("counting", 1, 5)
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]


def test_verbose_writes_a_line_for_each_piece_of_work(capsys: pytest.CaptureFixture[str]) -> None:
    with presenting(Format.TEXT) as chosen:
        chosen.detail = Detail.VERBOSE
        with progress_bar():
            for done in range(3):
                advance("counting", done, 3)
            advance("writing")
    versions, *lines = capsys.readouterr().err.splitlines()
    assert "numpy" in versions
    assert [line.partition(" s  ")[2] for line in lines] == ["counting", "writing", "end"]


def test_elsewhere_it_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar():
        advance("counting", 1, 5)
    assert capsys.readouterr().err == ""
