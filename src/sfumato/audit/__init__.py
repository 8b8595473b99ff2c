"""Audits of published files, and certificates with what was found in them."""

from sfumato.audit.audit import Audit

__all__ = ["Audit"]
