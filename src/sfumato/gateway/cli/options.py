"""Options and the login name that the commands of the gateway share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SetupOption = Annotated[Path, typer.Option("--setup", help="The setup file of the gateway.")]
AsOption = Annotated[str, typer.Option("--as", help="Who asks, by the name in the file of users.")]
ForOption = Annotated[
    str | None, typer.Option("--for", help="The purpose; if not given, the only one that is permitted.")
]


def login() -> str:
    """The user who runs the command, from the operating system, because anybody can set environment variables."""
    import os
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
