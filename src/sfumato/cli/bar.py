"""The progress of the commands on standard error: a bar on a terminal, or with `--verbose` a line for each step."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from sfumato.cli.answering import Detail, presentation
from sfumato.runtime.progress import listening

_PAUSE = 0.05
"""Seconds between two updates of the bar."""


@contextmanager
def progress_bar() -> Iterator[None]:
    """Show the progress of the code inside on standard error: the share that is done and the time that remains.

    The bar disappears at the end. Nothing is shown with `--quiet`, and without a terminal only with `--verbose`.
    """
    detail = presentation().detail
    if detail is Detail.VERBOSE:
        with _lines():
            yield
    elif detail is Detail.QUIET or not sys.stderr.isatty():
        yield
    else:
        with _bar():
            yield


@contextmanager
def _lines() -> Iterator[None]:
    """Write a line for each piece of work when it begins, with the seconds since the start, and one at the end."""
    from importlib.metadata import version
    from platform import python_version

    packages = ("duckdb", "numba", "numpy", "pyarrow")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    typer.echo(f"sfumato {version('sfumato')}, Python {python_version()}, {versions}", err=True)
    start, told = time.perf_counter(), set[str]()

    def write(what: str) -> None:
        typer.echo(f"{time.perf_counter() - start:8.2f} s  {what}", err=True)

    def show(what: str, done: int, total: int | None) -> None:
        if what not in told:
            told.add(what)
            write(what)

    try:
        with listening(show):
            yield
    finally:
        write("end")


@contextmanager
def _bar() -> Iterator[None]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)
        shown: tuple[str, int, int | None] = ("", 0, None)
        next_time = 0.0

        def show(what: str, done: int, total: int | None) -> None:
            nonlocal shown, next_time
            now = time.monotonic()
            # New work has another speed. While a loop is compiled, the work and what is done of it stay the same.
            if total != shown[2] or done < shown[1]:
                bar.reset(task, total=total, completed=done, description=what)
            elif what != shown[0] or now >= next_time:  # drawing takes longer than many a piece of work
                bar.update(task, description=what, completed=done)
            else:
                return
            shown, next_time = (what, done, total), now + _PAUSE

        with listening(show):
            yield
