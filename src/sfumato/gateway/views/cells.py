"""A cell of a masked relation, as SQL: the value, its weaker form or nothing, by who has a say about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.views.access_rules import Voice, access

if TYPE_CHECKING:
    from sfumato.gateway.transforms.column_types import ColumnType
    from sfumato.gateway.views.views import ViewColumn


class Cell:
    """The SQL of one column of a masked relation."""

    def __init__(self, column: ViewColumn, engine: str, types: Mapping[str, ColumnType]) -> None:
        self._column = column
        self._engine = engine
        self._types = types
        self._value = exp.column(column.name, quoted=True)
        self._by_choice = all(voice.where is None for voice in column.heard)

    def parts(self, *, hidden_too: exp.Expr | None = None, tell_hidden: bool = False) -> list[exp.Expr]:
        """The columns that it becomes; `hidden_too` are rows in which it is hidden for another reason."""
        made = [
            exp.alias_(self._cased(full, weak, hidden_too), name, quoted=True) for name, full, weak in self._forms()
        ]
        if tell_hidden:
            gone = self.hidden() if hidden_too is None else exp.or_(self.hidden(), hidden_too.copy())
            made.append(exp.alias_(gone, f"{self._column.name}.hidden", quoted=True))
        return made

    def _forms(self) -> list[tuple[str, exp.Expr, exp.Expr | None]]:
        """Name, value where it is shown in full, and value where it is shown in a weaker form."""
        column, transform = self._column, self._column.transform
        if transform is None or transform.makes == "plain":
            return [(column.name, self._value, None if transform is None else self._value)]
        if transform.makes == "text":
            weaker = transform.text_sql(self._value.copy(), column.type, self._engine)
            return [(column.name, _as_text(self._value), weaker), (f"{column.name}.exact", exp.true(), exp.false())]
        low, high = transform.range_sql(self._value.copy(), column.type, self._engine)
        return [(f"{column.name}.lo", self._value, low), (f"{column.name}.hi", self._value, high)]

    def _cased(self, full: exp.Expr, weaker: exp.Expr | None, hidden_too: exp.Expr | None) -> exp.Expr:
        """NULL stays NULL in every form: a flag of a missing value would tell more than the value."""
        column = self._column
        if column.access == {Access.FULL} and hidden_too is None:
            return full.copy()
        case = exp.Case()
        if hidden_too is not None:
            case = case.when(hidden_too.copy(), exp.null())
        if full is not self._value and not isinstance(full, exp.Cast):
            case = case.when(exp.Is(this=self._value.copy(), expression=exp.null()), exp.null())
        if self._by_choice:
            for seen, form in ((Access.FULL, full), (Access.CONDITIONAL, weaker)):  # first what costs nothing more
                if form is not None and seen in column.access:
                    case = case.when(self._chosen(seen), form.copy())
            return case
        case = case.when(self.hidden(), exp.null())
        if weaker is not None and Access.CONDITIONAL in column.access:
            case = case.when(self._narrowed(), weaker.copy())
        return case.else_(full.copy())

    def hidden(self) -> exp.Expr:
        """Whether the value is hidden, never unknown."""
        if self._by_choice:
            shown = exp.or_(self._chosen(Access.FULL), self._chosen(Access.CONDITIONAL))
            return exp.Not(this=exp.paren(exp.Is(this=exp.paren(shown), expression=exp.true())))
        prohibited = _any(self._possible(voice) for voice in self._column.heard if voice.prohibited)
        granted = _any(self._certain(voice) for voice in self._column.heard if voice.allowed or voice.conditional)
        shown = exp.and_(granted, exp.Not(this=exp.paren(prohibited)))
        if self._column.transform is None:
            shown = exp.and_(shown, exp.Not(this=exp.paren(self._narrowed())))
        return exp.Not(this=exp.paren(shown))

    def conditional(self) -> exp.Expr:
        """Whether the value is shown in a weaker form, never unknown."""
        if self._by_choice:
            return exp.Is(this=exp.paren(self._chosen(Access.CONDITIONAL)), expression=exp.true())
        return exp.and_(exp.Not(this=exp.paren(self.hidden())), self._narrowed())

    def _narrowed(self) -> exp.Expr:
        return _any(self._possible(voice) for voice in self._column.heard if voice.narrowed)

    def _certain(self, voice: Voice) -> exp.Expr:
        """Whether it certainly speaks of the row."""
        if voice.choice is not None:
            return exp.EQ(this=self._choice(), expression=exp.Literal.number(voice.choice))
        if voice.where is None:
            return exp.true()
        return exp.Is(this=exp.paren(voice.where.sql(_column, self._types)), expression=exp.true())

    def _possible(self, voice: Voice) -> exp.Expr:
        """Whether it may speak of the row."""
        if voice.where is None:
            return self._certain(voice)
        denied = exp.Is(this=exp.paren(voice.where.sql(_column, self._types)), expression=exp.false())
        return exp.Not(this=exp.paren(denied))

    def _choice(self) -> exp.Expr:
        return exp.func("COALESCE", exp.column(f"{self._column.name}.choice", quoted=True), exp.Literal.number(0))

    def _chosen(self, seen: Access) -> exp.Expr:
        """Whether somebody chose what leads to this access; a constant where there is no choice."""
        ids = sorted({voice.choice for voice in self._column.heard if voice.choice is not None} | {0})
        leads = [one for one in ids if self._access(one) is seen]
        if len(ids) == 1:
            return exp.true() if leads else exp.false()
        if not leads:
            return exp.false()
        at = self._choice() if 0 in leads else exp.column(f"{self._column.name}.choice", quoted=True)
        return self._among(at, leads)

    def _among(self, at: exp.Expr, leads: list[int]) -> exp.Expr:
        """Whether the choice is one of these; PostgreSQL compares sooner than it looks through a list."""
        if self._engine != "postgres":
            return exp.In(this=at, expressions=[exp.Literal.number(one) for one in leads])
        within = [_within(at, *run) for run in sorted(_runs(leads), key=lambda run: run[0] - run[1])]
        return exp.paren(exp.or_(*within)) if len(within) > 1 else exp.paren(within[0])

    def _access(self, chosen: int) -> Access:
        found = access(self._column.heard, {}, chosen)
        return Access.HIDDEN if found is Access.CONDITIONAL and self._column.transform is None else found


def _runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """The first and the last of every row of numbers without a gap.

    >>> _runs([1, 5, 6, 7])
    [(1, 1), (5, 7)]
    """
    found: list[tuple[int, int]] = []
    for number in numbers:
        first = found.pop()[0] if found and found[-1][1] == number - 1 else number
        found.append((first, number))
    return found


def _within(at: exp.Expr, low: int, high: int) -> exp.Expr:
    """Whether a small number is one of these."""
    ends = [exp.cast(exp.Literal.number(end), "smallint") for end in (low, high)]
    if low == high:
        return exp.EQ(this=at.copy(), expression=ends[0])
    return exp.and_(exp.GTE(this=at.copy(), expression=ends[0]), exp.LTE(this=at.copy(), expression=ends[1]))


def _any(conditions: Iterable[exp.Expr]) -> exp.Expr:
    every = list(conditions)
    return exp.or_(*every) if every else exp.false()


def _column(name: str) -> exp.Expr:
    return exp.column(name, quoted=True)


def _as_text(value: exp.Expr) -> exp.Expr:
    return exp.cast(value.copy(), "text")
