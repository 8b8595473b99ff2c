"""What is wrong with a policy, one finding at a time."""

from __future__ import annotations

from dataclasses import dataclass

MISFIT = "does not fit"
"""The kind of findings that prevent a policy from being applied: it contradicts the tables."""


@dataclass(frozen=True)
class Finding:
    """Something in a policy that is probably a mistake: its kind, its place, and what is wrong."""

    kind: str
    where: str
    said: str

    def to_dict(self) -> dict[str, str]:
        """Plain data for JSON."""
        return dict(vars(self))
