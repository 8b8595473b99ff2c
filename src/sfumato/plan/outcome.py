"""The outcome of a plan: the release, its certificate, the written files and the seconds of every step."""

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
    """A complete publication: every model was checked again on the written files, or on the tables of a database."""

    release: TableRelease
    certificate: Certificate
    files: Mapping[str, Path]
    tables: Mapping[str, str]
    seconds: Mapping[str, float]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts on the written files, one for each model."""
        return self.certificate.verdicts

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain data, for the command line."""
        return {
            "files": {name: str(path) for name, path in self.files.items()},
            **({"tables": dict(self.tables)} if self.tables else {}),
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
            **self.certificate.to_dict(),
        }
