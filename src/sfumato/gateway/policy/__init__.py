"""Policies: read from TOML and checked.

`sections` declares the policy file, and `policy` is the checked policy, made of `purposes`, `intended_purposes` and
`roles`.
"""

from sfumato.gateway.policy.policy import Policy

__all__ = ["Policy"]
