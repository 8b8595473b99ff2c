"""Sums and means are answered until the next one would tell a single value."""

from __future__ import annotations

from collections import defaultdict

from sfumato.gateway.auditing import ALLOWED, AggregateQuestion, Judgement
from sfumato.gateway.record_sets import RecordSet
from sfumato.gateway.residues import Residues
from sfumato.gateway.row_space import RowSpace

_Key = tuple[object, ...]
_REFUSED = Judgement(False, "SumAuditor: with the sums answered before, a single value would follow")


class SumAuditor:
    """Refuses a sum or a mean if, with those answered before, the value of one more record could be worked out.

    Anything that follows from sums of a column by adding and subtracting is looked at, not pairs of answers only. The
    decision depends on which records were asked for, never on an answer, so that whoever is refused could have
    known it. It guards against exact values from sums of one column, as asked by one person for one purpose; not
    against near ones, nor against a table whose other aggregates or columns say the same: set sizes and differences
    are for the other auditors, and those for which nobody looks should not be answered.

    >>> def total(*records):
    ...     return AggregateQuestion(who="ada", purpose="research", table="people", function="sum", column="score",
    ...                              sets=(RecordSet.of(records),), population=5)
    >>> auditor = SumAuditor()
    >>> auditor.judge(total(4)).allowed, auditor.judge(total(4, 5)).allowed
    (False, True)
    >>> auditor.remember(total(1, 2, 3))
    >>> auditor.remember(total(1, 2, 3, 4, 5))
    >>> auditor.judge(total(4, 5)).allowed, auditor.judge(total(1, 2, 3, 4)).allowed
    (True, False)

    References: Chin and Özsoyoğlu (1982), Auditing and inference control in statistical databases; Kenthapadi, Mishra
    and Nissim (2005), Simulatable auditing.
    """

    def __init__(self) -> None:
        self._residues = Residues.drawn()
        self._spaces: dict[_Key, RowSpace] = {}
        self._waiting: defaultdict[_Key, list[RecordSet]] = defaultdict(list)
        self._judged: tuple[AggregateQuestion, RowSpace, RowSpace] | None = None

    def judge(self, question: AggregateQuestion) -> Judgement:
        """Whether all values that follow then follow already; of other aggregates nothing is said."""
        if question.measure[0] != "sum":
            return ALLOWED
        known = self._space((*question.asker, question.column))
        after = _extended(known, question.sets)
        self._judged = question, known, after
        return ALLOWED if after.revealed == known.revealed else _REFUSED

    def remember(self, question: AggregateQuestion) -> None:
        """The sums are known from now on, even those that should not have been answered."""
        if question.measure[0] != "sum":
            return
        key = (*question.asker, question.column)
        if self._judged and self._judged[0] is question and self._judged[1] is self._spaces.get(key):
            self._spaces[key] = self._judged[2]
        else:  # worked out when it is needed: most of what is restored never is
            self._waiting[key].extend(question.sets)

    def _space(self, key: _Key) -> RowSpace:
        space = self._spaces.get(key) or RowSpace.empty(self._residues)
        self._spaces[key] = space = _extended(space, self._waiting.pop(key, []))
        return space


def _extended(space: RowSpace, sets: list[RecordSet] | tuple[RecordSet, ...]) -> RowSpace:
    for records in sets:
        space = space.extended(records)
    return space
