"""The second look: a written release is read back and measured, and the certificate says what was found."""

from sfumato.audit.audit import Audit

__all__ = ["Audit"]
