"""The error that a conformance check raises."""

from __future__ import annotations

from sfumato.errors import SfumatoError


class ConformanceError(SfumatoError):
    """A class does not behave as it declares; the message names the class and the violated rule."""
