"""Confidence: how sure somebody can be of the sensitive value of a person, from the original and from a release."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sfumato.disclosure.groups import Groups
from sfumato.disclosure.published_digits import rounded, rounded_up


@dataclass(frozen=True)
class Confidence:
    """How often a guess of a sensitive value is right: for the person at highest risk, and on average.

    The guess is the most frequent value of the group of a person. `original_highest` and `original_average` are those
    of somebody who has the original table without identifiers; `guess` is that of somebody who knows only how frequent
    each value is in the whole table.
    """

    column: str
    highest: float
    average: float
    original_highest: float
    original_average: float
    guess: float

    @classmethod
    def of(cls, published: Groups, original: Groups, column: str) -> Confidence:
        """Compare the groups of the release with those of the original."""
        whole = original.whole(column)
        persons = original.table.persons if original.unit == "persons" else original.table.records
        guess = int(whole.max(initial=0)) / persons if persons else 0.0
        highest, average = _of_groups(published, column)
        before = [rounded(share) for share in _of_groups(original, column)]
        return cls(column, highest, average, before[0], before[1], rounded(guess))

    def rounded(self) -> Confidence:
        """The same with three significant digits, rounded up, if the published file does not show the numbers."""
        return replace(self, highest=rounded_up(self.highest), average=rounded_up(self.average))


def _of_groups(groups: Groups, column: str) -> tuple[float, float]:
    """The highest and the average share of the most frequent value of a group; both are 0 without groups."""
    if not len(groups):
        return 0.0, 0.0
    largest = groups.histogram(column).largest()
    return float((largest / groups.sizes).max()), int(largest.sum()) / groups.records
