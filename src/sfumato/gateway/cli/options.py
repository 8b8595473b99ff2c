"""Options that the commands of the gateway have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SetupOption = Annotated[Path, typer.Option("--setup", help="The setup file of the gateway.")]
AsOption = Annotated[str, typer.Option("--as", help="Who asks, by the name in the file of users.")]
ForOption = Annotated[
    str | None, typer.Option("--for", help="The purpose; the only one that somebody may state, if not said.")
]


def login() -> str:
    """The name of whoever runs the command, as the machine knows them; the environment could say anything."""
    import os
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
