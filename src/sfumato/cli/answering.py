"""The output of all commands: results on standard output, one sentence on standard error, and an exit code."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from sfumato.cli.interrupts import Interrupts
from sfumato.errors import SfumatoError

DOES_NOT_HOLD = 1
UNEXPECTED_ERROR = 70


class Format(StrEnum):
    """The output format of a command."""

    TEXT = "text"
    JSON = "json"


@contextmanager
def answering() -> Iterator[None]:
    """Run a command: print every error as one sentence and exit with its code.

    Of an unexpected error only the type and the line are printed, because its message could contain values of records.
    With the environment variable SFUMATO_DEBUG the error is raised with its traceback.
    """
    interrupts = Interrupts()
    try:
        with interrupts:
            yield
    except (typer.Exit, BrokenPipeError):
        raise
    except SfumatoError as error:
        typer.echo(f"sfumato: {error}", err=True)
        code = error.exit_code
    except KeyboardInterrupt:
        typer.echo("sfumato: interrupted; nothing was written.", err=True)
        code = interrupts.exit_code
    except Exception as error:
        if os.environ.get("SFUMATO_DEBUG"):
            raise
        typer.echo(f"sfumato: unexpected error ({_where(error)}); please report it.", err=True)
        code = UNEXPECTED_ERROR
    else:
        return
    raise typer.Exit(code)


def answer(form: Format, plain: Mapping[str, Any], text: Callable[[], str]) -> None:
    """Print a result as JSON, or as text; the text is computed only if it is printed."""
    if form is Format.JSON:
        from sfumato.audit.certificate import as_json

        typer.echo(as_json(plain), nl=False)
    else:
        typer.echo(text())


def _where(error: Exception) -> str:
    """The type of an error and the line that raised it; for an error of a server, the place that it reported."""
    if isinstance(place := getattr(error, "where", None), str):
        return place
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    line = f" in {Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}{line}"
