"""Audits of published files, and certificates that record their results."""

from sfumato.audit.audit import Audit

__all__ = ["Audit"]
