"""Least and largest values are answered while at least so many people could have them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.gateway.statistics.auditors import AggregateQuestion, Measure, at_least
from sfumato.gateway.statistics.kept_values import Extent
from sfumato.gateway.statistics.record_sets import RecordSet
from sfumato.gateway.statistics.records import RecordNumbers

EXTREMES = ("min", "max")
Numbers = NDArray[np.int64]
_UNBOUNDED = np.iinfo(np.int64).max


class ExtremeAuditor:
    """Refuses a least or largest value if some possible answer would leave too few people who could have it.

    The largest value of a set says that nobody in it has more and that somebody has it. Whoever is in several sets is
    bounded by the smallest answer, and can have the largest value of a set only if that is their bound: these are its
    candidates. A question is answered if, whatever the answer will be, every set keeps candidates of at least `least`
    people (two, where `least` is 1). Only answers that agree with the earlier ones are possible. The least value is the
    same with all signs turned.

    A least and a largest value can be the same, and a sum can be as large as a largest value allows; then everybody's
    value follows. So sums, least and largest values of a column are answered of people who have nothing to do with each
    other, but not of the same people; nor are those of stored values and of a weaker form of them.

    A question that was admitted and is not answered yet can have any answer. Until it has one, least and largest values
    of other sets with the same people are refused.

    References: Kenthapadi, Mishra and Nissim (2005), Simulatable auditing; Chin (1986), Security problems on inference
    control for SUM, MAX, and MIN queries.
    """

    def __init__(self, least: int) -> None:
        self.least = max(2, at_least(1, "least", least))
        self._columns: defaultdict[str | None, _Column] = defaultdict(_Column)

    def allows(self, question: AggregateQuestion) -> bool:
        """Whether all sets keep enough candidates; of sums, whether no extremes of the same people are known."""
        if question.kind not in ("sum", *EXTREMES):
            return True
        column = self._columns[question.column]
        if any(column.concerns_others(question, records) for records in question.sets):
            return False
        if question.kind == "sum":
            return True
        history = column.history(question)
        if any(history.waits_for(records) for records in question.sets):
            return False
        return question.is_disjoint and history.keeps(question.sets, question.records, self.least)

    def remember(self, question: AggregateQuestion) -> None:
        """Whom the question is about; what was answered comes with `answered`."""
        if question.kind in ("sum", *EXTREMES):
            column = self._columns[question.column]
            for records in question.sets:
                column.note(question, records)

    def answered(self, question: AggregateQuestion, answers: list[Extent | None]) -> None:
        """The least or largest value of every set; None where there is none."""
        if question.kind in EXTREMES:
            history = self._columns[question.column].history(question)
            for records, answer in zip(question.sets, answers, strict=True):
                history.add(records, answer if question.kind == "max" or answer is None else answer.turned())


@dataclass
class _Column:
    """What is known of one column: whom sums, least and largest values were about, and what the latter were."""

    people: defaultdict[Measure, set[int]] = field(default_factory=lambda: defaultdict(set))
    histories: dict[Measure, _History] = field(default_factory=dict)

    def history(self, question: AggregateQuestion) -> _History:
        return self.histories.setdefault(question.measure, _History())

    def note(self, question: AggregateQuestion, records: RecordSet) -> None:
        self.people[question.measure].update(question.records.owners(records.all_numbers()).tolist())
        if question.kind in EXTREMES:
            self.history(question).expect(records)

    def concerns_others(self, question: AggregateQuestion, records: RecordSet) -> bool:
        """Whether another aggregate or another form of the column was answered about somebody in the set."""
        others = set[int]().union(*(people for one, people in self.people.items() if one != question.measure))
        return bool(others) and not others.isdisjoint(question.records.owners(records.all_numbers()).tolist())


class _History:
    """Largest values that were answered, of sets of records, and sets whose answer is still to come.

    An answer that is larger than all bounds of its set says that values have changed. Those of others have not, so
    nothing is forgotten: `_versions` are all answers that can be true together, from each such answer on, and a
    question has to be harmless in all of them.
    """

    def __init__(self) -> None:
        self._versions = [_Answered()]
        self._done: set[RecordSet] = set()
        self._expected: set[RecordSet] = set()

    def expect(self, records: RecordSet) -> None:
        """The answer of a set is to come, unless it was answered before."""
        if records not in self._done:
            self._expected.add(records)

    def waits_for(self, records: RecordSet) -> bool:
        """Whether the answer of another set with some of these records is still to come."""
        return any(one != records and one.overlap(records) for one in self._expected)

    def add(self, records: RecordSet, answer: Extent | None) -> None:
        """A set and its largest value; None where it has none."""
        self._expected.discard(records)
        self._done.add(records)
        if answer is None:
            return
        if not self._versions[-1].agrees(records, answer):
            self._versions.append(_Answered())
        for version in self._versions:
            if version.agrees(records, answer):
                version.add(records, answer)

    def keeps(self, sets: Sequence[RecordSet], whose: RecordNumbers, least: int) -> bool:
        """Whether every set keeps enough candidates, whatever the largest values of these sets are."""
        return all(version.keeps(sets, whose, least) for version in self._versions)


class _Answered:
    """Largest values of sets of records that can all be true of the same values."""

    def __init__(self) -> None:
        self._sets: list[tuple[RecordSet, Extent]] = []

    def agrees(self, records: RecordSet, answer: Extent) -> bool:
        """Whether somebody in the set can have this value."""
        values, bounds = self._bounds(records.bound)
        own = bounds[records.all_numbers()]
        return bool((own == _UNBOUNDED).any()) or not len(own) or values[int(own.max())] >= answer

    def add(self, records: RecordSet, answer: Extent) -> None:
        """A set and its largest value."""
        self._sets.append((records, answer))

    def keeps(self, sets: Sequence[RecordSet], whose: RecordNumbers, least: int) -> bool:
        """Whether every set keeps enough candidates, whatever the largest values of these sets are."""
        values, bounds = self._bounds(max((records.bound for records in sets), default=0))
        members = [records.all_numbers() for records in sets]
        for inside in members:
            own = bounds[inside]
            if _people(inside[own == own.max(initial=-1)], whose) < least:  # the answer is as large as it can be
                return False
        every = np.concatenate(members) if members else np.zeros(0, np.int64)
        rests = []
        for known, value in self._sets:
            numbers, place = known.all_numbers(), values.index(value)
            candidates = numbers[bounds[numbers] == place]
            rests.append((place, candidates, np.setdiff1d(candidates, every)))
        if len(sets) == 1:  # no answer is possible below the value of a set that would lose all its candidates
            lowest = max((place for place, _, rest in rests if not len(rest)), default=-1)
            return all(place <= lowest or _people(rest, whose) >= least for place, _, rest in rests if len(rest))
        return all(_enough(rest, candidates, members, whose, least) for _, candidates, rest in rests)

    def _bounds(self, size: int) -> tuple[list[Extent], Numbers]:
        """All answers in order, and for every record the place of the smallest that bounds it."""
        values = sorted({value for _, value in self._sets})
        found = np.full(max([size, *(known.bound for known, _ in self._sets)]), _UNBOUNDED, dtype=np.int64)
        for known, value in self._sets:
            numbers = known.all_numbers()
            found[numbers] = np.minimum(found[numbers], values.index(value))
        return values, found


def _enough(rest: Numbers, candidates: Numbers, members: Sequence[Numbers], whose: RecordNumbers, least: int) -> bool:
    """Whether an earlier set keeps enough candidates, whichever of several sets turn out to be smaller.

    All of them may, or, where nobody would be left, all but one.
    """
    if len(rest):
        return _people(rest, whose) >= least
    parts = [np.intersect1d(candidates, inside) for inside in members]
    return all(not len(part) or _people(part, whose) >= least for part in parts)


def _people(records: Numbers, whose: RecordNumbers) -> int:
    return len(np.unique(whose.owners(records)))
