"""Checks of files that commands write: none overwrites its own input, or another file without `--force`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sfumato.errors import UsageError


def demand_free(output: Path, *, option: str, inputs: Sequence[Path], force: bool) -> None:
    """Raise an error if `output`, named by an option, is an input, or if it exists and may not be overwritten."""
    for file in inputs:
        if output.resolve() == file.resolve() or (output.exists() and file.exists() and output.samefile(file)):
            raise UsageError(f"{option} would overwrite the input {file.name!r}; name another file.")
    if output.exists() and not force:
        raise UsageError(f"the file {output.name!r} exists; choose another name with {option}, or use --force.")
