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

    Nothing is forgotten when values change: somebody else's have not. An answer that contradicts others says that some
    of them are outdated, not which. So a question has to be harmless whichever of the answers hold. With fewer answers
    fewer people are ruled out, so a set that keeps enough candidates among all answers keeps them among any of them.
    Whether a new set has enough is looked up for all answers since each of them: the older ones may be outdated.
    """

    def __init__(self) -> None:
        self._sets: dict[tuple[RecordSet, Extent], None] = {}
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
        if answer is not None:
            self._sets[records, answer] = None

    def keeps(self, sets: Sequence[RecordSet], whose: RecordNumbers, least: int) -> bool:
        """Whether every set keeps enough candidates, whatever the largest values of these sets are."""
        places = {value: place for place, value in enumerate(sorted({value for _, value in self._sets}))}
        size = max((one.bound for one in (*sets, *(known for known, _ in self._sets))), default=0)
        bounds = np.full(size, _UNBOUNDED, np.int64)
        asked = np.full(size, -1, np.int64)
        members = [records.all_numbers() for records in sets]
        for place, inside in enumerate(members):
            asked[inside] = place
        if any(_people(inside, whose) < least for inside in members):
            return False
        for known, value in reversed(self._sets):
            numbers = known.all_numbers()
            bounds[numbers] = np.minimum(bounds[numbers], places[value])
            for place in np.unique(asked[numbers]):
                if place >= 0 and not _several_highest(members[place], bounds, whose, least):
                    return False
        return all(
            _enough(numbers, bounds[numbers] == places[value], asked[numbers], whose, least)
            for numbers, value in ((known.all_numbers(), value) for known, value in self._sets)
        )


def _several_highest(inside: Numbers, bounds: Numbers, whose: RecordNumbers, least: int) -> bool:
    """Whether several people of a set could have its largest value if that is as large as it can be."""
    own = bounds[inside]
    return _people(inside[own == own.max()], whose) >= least


def _enough(numbers: Numbers, candidate: NDArray[np.bool_], asked: Numbers, whose: RecordNumbers, least: int) -> bool:
    """Whether an earlier set keeps enough candidates, whichever of the sets that are asked for turn out to be smaller.

    `asked` says in which of these each of its records is; -1 in none. All of them may turn out to be smaller, and if
    they hold the whole earlier set, all but one: if all did, the earlier answer would not hold any more.
    """
    inside = np.unique(asked)
    if len(inside) == 1:  # none of its records is in any set, or all are in one
        return True
    left = [-1] if inside[0] < 0 else inside.tolist()
    return all(_people(numbers[candidate & (asked == place)], whose) >= least for place in left)


def _people(records: Numbers, whose: RecordNumbers) -> int:
    return len(np.unique(whose.owners(records)))
