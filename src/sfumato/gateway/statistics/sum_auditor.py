"""Audits sums and means: they are answered until the next one would reveal something about a single person.

`Accounts` has one such auditor per account if the policy asks for it.
"""

from __future__ import annotations

from collections import defaultdict

from sfumato.gateway.statistics.auditors import AuditedAggregate, Measure
from sfumato.gateway.statistics.linear_span import LinearSpan, OneRecordEach, Owners
from sfumato.gateway.statistics.modular_arithmetic import Residues
from sfumato.gateway.statistics.record_sets import RecordSet
from sfumato.gateway.statistics.records import RecordNumbers


class SumAuditor:
    """Refuses a sum or mean if, with those answered before, something about one more person would follow.

    Everything that follows from sums of a column by adding and subtracting is considered, not only pairs of answers.
    This protects exact values; it does not protect against approximate ones, nor against values that follow because a
    column has few possible values. A changed value counts as the same value, which is the worst case: whatever follows
    from sums over distinguished values follows from the same sums over values that are not distinguished.

    If people have several records, two spans are kept: one over records, one over people. The second also holds if a
    person had other records at the time of an earlier query.

    References: Chin and Özsoyoğlu (1982), Auditing and inference control in statistical databases; Kenthapadi, Mishra
    and Nissim (2005), Simulatable auditing.
    """

    def __init__(self) -> None:
        self._columns: defaultdict[Measure, _ColumnSums] = defaultdict(_ColumnSums)

    def allows(self, aggregate: AuditedAggregate) -> bool:
        """Whether the sum would reveal nobody who is not revealed already; other aggregates are always allowed."""
        return aggregate.kind != "sum" or self._columns[aggregate.measure].allows(aggregate)

    def remember(self, aggregate: AuditedAggregate) -> None:
        """The sums are known from now on, even those that should not have been answered."""
        if aggregate.kind == "sum":
            self._columns[aggregate.measure].remember(aggregate)


class _ColumnSums:
    """What is known of the sums of one column in one form.

    `_spans` are the spans over records and over people; the second is built from all earlier aggregates once somebody
    has several records. The first `_included` of `_aggregates` are in them. `_last_check` is the result of the last
    `allows`, so that `remember` need not compute it again.
    """

    def __init__(self) -> None:
        self._residues = Residues.random()
        self._aggregates: list[AuditedAggregate] = []
        self._included = 0
        self._spans: list[LinearSpan] = []
        self._last_check: tuple[AuditedAggregate, list[LinearSpan], list[LinearSpan]] | None = None

    def allows(self, aggregate: AuditedAggregate) -> bool:
        known = self._current_spans(aggregate.records)
        after = [_extended(span, aggregate, place) for place, span in enumerate(known)]
        self._last_check = aggregate, known, after
        # People who are revealed already, for example by a policy
        # that allowed it earlier, do not make later queries refused.
        return all(then.revealed == now.revealed for then, now in zip(after, known, strict=True))

    def remember(self, aggregate: AuditedAggregate) -> None:
        """Extend the spans only when needed, or from the last check: most restored aggregates are never used again."""
        current = self._included == len(self._aggregates)
        self._aggregates.append(aggregate)
        last = self._last_check
        if current and last is not None and last[0].sets == aggregate.sets and last[1] is self._spans:
            self._spans, self._included = last[2], len(self._aggregates)

    def _current_spans(self, records: RecordNumbers) -> list[LinearSpan]:
        """The spans of all aggregates."""
        if self._included == len(self._aggregates) and len(self._spans) == (1 if records.one_record_each else 2):
            return self._spans
        owners: tuple[Owners, ...] = (records,) if records.one_record_each else (records, OneRecordEach())
        spans = []
        for place, people in enumerate(owners):
            # A span that exists only lacks the newest aggregates; the span over people is built from the beginning.
            there = place < len(self._spans)
            span = self._spans[place] if there else LinearSpan.empty(self._residues, people)
            for aggregate in self._aggregates[self._included if there else 0 :]:
                span = _extended(span, aggregate, place)
            spans.append(span)
        self._spans, self._included = spans, len(self._aggregates)
        return spans


def _extended(span: LinearSpan, aggregate: AuditedAggregate, level: int) -> LinearSpan:
    """A span after an aggregate is answered; level 0 is the span over records, level 1 that over people."""
    for records in aggregate.sets:
        people = records if level == 0 else RecordSet.of(aggregate.records.owners(records.all_numbers()))
        span = span.extended(people)
    return span
