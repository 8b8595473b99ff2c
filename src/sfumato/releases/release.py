"""Releases: published data of any kind, with its provenance and the verdicts on it.

`Algorithm.anonymize` returns a release; metrics measure it, attacks are run on it, and reports explain it.
`TableRelease` is the release of tables, which can be written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sfumato.data.base import Data
from sfumato.disclosure.view import View
from sfumato.releases.candidate import Candidate
from sfumato.releases.verdict import Verdict

CandidateT = TypeVar("CandidateT", bound=Candidate)


@dataclass(frozen=True, eq=False, repr=False)
class Release(Generic[CandidateT]):
    """A judged candidate with its verdicts and its provenance: the algorithm, settings and warnings."""

    candidate: CandidateT
    verdicts: tuple[Verdict, ...]
    provenance: Mapping[str, Any]

    def __repr__(self) -> str:
        promises = ", ".join(f"{one.described} {'holds' if one.holds else 'fails'}" for one in self.verdicts)
        return f"<{type(self).__name__} of {self.original!r}, {self.suppressed_records:,} suppressed: {promises}>"

    @property
    def original(self) -> Data:
        """The data that the release was made from."""
        return self.candidate.original

    @property
    def view(self) -> View:
        """What an attacker sees: the published records of persons who do not waive protection."""
        return self.candidate.view

    @property
    def parts(self) -> Mapping[str, Data]:
        """The published data by name, such as one table, or one of the records and one of the sensitive values."""
        return self.candidate.parts

    @property
    def suppressed_records(self) -> int:
        """The number of records that are left out."""
        return self.candidate.suppressed_records

    @property
    def holds(self) -> bool:
        """Whether every model holds."""
        return all(verdict.holds for verdict in self.verdicts)
