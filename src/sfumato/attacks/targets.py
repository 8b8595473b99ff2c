"""Targets: the people in a release as an attacker meets them, and the truth to compare his guesses with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.published_view import PublishedView
from sfumato.errors import UsageError
from sfumato.releases.candidate import Candidate

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Targets:
    """Everybody who is published: what the attacker knows of them, and the group of the release each is seen in.

    `table` has their original quasi values, which somebody who attacks them knows, and their secrets. Whose secret is
    whose is the truth where `truth_known`; else only that the secrets of a group belong to its members.
    """

    table: Table
    sensitive: str
    group: Codes
    truth_known: bool = True

    @property
    def people(self) -> int:
        """How many are published."""
        return self.table.records

    @property
    def groups(self) -> Groups:
        """Who shares a group, and which secrets it has; all that the release says."""
        return Groups.of_labels(self.table, self.group)

    @classmethod
    def of_candidate(cls, candidate: Candidate, sensitive: str = "") -> Targets:
        """The people of a release that was made here."""
        column = candidate.original.schema.one_sensitive(sensitive)
        seen = candidate.groups(asked=[column])
        return cls(candidate.people, column, _labels(seen))

    @classmethod
    def of_published(cls, published: PublishedView, sensitive: str = "") -> Targets:
        """The people of a release that was read, by its original, or by quasi values that it shows as they are."""
        column = published.schema.one_sensitive(sensitive)
        group = _labels(published.groups(asked=[column]))
        if published.people is None:
            raise UsageError(
                "the release does not show who people are; give the original beside it, or name the column of the "
                "bucket if the release is bucketized."
            )
        return cls(published.people, column, group, truth_known=published.original is not None)


def _labels(groups: Groups) -> Codes:
    return groups.labels if groups.labels is not None else np.zeros(0, dtype=np.int32)
