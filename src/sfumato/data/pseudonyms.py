"""Keyed pseudonyms: an identifier gets the same pseudonym in every table, and only the key holder can link it back.

Plans with a `pseudonym_key` and the argument `pseudonyms` of `TableRelease.write` use them.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.errors import ParameterError
from sfumato.runtime.key_files import KEY_BYTES, read_key

LENGTH = 20
"""Characters of a pseudonym, 5 bits each."""


@dataclass(frozen=True)
class Pseudonyms:
    """Replaces identifiers by HMAC-SHA256 under a secret key, shortened to 20 letters and digits (100 bits).

    Without the key a pseudonym cannot be recomputed from a guessed identifier, which a plain hash would allow.

    >>> pseudonyms = Pseudonyms(bytes(range(32)))
    >>> pseudonyms("Alice") == pseudonyms("Alice"), len(pseudonyms("Alice"))
    (True, 20)
    """

    key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.key) < KEY_BYTES:
            raise ParameterError(
                f"the pseudonym key must be at least {KEY_BYTES} bytes; got {len(self.key)}. "
                "Make one with 'sfumato key new FILE'."
            )

    def __call__(self, identifier: str) -> str:
        """The pseudonym of one identifier."""
        digest = hmac.digest(self.key, identifier.encode("utf-8", "surrogatepass"), hashlib.sha256)
        return base64.b32encode(digest).decode("ascii")[:LENGTH].lower()

    @classmethod
    def from_file(cls, path: str | Path) -> Pseudonyms:
        """Read the key from a file; a line end after the key is ignored."""
        return cls(read_key(path))
