"""Bytes as compressed text, so that ledger entries can hold them as JSON."""

from __future__ import annotations

import base64
import zlib


def compress_to_text(data: bytes) -> str:
    """Bytes as text, compressed quickly rather than well."""
    return base64.b64encode(zlib.compress(data, 1)).decode()


def decompress_text(text: str) -> bytes:
    """The bytes that were compressed.

    >>> decompress_text(compress_to_text(b"records"))
    b'records'
    """
    return zlib.decompress(base64.b64decode(text))
