"""Marks: comments that say what the gateway made in a database, so that it touches nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Part = Literal["home", "purpose", "flat", "view", "role", "choice", "history"]

MAKER = "sfumato"


@dataclass(frozen=True)
class OwnershipComment:
    """What a thing in the database is for, and to which deployment it belongs: the one with this home schema.

    A mark is a comment, so it comes and goes with the thing it stands on, in the same transaction.

    >>> comment = OwnershipComment("purpose", "sfumato", {"digest": "1f"})
    >>> OwnershipComment.read(comment.text) == comment
    True
    >>> OwnershipComment.read("the customers of the shop") is None
    True
    """

    part: Part
    home: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The comment."""
        return json.dumps({"made_by": MAKER, "part": self.part, "home": self.home, **self.facts}, sort_keys=True)

    @property
    def digest(self) -> str | None:
        """Of the policy this was made from."""
        return self.facts.get("digest")

    @classmethod
    def read(cls, comment: str | None) -> OwnershipComment | None:
        """From a comment; None where it is somebody else's."""
        try:
            found = json.loads(comment or "")
        except ValueError:
            return None
        if not isinstance(found, dict) or found.pop("made_by", None) != MAKER:
            return None
        part, home = found.pop("part", None), found.pop("home", None)
        return cls(part, home, found) if part and home else None
