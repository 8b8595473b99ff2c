"""Policies: read from TOML, checked, held against the database, and followed while they change."""

from sfumato.gateway.policy.policy import Policy

__all__ = ["Policy"]
