"""The `sfumato` command with all its subcommands.

It imports no library code at the start, so that `--help` is fast; each command imports what it needs.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from contextlib import suppress
from typing import Annotated

import typer

from sfumato.cli.attack import attack
from sfumato.cli.check import check
from sfumato.cli.command_group import CommandGroup
from sfumato.cli.compare import compare
from sfumato.cli.demo import demo
from sfumato.cli.describe import describe
from sfumato.cli.doctor import doctor
from sfumato.cli.estimate import estimate
from sfumato.cli.explore import explore
from sfumato.cli.init import init
from sfumato.cli.key import keys
from sfumato.cli.knowledge import knowledge
from sfumato.cli.listing import listing
from sfumato.cli.mask import mask
from sfumato.cli.publish import publish
from sfumato.cli.warm import warm
from sfumato.gateway.cli.gateway import gateway

_ALLOCATIONS = 50_000
"""Objects after which the garbage collector looks for cycles; Python's own number is 700."""

app = typer.Typer(
    name="sfumato",
    cls=CommandGroup,
    help="Publish data about persons so that the population stays visible and the person does not.",
    epilog="Exit codes: 0 success, 1 a model does not hold, 2 usage error, 3 infeasible, 4 unreadable data, 5 denied.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command()(init)
app.command()(publish)
app.command()(check)
app.command()(attack)
app.command()(explore)
app.command()(estimate)
app.command()(mask)
app.command()(compare)
app.command("list")(listing)
app.command()(describe)
app.command()(demo)
app.command()(warm)
app.command()(doctor)
app.add_typer(knowledge, name="knowledge")
app.add_typer(keys, name="key")
app.add_typer(gateway, name="gateway")


def _version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        typer.echo(f"sfumato {version('sfumato')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Publish data about persons so that the population stays visible and the person does not."""


class _WithoutPandas:
    """Commands take files and never frames of pandas; so it is as if not installed.

    Otherwise pyarrow loads it with its first array, which takes longer than a small command.
    """

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Nothing to say of other modules."""
        if name == "pandas":
            raise ModuleNotFoundError(name)


def main() -> None:
    """Run the command line, and end the process with its exit code."""
    sys.meta_path.insert(0, _WithoutPandas())
    # Libraries make many objects that stay until the end; looking for cycles among them takes up to 0.2 s.
    gc.set_threshold(_ALLOCATIONS)
    try:
        app()
    except SystemExit as ended:
        _end_quickly(ended.code)
        raise


def _end_quickly(code: str | int | None) -> None:
    """End the process without taking its modules apart, which takes a quarter of a second for numba and pandas.

    Functions that are registered for the end run first. It returns, for the usual way to end, if threads are still at
    work, if the code is a message, or if what was printed cannot be written.
    """
    others = [one for one in threading.enumerate() if one is not threading.current_thread() and not one.daemon]
    if others or isinstance(code, str):
        return
    atexit._run_exitfuncs()
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)
