from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sfumato.cli.completion import entries_of, words_from
from sfumato.settings import catalogue
from tests.cli.test_app import HEAVY, MAIN


@pytest.mark.parametrize("kind", catalogue.kinds())
def test_names_are_those_of_the_catalogue(kind: str) -> None:
    assert tuple(entries_of(kind)("")) == catalogue.names(kind)


def test_words_begin_as_what_was_typed() -> None:
    assert words_from(lambda: ["one", "two", "onset", "one"])("on") == ["one", "onset"]


OTHERS = tuple(name for name in HEAVY if name != "pydantic")
"""Heavy libraries, without the one that typer loads itself to read arguments."""

BASH = {"COMP_WORDS": "sfumato describe k_m", "COMP_CWORD": "2", "_SFUMATO_COMPLETE": "complete_bash"}
ZSH = {"_TYPER_COMPLETE_ARGS": "sfumato describe k_m", "_SFUMATO_COMPLETE": "complete_zsh"}
FISH = {**ZSH, "_SFUMATO_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}


@pytest.mark.parametrize("shell", [BASH, ZSH, FISH], ids=["bash", "zsh", "fish"])
def test_a_shell_is_answered_without_loading_anything_heavy(shell: dict[str, str]) -> None:
    code = (
        "import sys, atexit\nsys.argv[0] = 'sfumato'\n"
        f"atexit.register(lambda: print([name for name in {OTHERS} if name in sys.modules], file=sys.stderr))\n{MAIN}"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env={**os.environ, **shell}
    )
    assert told.stderr.strip() == "[]"
    assert "k_member" in told.stdout
    assert "k_means" in told.stdout
    assert "k_anonymity" not in told.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_script(shell: str) -> None:
    code = f"import sys\nsys.argv[0] = 'sfumato'\n{MAIN}"
    environment = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    words = [sys.executable, "-c", code, "--show-completion", shell]
    told = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    assert f"complete_{shell}" in told.stdout
