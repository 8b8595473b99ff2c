"""What a conformance check raises when a promise is broken."""

from __future__ import annotations

from sfumato.errors import SfumatoError


class ConformanceError(SfumatoError):
    """A thing on offer does not keep what it declares; the message says which thing and which promise."""
