"""Digests that identify the input and the output of a release in its certificate."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.engines.formats.delta_tables import parts_of_delta_table
from sfumato.engines.formats.parquet_folders import parts_of
from sfumato.errors import DataError


@dataclass(frozen=True)
class FileDigest:
    """HMAC-SHA-256 of a file under a secret key, or its plain SHA-256 without a key.

    The digest of a folder is that of a list of its Parquet files, with the path and the digest of each.

    With a plain digest, anybody can test guesses: an attacker who knows the table except for one cell can compute the
    digest for every possible value of that cell and compare. With a key only its holder can do so. The plain digest is
    for data that are public.

    >>> FileDigest(bytes(range(32))).method, FileDigest().method
    ('hmac-sha256', 'sha256')
    """

    key: bytes | None = field(default=None, repr=False)

    @property
    def method(self) -> str:
        """The name of the digest method in the certificate."""
        return "sha256" if self.key is None else "hmac-sha256"

    def of(self, path: Path, version: int | None = None) -> dict[str, str]:
        """The method and the digest of a file, a folder, or a version of a Delta table; files are read in blocks."""
        if not path.is_dir():
            return {"method": self.method, "value": self._digest_of(path)}
        described = f"folder {path.name!r}"
        parts = parts_of(path, described) if version is None else parts_of_delta_table(path, version, described)
        listed = "".join(
            f"{self._digest_of(part)}  {part.relative_to(path.resolve() if version is not None else path).as_posix()}\n"
            for part in parts
        )
        digest = self._start()
        digest.update(listed.encode())
        return {"method": self.method, "value": digest.hexdigest()}

    def _digest_of(self, path: Path) -> str:
        try:
            with path.open("rb") as stream:
                return hashlib.file_digest(stream, self._start).hexdigest()
        except OSError:
            raise DataError(f"file {path.name!r} cannot be read; does it exist, and may you read it?") from None

    def _start(self) -> Any:
        return hashlib.sha256() if self.key is None else hmac.new(self.key, digestmod="sha256")
