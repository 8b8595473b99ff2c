"""Sums and means are answered until the next one would tell something about a single person."""

from __future__ import annotations

from collections import defaultdict

from sfumato.gateway.statistics.auditors import AggregateQuestion, Measure
from sfumato.gateway.statistics.linear_span import OneRecordEach, Owners, RowSpace
from sfumato.gateway.statistics.modular_arithmetic import Residues
from sfumato.gateway.statistics.record_sets import RecordSet
from sfumato.gateway.statistics.records import RecordNumbers


class SumAuditor:
    """Refuses a sum or a mean if, with those answered before, something about one more person alone would follow.

    Anything that follows from sums of a column by adding and subtracting is looked at, not pairs of answers only. It
    guards against exact values; not against near ones, nor against values that follow because a column has few possible
    ones. A value that changed counts as the same value, which is the worst case: whatever follows from sums over values
    that are told apart follows from the same sums over values that are not.

    Where people have several records, two pictures are looked at: each record by itself, and all records of a person
    as one. The second holds also where a person's records were other ones at the time of an earlier question.

    References: Chin and Özsoyoğlu (1982), Auditing and inference control in statistical databases; Kenthapadi, Mishra
    and Nissim (2005), Simulatable auditing.
    """

    def __init__(self) -> None:
        self._columns: defaultdict[Measure, _Column] = defaultdict(_Column)

    def allows(self, question: AggregateQuestion) -> bool:
        """Whether everybody of whom something follows then, follows already; of other aggregates nothing is said."""
        return question.kind != "sum" or self._columns[question.measure].allows(question)

    def remember(self, question: AggregateQuestion) -> None:
        """The sums are known from now on, even those that should not have been answered."""
        if question.kind == "sum":
            self._columns[question.measure].remember(question)


class _Column:
    """What is known of the sums of one column in one form.

    `_spaces` are the pictures of records and of people; the second is drawn from all earlier questions once somebody
    has several records. The first `_drawn` questions of `_asked` are in them.
    """

    def __init__(self) -> None:
        self._residues = Residues.drawn()
        self._asked: list[AggregateQuestion] = []
        self._drawn = 0
        self._spaces: list[RowSpace] = []
        self._judged: tuple[AggregateQuestion, list[RowSpace], list[RowSpace]] | None = None

    def allows(self, question: AggregateQuestion) -> bool:
        known = self._known(question.records)
        after = [_extended(space, question, place) for place, space in enumerate(known)]
        self._judged = question, known, after
        return all(then.revealed == now.revealed for then, now in zip(after, known, strict=True))

    def remember(self, question: AggregateQuestion) -> None:
        """Worked out when it is needed, unless it was just judged: most of what is restored is not asked again."""
        current = self._drawn == len(self._asked)
        self._asked.append(question)
        judged = self._judged
        if current and judged is not None and judged[0].sets == question.sets and judged[1] is self._spaces:
            self._spaces, self._drawn = judged[2], len(self._asked)

    def _known(self, records: RecordNumbers) -> list[RowSpace]:
        """The pictures of all that was asked."""
        if self._drawn == len(self._asked) and len(self._spaces) == (1 if records.one_each else 2):
            return self._spaces
        owners: tuple[Owners, ...] = (records,) if records.one_each else (records, OneRecordEach())
        spaces = []
        for place, people in enumerate(owners):
            there = place < len(self._spaces)
            space = self._spaces[place] if there else RowSpace.empty(self._residues, people)
            for question in self._asked[self._drawn if there else 0 :]:
                space = _extended(space, question, place)
            spaces.append(space)
        self._spaces, self._drawn = spaces, len(self._asked)
        return spaces


def _extended(space: RowSpace, question: AggregateQuestion, picture: int) -> RowSpace:
    """What follows when a question is answered: in the picture of records, or in that of people."""
    for records in question.sets:
        people = records if picture == 0 else RecordSet.of(question.records.owners(records.all_numbers()))
        space = space.extended(people)
    return space
