"""Questions about a few people for tests of auditors: everybody has one record, or some have several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sfumato.gateway.statistics.auditors import AuditedAggregate
from sfumato.gateway.statistics.record_sets import RecordSet
from sfumato.gateway.statistics.records import RecordNumbers


def records_of(person_of: Sequence[int]) -> RecordNumbers:
    """Record i is of the person with this number; the numbers are those that the records get."""
    made = RecordNumbers()
    for record, person in enumerate(person_of):
        people, records = np.array([person + 1000], np.uint64), np.array([record + 2000], np.uint64)
        made.add(made.unseen(people, records))
    return made


def alone(size: int = 100) -> RecordNumbers:
    """Everybody has one record."""
    return records_of(range(size))


ALONE = alone()


def asked(
    *groups: Iterable[int],
    function: str = "sum",
    column: str | None = "score",
    form: str | None = None,
    population: int = 100,
    records: RecordNumbers = ALONE,
) -> AuditedAggregate:
    """An aggregate over each of these groups of records."""
    return AuditedAggregate(
        function=function,
        form=form,
        column=column,
        population=population,
        records=records,
        sets=tuple(RecordSet.of(sorted(group)) for group in groups),
    )
