"""Which aggregates may be answered, given those that were: neither one nor several together tell of too few."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from sfumato.errors import ParameterError
from sfumato.gateway.record_sets import RecordSet


@dataclass(frozen=True, kw_only=True)
class AggregateQuestion:
    """One aggregate of one column, over one set of records for each group that it is asked for.

    `sets` are the records whose values went into the answers (those with a value, if hidden ones are left out);
    `population` is how many records the table has. Nothing here is an answer: what is decided depends on the
    questions alone, so that a refusal tells nothing that the questions do not.
    """

    who: str
    purpose: str
    table: str
    function: str
    column: str | None
    sets: tuple[RecordSet, ...]
    population: int

    @property
    def asker(self) -> tuple[str, str, str]:
        """Who asks which table for which purpose: what is remembered together."""
        return self.who, self.purpose, self.table

    @property
    def measure(self) -> tuple[str, str | None]:
        """What is measured; a mean says what the sum says, since the number of records is no secret."""
        return "sum" if self.function == "avg" else self.function, self.column


class Judgement(NamedTuple):
    """Whether a question may be answered, and else the rule that it breaks."""

    allowed: bool
    reason: str = ""


ALLOWED = Judgement(True)


class Auditor(Protocol):
    """Decides whether a question may be answered; remembers those that were."""

    def judge(self, question: AggregateQuestion) -> Judgement:
        """Whether the question may be answered; nothing is remembered."""
        ...

    def remember(self, question: AggregateQuestion) -> None:
        """The question is answered."""
        ...


class Difference(NamedTuple):
    """How many records a later set has more, and how many an earlier one had."""

    gained: int
    lost: int


def differencing(earlier: Iterable[RecordSet], later: RecordSet, *, least: int) -> Difference | None:
    """The difference to an earlier set, where it is about fewer records than `least` but not none.

    Two answers over sets that are nearly the same give away the few records they differ in: the same question before
    and after somebody came, left or changed (whose number then changes too), or one that leaves somebody out.

    >>> differencing([RecordSet.of([4])], RecordSet.of([4, 5]), least=2)
    Difference(gained=1, lost=0)
    """
    for before in earlier:
        if before != later and abs(before.size - later.size) < least:
            common = before.overlap(later)
            if before.size + later.size - 2 * common < least:
                return Difference(later.size - common, before.size - common)
    return None


class SetSizeControl:
    """A set has at least `least` records, and leaves out as many, or the rest would be told by all less the set.

    >>> few = AggregateQuestion(who="ada", purpose="research", table="people", function="sum", column="score",
    ...                         sets=(RecordSet.of([4]),), population=10)
    >>> SetSizeControl(2).judge(few)
    Judgement(allowed=False, reason='SetSizeControl: a set has fewer than 2 records, or all but fewer than 2')

    References: Hoffman and Miller (1970); Schlörer (1975).
    """

    def __init__(self, least: int) -> None:
        self.least = _at_least(1, "least", least)

    def judge(self, question: AggregateQuestion) -> Judgement:
        """By the sizes of the sets alone."""
        if all(self.least <= records.size <= question.population - self.least for records in question.sets):
            return ALLOWED
        return _refused(self, f"a set has fewer than {self.least} records, or all but fewer than {self.least}")

    def remember(self, question: AggregateQuestion) -> None:
        """Sizes need no memory."""


class OverlapControl:
    """A set has at most `most` records in common with any set answered before, unless the two are the same.

    References: Dobkin, Jones and Lipton (1979).
    """

    def __init__(self, most: int) -> None:
        self.most = _at_least(0, "most", most)
        self._earlier: defaultdict[tuple[str, ...], dict[RecordSet, None]] = defaultdict(dict)

    def judge(self, question: AggregateQuestion) -> Judgement:
        """Against all sets of the same person, table and purpose, the sets of the question itself included."""
        earlier = self._earlier.get(question.asker, {})
        for place, records in enumerate(question.sets):
            others = (*question.sets[:place], *reversed(earlier))
            if records not in earlier and any(self._collides(records, other) for other in others):
                return _refused(self, f"a set has more than {self.most} records in common with an earlier one")
        return ALLOWED

    def remember(self, question: AggregateQuestion) -> None:
        """Keep the sets."""
        self._earlier[question.asker].update(dict.fromkeys(question.sets))

    def _collides(self, one: RecordSet, other: RecordSet) -> bool:
        return min(one.size, other.size) > self.most and one != other and one.overlap(other) > self.most


class DifferenceControl:
    """No two answers of one measure are over sets that differ in fewer than `least` records, unless in none.

    Only sets of nearly the same size can differ in so few, so they are kept by size.
    """

    def __init__(self, least: int) -> None:
        self.least = _at_least(1, "least", least)
        self._earlier: defaultdict[tuple[object, ...], list[RecordSet]] = defaultdict(list)

    def judge(self, question: AggregateQuestion) -> Judgement:
        """Against all sets of the same person, table, purpose and measure, the sets of the question itself included."""
        earlier = self._earlier.get((*question.asker, *question.measure), [])
        for place, records in enumerate(question.sets):
            if differencing((*question.sets[:place], *self._near(earlier, records)), records, least=self.least):
                return _refused(self, f"a set and an earlier one differ in fewer than {self.least} records")
        return ALLOWED

    def remember(self, question: AggregateQuestion) -> None:
        """Keep the sets, each once."""
        earlier = self._earlier[*question.asker, *question.measure]
        for records in question.sets:
            if records not in self._near(earlier, records, within=1):
                insort(earlier, records, key=len)

    def _near(self, earlier: list[RecordSet], records: RecordSet, within: int | None = None) -> Iterator[RecordSet]:
        apart = (within or self.least) - 1
        first = bisect_left(earlier, records.size - apart, key=len)
        return iter(earlier[first : bisect_right(earlier, records.size + apart, key=len)])


def _refused(auditor: Auditor, rule: str) -> Judgement:
    return Judgement(False, f"{type(auditor).__name__}: {rule}")


def _at_least(bound: int, name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < bound:
        raise ParameterError(f"{name!r} must be a whole number >= {bound}; got {value!r}.")
    return value
