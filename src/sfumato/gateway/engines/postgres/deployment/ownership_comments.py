"""Comments that mark what the gateway created in a database, so that it changes and drops nothing else.

A deployment writes them, `DeployedState` reads them, and sessions compare the policy digest in them with every answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Part = Literal["home", "purpose", "flat", "view", "role", "choice", "history"]
"""What a commented object is for."""

MAKER = "sfumato"
"""Tells the gateway's comments from others."""


@dataclass(frozen=True)
class OwnershipComment:
    """What an object in the database is for, and the deployment it belongs to, by the prefix of its names.

    The comment is part of the object: the same transaction that creates or drops the object creates or drops the
    comment.

    >>> comment = OwnershipComment("purpose", "sfumato", {"digest": "1f"})
    >>> OwnershipComment.read(comment.text) == comment
    True
    >>> OwnershipComment.read("the customers of the shop") is None
    True
    """

    part: Part
    prefix: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The comment, as JSON."""
        return json.dumps({"made_by": MAKER, "part": self.part, "home": self.prefix, **self.facts}, sort_keys=True)

    @property
    def digest(self) -> str | None:
        """The digest of the policy that the object was created from."""
        return self.facts.get("digest")

    @classmethod
    def read(cls, comment: str | None) -> OwnershipComment | None:
        """Parse a comment; None if it was not written by the gateway."""
        try:
            fields = json.loads(comment or "")
        except ValueError:
            return None
        if not isinstance(fields, dict) or fields.pop("made_by", None) != MAKER:
            return None
        part, prefix = fields.pop("part", None), fields.pop("home", None)
        return cls(part, prefix, fields) if part and prefix else None
