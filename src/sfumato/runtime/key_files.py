"""Key files: secret keys for pseudonyms and for digests of the input, stored separately from releases.

`sfumato key new` writes them; plans and pseudonyms read them.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from sfumato.errors import OutputError, UsageError

KEY_BYTES = 32
"""The least length of a key."""


def write_key(path: str | Path) -> Path:
    """Write a new random key that only its owner can read; an existing file is never overwritten."""
    target = Path(path)
    try:
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(f"the key file {target.name!r} exists, and its pseudonyms need it; name a new file.") from None
    except OSError:
        raise OutputError(f"the key file {target.name!r} cannot be written there.") from None
    with os.fdopen(handle, "wb") as stream:
        stream.write(secrets.token_hex(KEY_BYTES).encode("ascii") + b"\n")
    return target


def read_key(path: str | Path) -> bytes:
    """Read the key in a file; a line end after the key is ignored."""
    try:
        key = Path(path).read_bytes().rstrip(b"\r\n")
    except OSError:
        raise UsageError(
            f"the key file {Path(path).name!r} cannot be read; make one with 'sfumato key new FILE'."
        ) from None
    if len(key) < KEY_BYTES:
        raise UsageError(
            f"the key in {Path(path).name!r} must have at least {KEY_BYTES} bytes; got {len(key)}. "
            "Make one with 'sfumato key new FILE'."
        )
    return key
