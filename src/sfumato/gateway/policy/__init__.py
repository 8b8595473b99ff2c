"""Policies: read from TOML, checked, compared with the database, and reloaded while they change.

`sections` declares the policy file, `policy` is the checked policy, `setup` and `live_setup` run a gateway by it, and
`linting` and `fitting` find what is wrong with it.
"""

from sfumato.gateway.policy.policy import Policy

__all__ = ["Policy"]
