"""Decides which exact aggregates may be answered, given those already answered, so that no person's value follows.

An auditor looks at the sets of records that aggregates are over and at earlier answers, never at the values that the
new answer would be computed from. The caller could therefore predict every refusal, and a refusal reveals nothing
(simulatable auditing).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from sfumato.errors import ParameterError
from sfumato.gateway.statistics.record_sets import RecordSet
from sfumato.gateway.statistics.records import RecordNumbers

Measure = tuple[str, str | None, str | None]
"""What is measured: kind of aggregate, column, and form of the values."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AuditedAggregate:
    """One aggregate of one column, over one set of records per group.

    `sets` are the records that a condition selects; if it is public who has a value, only those with a value. `records`
    says which person each record belongs to, and `population` how many people the table has. `form` is None for values
    as they are stored, otherwise the purpose for which they are shown in a weaker form.
    """

    function: str
    column: str | None
    form: str | None = None
    sets: tuple[RecordSet, ...]
    population: int
    records: RecordNumbers

    @property
    def kind(self) -> str:
        """The kind of aggregate; a mean counts as a sum, because the number of records is public."""
        return "sum" if self.function == "avg" else self.function

    @property
    def measure(self) -> Measure:
        """What is measured: the kind of aggregate, the column and its form."""
        return self.kind, self.column, self.form

    @cached_property
    def is_disjoint(self) -> bool:
        """Whether no record is in two of the sets, as with groups."""
        every = [records.all_numbers() for records in self.sets]
        return not every or len(np.unique(np.concatenate(every))) == sum(map(len, every))

    def people(self, records: RecordSet) -> int:
        """How many people a set of records is about."""
        return count_people(records, self.records)


class Auditor(Protocol):
    """Decides whether one account may be answered an aggregate of one table, and remembers what it was answered."""

    def allows(self, aggregate: AuditedAggregate) -> bool:
        """Whether the aggregate may be answered; changes nothing."""
        ...

    def remember(self, aggregate: AuditedAggregate) -> None:
        """Remember that the aggregate is answered."""
        ...


class SetSizeControl:
    """A set is about at least `least` people, and is about all people or leaves out at least as many.

    Otherwise the few people left out would follow from the aggregate of all minus that of the set.

    References: Hoffman and Miller (1970); Schlörer (1975).
    """

    def __init__(self, least: int) -> None:
        self.least = at_least(1, "least", least)

    def allows(self, aggregate: AuditedAggregate) -> bool:
        """Decided by the sizes of the sets alone."""
        return all(self._fits(aggregate.people(records), aggregate.population) for records in aggregate.sets)

    def remember(self, aggregate: AuditedAggregate) -> None:
        """Nothing to remember."""

    def _fits(self, people: int, population: int) -> bool:
        # By earlier owners of the records, a set may be about more people than the table has now.
        return self.least <= people and (people >= population or people <= population - self.least)


class OverlapControl:
    """A set shares at most `most` people with any set answered before, unless the two are equal.

    References: Dobkin, Jones and Lipton (1979).
    """

    def __init__(self, most: int) -> None:
        self.most = at_least(0, "most", most)
        self._earlier: dict[RecordSet, None] = {}

    def allows(self, aggregate: AuditedAggregate) -> bool:
        """Compared with all sets answered before and with the other sets of the aggregate."""
        for place, records in enumerate(aggregate.sets):
            others = (*aggregate.sets[:place], *self._earlier)
            if records not in self._earlier and any(self._collides(records, one, aggregate) for one in others):
                return False
        return True

    def remember(self, aggregate: AuditedAggregate) -> None:
        """Remember the sets."""
        self._earlier.update(dict.fromkeys(aggregate.sets))

    def _collides(self, one: RecordSet, other: RecordSet, aggregate: AuditedAggregate) -> bool:
        if one == other:
            return False
        mine, theirs = (aggregate.records.owners(records.all_numbers()) for records in (one, other))
        return len(np.intersect1d(mine, theirs)) > self.most


class DifferenceControl:
    """Two answers of one measure are over sets that differ in at least `least` people, or in none.

    Two answers over nearly equal sets reveal the few people in which they differ: the same query before and after
    somebody was added or removed, or one that excludes somebody.
    """

    def __init__(self, least: int) -> None:
        self.least = at_least(1, "least", least)
        self._earlier: dict[Measure, dict[RecordSet, None]] = {}

    def allows(self, aggregate: AuditedAggregate) -> bool:
        """Compared with all sets of the same measure answered before and with the others of the aggregate."""
        earlier = self._earlier.get(aggregate.measure, {})
        for place, records in enumerate(aggregate.sets):
            # a set of this size differs in enough people from every set that is disjoint from it
            far = aggregate.is_disjoint and aggregate.people(records) >= self.least
            others = (*(() if far else aggregate.sets[:place]), *earlier)
            if records not in earlier and any(self._too_near(records, one, aggregate.records) for one in others):
                return False
        return True

    def remember(self, aggregate: AuditedAggregate) -> None:
        """Remember the sets, each once."""
        self._earlier.setdefault(aggregate.measure, {}).update(dict.fromkeys(aggregate.sets))

    def _too_near(self, one: RecordSet, other: RecordSet, records: RecordNumbers) -> bool:
        """Whether two sets differ in some people, but in too few."""
        # With one record each, people are records, and sizes suffice.
        # Otherwise the people of the differing records are counted.
        difference_size = one.difference_size(other)
        if difference_size == 0 or (difference_size >= self.least and records.one_record_each):
            return False
        differ = np.setxor1d(one.all_numbers(), other.all_numbers(), assume_unique=True)
        return len(np.unique(records.owners(differ))) < self.least


def count_people(records: RecordSet, whose: RecordNumbers) -> int:
    """How many people a set of records is about."""
    return records.size if whose.one_record_each else len(np.unique(whose.owners(records.all_numbers())))


def at_least(bound: int, name: str, value: int) -> int:
    """The value of a setting, if it is an integer not below a bound."""
    if isinstance(value, bool) or not isinstance(value, int) or value < bound:
        raise ParameterError(f"{name!r} must be a whole number >= {bound}; got {value!r}.")
    return value
