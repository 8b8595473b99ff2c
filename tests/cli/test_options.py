from __future__ import annotations

import inspect

import pytest

from sfumato.cli import options
from sfumato.cli.attack import attack
from sfumato.cli.check import check
from sfumato.cli.options import split_names


def test_names_as_written() -> None:
    assert split_names(["a, b", '"c,d"', "a"]) == ["a", "b", "c,d"]
    assert split_names([]) == split_names([""]) == []


@pytest.mark.parametrize("name", ["bucket", "original", "waiver", "missing", "separator", "encoding"])
def test_commands_that_read_a_release_say_the_same_of_it(name: str) -> None:
    shared = vars(options)[f"{name.capitalize()}Option"]
    for command in (attack, check):
        assert inspect.signature(command, eval_str=True).parameters[name].annotation == shared
