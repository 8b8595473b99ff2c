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
