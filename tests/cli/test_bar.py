from __future__ import annotations

import io
import sys

import pytest

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
    assert "counting" in screen.getvalue()


def test_elsewhere_it_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar():
        advance("counting", 1, 5)
    assert capsys.readouterr().err == ""
