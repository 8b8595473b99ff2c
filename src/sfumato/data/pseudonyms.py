"""Keyed pseudonyms: the same person gets the same name in every table, and only the key holder can link it back."""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.errors import ParameterError
from sfumato.runtime.key_files import KEY_BYTES, read_key

LENGTH = 20


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
        """With the key in a file; a line end that an editor added does not count."""
        return cls(read_key(path))
