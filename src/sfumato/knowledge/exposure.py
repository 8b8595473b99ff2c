"""Exposure: how many records a rule helps to expose. `matching_l_diversity` explains with it why a release fails."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.kernels.arrays import Flags
from sfumato.knowledge.knowledge import Knowledge
from sfumato.knowledge.rule import Rule


@dataclass(frozen=True)
class Exposure:
    """A rule, and the number of exposed records for which it rules out a value that occurs in their group.

    A record that several rules apply to counts for each of them. The text contains the rule and no value of a record.
    """

    rule: Rule
    records: int

    def __str__(self) -> str:
        return f"{self.rule} ({self.records:,} exposed record{'s' if self.records != 1 else ''})"


def exposures(knowledge: Knowledge, groups: Groups, exposed: Flags, people: Table) -> tuple[Exposure, ...]:
    """The rules that apply to exposed records, those with the most exposed records first.

    `exposed` marks rows of the groups' table, and `people` has the same rows with their original values.
    """
    # Groups without labels (given by counts only) expose no row.
    labels = np.zeros(0, dtype=np.int32) if groups.labels is None else groups.labels[exposed]
    some = people.rows_where(exposed)
    secrets, domain = groups.histogram(knowledge.sensitive), groups.domain(knowledge.sensitive)

    @cache
    def there(value: str) -> Flags:
        """Which exposed rows have the value in their group."""
        code = domain.code_of(value)
        return np.zeros(len(labels), dtype=bool) if code is None else secrets.of_value(code)[labels] > 0

    found = [
        Exposure(rule, int(some.counts[rows & there(rule.value)].sum()))
        for when, rules in knowledge.never_by_items.items()
        for rows in (knowledge.rows_where(some, when),)
        for rule in rules
    ]
    return tuple(sorted((one for one in found if one.records), key=lambda one: -one.records))
