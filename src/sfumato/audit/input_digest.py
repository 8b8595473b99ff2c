"""The digest that identifies the input of a release in its certificate."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.errors import DataError


@dataclass(frozen=True)
class InputDigest:
    """HMAC-SHA-256 of a file under a secret key, or its plain SHA-256 without a key.

    With a plain digest, anybody can test guesses: an attacker who knows the table except for one cell can compute the
    digest for every possible value of that cell and compare. With a key only its holder can do so. The plain digest is
    for data that are public.

    >>> InputDigest(bytes(range(32))).method, InputDigest().method
    ('hmac-sha256', 'sha256')
    """

    key: bytes | None = field(default=None, repr=False)

    @property
    def method(self) -> str:
        """The name of the digest method in the certificate."""
        return "sha256" if self.key is None else "hmac-sha256"

    def of(self, path: Path) -> dict[str, str]:
        """The method and the digest of a file; the file is read in blocks."""
        key = self.key
        start = hashlib.sha256 if key is None else lambda: hmac.new(key, digestmod="sha256")
        try:
            with path.open("rb") as stream:
                return {"method": self.method, "value": hashlib.file_digest(stream, start).hexdigest()}
        except OSError:
            raise DataError(f"file {path.name!r} cannot be read; does it exist, and may you read it?") from None
