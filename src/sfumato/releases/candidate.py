"""The contract of a candidate: anonymized data that no model has judged yet, of any kind.

Algorithms make candidates and have them judged through their view; a release wraps a candidate that holds.
`TableCandidate` is the candidate of tables.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from sfumato.data.base import Data
from sfumato.disclosure.view import View


class Candidate(ABC):
    """Data as it would be published. A kind of data defines `view` and `parts`, and holds the `original`."""

    original: Data

    @property
    @abstractmethod
    def view(self) -> View:
        """What an attacker would see; models judge it."""

    @property
    @abstractmethod
    def parts(self) -> Mapping[str, Data]:
        """What would be published, by name; every part becomes a file."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.original!r}, {self.suppressed_records:,} suppressed>"

    @property
    def suppressed_records(self) -> int:
        """The number of records that are left out; to be overridden if several parts are about the same records."""
        return self.original.records - sum(part.records for part in self.parts.values())

    @property
    def suppressed_persons(self) -> int:
        """The number of persons with a record that is left out; the number of records if no column is a person key.

        The limit on suppression counts them, so a kind of data with person keys defines it.
        """
        return self.suppressed_records
