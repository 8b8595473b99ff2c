"""Exposure: how many records a rule helps to expose.

`matching_l_diversity` explains with it why a release fails, and `sfumato knowledge mine` puts the rules first that
expose most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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


def by_exposure(knowledge: Knowledge, table: Table) -> Knowledge:
    """The same knowledge, with the rules first that change most of what is expected by chance.

    If a value has the share P in the table, P C of the C records that a rule applies to are expected to have it, and
    the rule says that S C have it: it changes what somebody expects of |S - P| C records. Rules without a support,
    which were not mined, come last. Shares stay in their order.
    """
    counts, domain = table.histogram(knowledge.sensitive), table.domain(knowledge.sensitive)
    whole = max(int(counts.sum()), 1)

    def changed(rule: Rule) -> float:
        code = domain.code_of(rule.value)
        expected = 0.0 if code is None else float(counts[code]) / whole
        return abs(rule.share - expected) * (rule.support or 0.0)

    never, likely = (tuple(sorted(rules, key=changed, reverse=True)) for rules in (knowledge.never, knowledge.likely))
    return replace(knowledge, never=never, likely=likely)


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
