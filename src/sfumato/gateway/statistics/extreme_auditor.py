"""Audits minima and maxima: they are answered while enough people could have the value; `Accounts` uses it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.gateway.statistics.auditors import AuditedAggregate, Measure, at_least
from sfumato.gateway.statistics.record_sets import RecordSet
from sfumato.gateway.statistics.records import RecordNumbers
from sfumato.gateway.statistics.stored_values import ComparableValue

EXTREMES = ("min", "max")
Numbers = NDArray[np.int64]
_UNBOUNDED = np.iinfo(np.int64).max


class ExtremeAuditor:
    """Refuses a minimum or maximum if some possible answer would leave too few people who could have it.

    The maximum of a set says that nobody in it has more and that somebody has exactly it. Somebody in several sets is
    bounded by the smallest of their maxima, and can have the maximum of a set only if it equals that bound: these
    people are the set's candidates. A query is answered if, whatever the answer will be, every set keeps candidates
    from at least `least` people (two, if `least` is 1). Only answers that agree with the earlier ones are possible. A
    minimum is the maximum of the negated values.

    A minimum and a maximum can be equal, and a sum can be as large as a maximum allows; then everybody's value follows.
    So sums, minima and maxima of a column are answered about unrelated people, but not about the same people; nor are
    those of stored values and of a weaker form of them.

    An aggregate that was admitted but not answered yet can have any answer. Until it has one, minima and maxima of
    other sets with the same people are refused.

    References: Kenthapadi, Mishra and Nissim (2005), Simulatable auditing; Chin (1986), Security problems on inference
    control for SUM, MAX, and MIN queries.
    """

    def __init__(self, least: int) -> None:
        self.least = max(2, at_least(1, "least", least))
        self._columns: defaultdict[str | None, _ColumnHistory] = defaultdict(_ColumnHistory)

    def allows(self, aggregate: AuditedAggregate) -> bool:
        """Whether all sets keep enough candidates; for sums, whether no extremes of the same people are known."""
        if aggregate.kind not in ("sum", *EXTREMES):
            return True
        column = self._columns[aggregate.column]
        if any(column.concerns_others(aggregate, records) for records in aggregate.sets):
            return False
        if aggregate.kind == "sum":
            return True
        history = column.history(aggregate)
        if any(history.awaits_overlapping(records) for records in aggregate.sets):
            return False
        # The proof below takes requested sets as disjoint, as groups
        # are. Overlapping ones can be asked one after the other.
        return aggregate.is_disjoint and history.keeps_candidates(aggregate.sets, aggregate.records, self.least)

    def remember(self, aggregate: AuditedAggregate) -> None:
        """Remember whom the aggregate is about; `record_answers` adds what was answered."""
        if aggregate.kind in ("sum", *EXTREMES):
            column = self._columns[aggregate.column]
            for records in aggregate.sets:
                column.record(aggregate, records)

    def record_answers(self, aggregate: AuditedAggregate, answers: list[ComparableValue | None]) -> None:
        """Record the minimum or maximum of every set; None if it has none."""
        if aggregate.kind in EXTREMES:
            history = self._columns[aggregate.column].history(aggregate)
            for records, answer in zip(aggregate.sets, answers, strict=True):
                history.add(records, answer if aggregate.kind == "max" or answer is None else answer.negated())


@dataclass
class _ColumnHistory:
    """What is known of one column: whom sums, minima and maxima were about, and the answers of the latter."""

    people: defaultdict[Measure, set[int]] = field(default_factory=lambda: defaultdict(set))
    histories: dict[Measure, _AnswerHistory] = field(default_factory=dict)

    def history(self, aggregate: AuditedAggregate) -> _AnswerHistory:
        return self.histories.setdefault(aggregate.measure, _AnswerHistory())

    def record(self, aggregate: AuditedAggregate, records: RecordSet) -> None:
        self.people[aggregate.measure].update(aggregate.records.owners(records.all_numbers()).tolist())
        if aggregate.kind in EXTREMES:
            self.history(aggregate).expect(records)

    def concerns_others(self, aggregate: AuditedAggregate, records: RecordSet) -> bool:
        """Whether another aggregate or another form of the column was answered about somebody in the set."""
        others = set[int]().union(*(people for one, people in self.people.items() if one != aggregate.measure))
        return bool(others) and not others.isdisjoint(aggregate.records.owners(records.all_numbers()).tolist())


class _AnswerHistory:
    """Maxima that were answered for sets of records, and sets whose answer is still to come.

    Nothing is forgotten when values change, because the values of other people have not changed. Some answers may be
    outdated, and it is unknown which. So an aggregate has to be harmless with all answers, and with every suffix of
    them. An answer that contradicts the others leaves no candidates, and then says nothing about single people. Earlier
    answers for exactly the requested sets are left out, because the new answer replaces them.
    """

    def __init__(self) -> None:
        self._sets: dict[tuple[RecordSet, ComparableValue], None] = {}
        self._done: set[RecordSet] = set()
        self._expected: set[RecordSet] = set()

    def expect(self, records: RecordSet) -> None:
        """The answer of a set is to come, unless it was answered before."""
        if records not in self._done:
            self._expected.add(records)

    def awaits_overlapping(self, records: RecordSet) -> bool:
        """Whether the answer of another set with some of these records is still to come."""
        return any(one != records and one.overlap(records) for one in self._expected)

    def add(self, records: RecordSet, answer: ComparableValue | None) -> None:
        """Add a set and its maximum; None if it has none."""
        self._expected.discard(records)
        self._done.add(records)
        if answer is not None:
            self._sets.pop((records, answer), None)  # moved to the end: it is the newest again
            self._sets[records, answer] = None

    def keeps_candidates(self, sets: Sequence[RecordSet], whose: RecordNumbers, least: int) -> bool:
        """Whether every set keeps enough candidates, whatever the maxima of the requested sets are.

        The loop adds earlier answers from the newest to the oldest. `bounds` holds for every record the rank of the
        smallest maximum that bounds it so far, `set_of` which requested set it is in, `crossing` the earlier sets that
        overlap a requested one.
        """
        # The new answer of a requested set replaces its earlier answers, whatever it is.
        others = [(known, value) for known, value in self._sets if known not in sets]
        # Only the order of the earlier answers matters, so values are replaced by ranks.
        places = {value: place for place, value in enumerate(sorted({value for _, value in others}))}
        size = max((one.bound for one in (*sets, *(known for known, _ in others))), default=0)
        bounds = np.full(size, _UNBOUNDED, np.int64)
        set_of = np.full(size, -1, np.int64)
        members = [records.all_numbers() for records in sets]
        for place, inside in enumerate(members):
            set_of[inside] = place
        # Without earlier answers everybody in a set is a candidate.
        if any(_people(inside, whose) < least for inside in members):
            return False
        touched = np.zeros(size, bool)
        crossing: list[tuple[Numbers, int]] = []
        for known, value in reversed(others):
            numbers = known.all_numbers()
            # After this step the bounds describe the answers from this one
            # to the newest: one of the suffixes that must be harmless.
            bounds[numbers] = np.minimum(bounds[numbers], places[value])
            overlapping = np.unique(set_of[numbers])
            if overlapping[-1] >= 0:
                crossing.append((numbers, places[value]))
            if not all(_several_highest(members[one], bounds, whose, least) for one in overlapping if one >= 0):
                return False
            # Candidates of an earlier set only changed if this answer
            # lowered a bound inside it, so the others are not checked.
            touched[numbers] = True
            for one, place in crossing:
                if touched[one].any() and not _keeps_enough(one[bounds[one] == place], set_of, whose, least):
                    return False
            touched[numbers] = False
        return True


def _several_highest(inside: Numbers, bounds: Numbers, whose: RecordNumbers, least: int) -> bool:
    """Whether enough people of a set could have its maximum if that is as large as possible."""
    own = bounds[inside]
    return _people(inside[own == own.max()], whose) >= least


def _keeps_enough(candidates: Numbers, set_of: Numbers, whose: RecordNumbers, least: int) -> bool:
    """Whether an earlier set keeps enough candidates, whichever requested sets turn out to have a smaller maximum.

    All of them may, or all but one if nobody would be left. `set_of` says in which of them a record is, -1 for none.
    """
    inside = set_of[candidates]
    parts = np.unique(inside).tolist()
    if len(parts) < 2:  # no candidate can be ruled out, or all of them are in one set
        return True
    left = parts[:1] if parts[0] < 0 else parts
    return all(_people(candidates[inside == place], whose) >= least for place in left)


def _people(records: Numbers, whose: RecordNumbers) -> int:
    """How many people records belong to."""
    return len(np.unique(whose.owners(records)))
