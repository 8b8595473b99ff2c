"""How every command answers: results to standard output, one sentence to standard error, and an exit code."""

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
BROKEN = 70


class Format(StrEnum):
    """How a command writes its result."""

    TEXT = "text"
    JSON = "json"


@contextmanager
def answering() -> Iterator[None]:
    """Turn every failure into one readable sentence and its exit code.

    An error nobody foresaw is named by its type only: its message could hold a value of a record. Whoever needs the
    whole story sets SFUMATO_DEBUG.
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
        typer.echo(f"sfumato: this should not have happened ({_where(error)}); please report it.", err=True)
        code = BROKEN
    else:
        return
    raise typer.Exit(code)


def answer(form: Format, plain: Mapping[str, Any], text: Callable[[], str]) -> None:
    """Write a result: as JSON, or as the text that is made only when it is wanted."""
    if form is Format.JSON:
        from sfumato.audit.certificate import as_json

        typer.echo(as_json(plain), nl=False)
    else:
        typer.echo(text())


def _where(error: Exception) -> str:
    """The type of an error and the line it came from; of a server's error, what the server said of it."""
    if isinstance(told := getattr(error, "where", None), str):
        return told
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" in {Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}{place}"
