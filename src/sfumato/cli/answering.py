"""The output of all commands: results on standard output, one sentence on standard error, and an exit code.

With `--format json` there is one JSON document on standard output in every case: the result, or the error as
`{"error": {"kind", "message", "exit_code"}}`. The sentence on standard error is the same in both formats.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from sfumato.cli.interrupts import Interrupts
from sfumato.errors import SfumatoError

DOES_NOT_HOLD = 1
UNEXPECTED_ERROR = 70
OUT_OF_MEMORY = 71

_TOO_LITTLE_MEMORY = (
    "there is not enough memory for this; use fewer quasi columns, make columns with very many values coarser (for "
    'example round the numbers of a sensitive column with thousands of them), or set cut = "median" for mondrian.'
)


class Format(StrEnum):
    """The output format of a command."""

    TEXT = "text"
    JSON = "json"


class Detail(StrEnum):
    """How much a command says beside its result."""

    QUIET = "quiet"
    NORMAL = "normal"
    VERBOSE = "verbose"


@dataclass
class Presentation:
    """How one run of the command line presents what it says; options of all commands set it."""

    detail: Detail = Detail.NORMAL
    errors: Format = Format.TEXT


_presentation: ContextVar[Presentation | None] = ContextVar("presentation", default=None)


def presentation() -> Presentation:
    """The presentation of the present run; the default one if a command is called as a function."""
    return _presentation.get() or Presentation()


@contextmanager
def presenting(errors: Format) -> Iterator[Presentation]:
    """One run of the command line, with errors in a format; options change the rest when they are read."""
    token = _presentation.set(Presentation(errors=errors))
    try:
        yield presentation()
    finally:
        _presentation.reset(token)


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
        code = report_error(type(error).__name__, str(error), error.exit_code)
    except KeyboardInterrupt:
        code = report_error("Interrupted", "interrupted; nothing was written.", interrupts.exit_code)
    except MemoryError:
        if os.environ.get("SFUMATO_DEBUG"):
            raise
        code = report_error("OutOfMemory", _TOO_LITTLE_MEMORY, OUT_OF_MEMORY)
    except Exception as error:
        if os.environ.get("SFUMATO_DEBUG"):
            raise
        said = f"unexpected error ({_where(error)}); please report it."
        code = report_error("UnexpectedError", said, UNEXPECTED_ERROR)
    else:
        return
    raise typer.Exit(code)


def report_error(kind: str, message: str, exit_code: int) -> int:
    """Print an error as one sentence and, if JSON is asked for, as a document; returns the exit code."""
    typer.echo(f"sfumato: {message}", err=True)
    if presentation().errors is Format.JSON:
        _print_json({"error": {"kind": kind, "message": message, "exit_code": exit_code}})
    return exit_code


def answer(form: Format, plain: Mapping[str, Any], text: Callable[[], str], *, brief: Iterable[object] = ()) -> None:
    """Print a result as JSON, or as text; the text is computed only if it is printed.

    With `--quiet` the lines of `brief` are printed in place of the text: files that were written, and what is shown
    only once.
    """
    if form is Format.JSON:
        _print_json(plain)
    elif presentation().detail is Detail.QUIET:
        for line in brief:
            typer.echo(str(line))
    else:
        typer.echo(text())


def _print_json(plain: Mapping[str, Any]) -> None:
    from sfumato.runtime.json_text import as_json

    typer.echo(as_json(plain), nl=False)


def _where(error: Exception) -> str:
    """The type of an error and the line that raised it; for an error of a server, the place that it reported."""
    if isinstance(place := getattr(error, "where", None), str):
        return place
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    line = f" in {Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}{line}"
