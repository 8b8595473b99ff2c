"""What is to be said against a policy, one thing at a time."""

from __future__ import annotations

from dataclasses import dataclass

MISFIT = "does not fit"
"""The kind of findings with which a policy cannot be applied: it says something that the tables do not bear."""


@dataclass(frozen=True)
class Finding:
    """Something in a policy that is probably not meant."""

    kind: str
    where: str
    said: str

    def to_dict(self) -> dict[str, str]:
        """Plain data."""
        return dict(vars(self))
