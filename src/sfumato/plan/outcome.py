"""What came of a plan: the files, what a second look at the written release found, and how long each step took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.audit.certificate import Certificate
    from sfumato.releases.table_release import TableRelease
    from sfumato.releases.verdict import Verdict


@dataclass(frozen=True, eq=False)
class Outcome:
    """A publication that is complete: every promise was checked again on the written file."""

    release: TableRelease
    certificate: Certificate
    files: Mapping[str, Path]
    seconds: Mapping[str, float]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What was found on the written file, one verdict a model."""
        return self.certificate.verdicts

    def to_dict(self) -> dict[str, Any]:
        """Plain data for the command line."""
        return {
            "files": {name: str(path) for name, path in self.files.items()},
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
            **self.certificate.to_dict(),
        }
