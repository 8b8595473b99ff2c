"""Key files: secret keys for pseudonyms, digests of the input and heads of the audit log.

`sfumato key new` writes them; plans, pseudonyms and the audit log read them.
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
    """Read the key in a file that only its owner can read; a line end after the key is ignored."""
    name = Path(path).name
    try:
        with Path(path).open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            key = stream.read().rstrip(b"\r\n")
    except OSError:
        raise UsageError(f"the key file {name!r} cannot be read; make one with 'sfumato key new FILE'.") from None
    if len(key) < KEY_BYTES:
        raise UsageError(
            f"the key in {name!r} must have at least {KEY_BYTES} bytes; got {len(key)}. "
            "Make one with 'sfumato key new FILE'."
        )
    if os.name == "posix" and mode & 0o077:  # elsewhere the mode does not tell who can read a file
        raise UsageError(f"others can read the key file {name!r}; let only its owner read it, with chmod 600.")
    return key
