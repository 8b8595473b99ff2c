from __future__ import annotations

import inspect
from dataclasses import fields

import pytest

from sfumato.cli import options
from sfumato.cli.attack import attack
from sfumato.cli.check import check
from sfumato.cli.compare import compare
from sfumato.cli.estimate import estimate
from sfumato.cli.init import init
from sfumato.cli.mask import mask
from sfumato.cli.options import parsed_settings, split_names
from sfumato.engines.read_options import ReadOptions
from sfumato.errors import UsageError


def test_names_as_written() -> None:
    assert split_names(["a, b", '"c,d"', "a"]) == ["a", "b", "c,d"]
    assert split_names([]) == split_names([""]) == []


@pytest.mark.parametrize("name", ["bucket", "original", "waiver", "missing"])
def test_commands_that_read_a_release_say_the_same_of_it(name: str) -> None:
    shared = vars(options)[f"{name.capitalize()}Option"]
    for command in (attack, check):
        assert inspect.signature(command, eval_str=True).parameters[name].annotation == shared


def test_a_command_that_reads_files_has_an_option_for_every_way_to_read_them() -> None:
    for command in (attack, check, compare, estimate, init, mask):
        assert {field.name for field in fields(ReadOptions)} <= set(inspect.signature(command).parameters)


def test_settings_as_written() -> None:
    assert parsed_settings(["k=5", " l = a=b "], "x") == {"k": "5", "l": "a=b"}
    with pytest.raises(UsageError, match="a setting of x is written name=value; got 'k'"):
        parsed_settings(["k"], "x")
    with pytest.raises(UsageError, match="x has the setting 'k' twice"):
        parsed_settings(["k=5000", "k=2"], "x")
