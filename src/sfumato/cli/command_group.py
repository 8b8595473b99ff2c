"""The group of all commands: it gives each of them the options that all have, and prints usage errors as JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import typer
from typer.core import TyperGroup

from sfumato.cli.answering import Format, presenting, report_error
from sfumato.cli.options import detail_options

_CommandError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
"""What typer raises for a call that it cannot read."""


class CommandGroup(TyperGroup):
    """The commands of `sfumato`. All of them and all groups get the options of `detail_options`, this group too.

    So these options can stand at any place: before a command or after it.

    A call that typer refuses, such as one with an unknown option, is an error like all others if it asks for JSON.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        for command in (self, *_inner(self)):
            command.params += detail_options()
            if not hasattr(command, "commands"):
                command.parse_args = _with_hint(command.parse_args, command.params)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command that the arguments name."""
        words = sys.argv[1:] if args is None else list(args)
        with presenting(Format.JSON if _asks_for_json(words) else Format.TEXT) as chosen:
            as_json = chosen.errors is Format.JSON and standalone_mode
            try:
                code = super().main(
                    args, prog_name, complete_var, standalone_mode and not as_json, windows_expand_args, **extra
                )
            except _CommandError as error:
                if not as_json:
                    raise
                code = report_error("UsageError", error.format_message(), error.exit_code)
            if not as_json:
                return code
            sys.exit(code if isinstance(code, int) else 0)


def _with_hint(parse: Callable[..., Any], params: Sequence[Any]) -> Callable[..., Any]:
    """Add to the refusal of words that no option takes how several column names are written."""
    lists = {name for one in params if one.name in ("quasi", "sensitive") for name in one.opts}

    def parse_args(context: Any, words: list[str]) -> Any:
        given = list(words)
        try:
            return parse(context, words)
        except _CommandError as error:
            option = next((word for word in given if word in lists), None)
            if option and "extra argument" in error.message:
                error.message = f"{error.message}. Write names of columns with commas and no spaces: {option} a,b"
            raise

    return parse_args


def _inner(group: Any) -> Iterator[Any]:
    """All commands and groups in a group, at any depth."""
    for one in group.commands.values():
        yield one
        if hasattr(one, "commands"):
            yield from _inner(one)


def _asks_for_json(words: Sequence[str]) -> bool:
    """Whether the arguments have `--format json`, even if others cannot be read."""
    return "--format=json" in words or ("--format", "json") in pairwise(words)
