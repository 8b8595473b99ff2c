"""One column of a proposal: what it is, the role that is proposed for it, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sfumato.data.kinds import Kind
from sfumato.data.schema import Role
from sfumato.plan.proposals.distinguishability import Separation


@dataclass(frozen=True)
class ProposedColumn:
    """One column: its detected type, the proposed role and the reason for it.

    `decide` says what somebody who knows the data must decide, because neither name nor values make the role sure;
    empty if they do. `frequent` is the share of records with the most frequent value, and `mostly_missing` says that
    this is the missing one. `format` is the notation of numbers or dates that are not in the standard one. `note` says
    why values that look like numbers or dates are read as texts; empty if there is nothing to say.
    """

    name: str
    kind: Kind
    role: Role
    why: str
    distinct: int
    separation: Separation
    taxonomy: Mapping[str, Any] | None = None
    note: str = ""
    format: str = ""
    decide: str = ""
    frequent: float = 0.0
    mostly_missing: bool = False

    def with_role(self, role: Role, why: str, decide: str = "") -> ProposedColumn:
        """The same column in another role."""
        return replace(self, role=role, why=why, decide=decide)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; what is empty is left out."""
        return (
            {"type": str(self.kind), "role": str(self.role), "why": self.why}
            | {"distinct": self.distinct, "separation": dict(self.separation.__dict__)}
            | ({"format": self.format} if self.format else {})
            | ({"taxonomy": dict(self.taxonomy)} if self.taxonomy else {})
            | ({"note": self.note} if self.note else {})
            | ({"decide": self.decide} if self.decide else {})
        )
