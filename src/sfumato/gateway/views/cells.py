"""A cell of a masked relation as SQL: the value, its weaker form or NULL, as the access rules decide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.views.access_rules import AccessRule, access, effective_access

if TYPE_CHECKING:
    from sfumato.gateway.transforms.column_types import ColumnType
    from sfumato.gateway.views.views import ViewColumn

_SMALLINT = exp.DataType.build("smallint")
"""The type in which choices are stored, parsed once."""


class Cell:
    """The SQL of one column of a masked relation."""

    def __init__(self, column: ViewColumn, engine: str, types: Mapping[str, ColumnType]) -> None:
        self._column = column
        self._engine = engine
        self._types = types
        self._value = exp.column(column.name, quoted=True)
        self._has_no_conditions = all(rule.where is None for rule in column.rules)

    def parts(self, *, also_hidden: exp.Expr | None = None, with_hidden_flag: bool = False) -> list[exp.Expr]:
        """The flat columns of the cell; it is also NULL in the rows of `also_hidden`, where an identifier is hidden."""
        parts: list[exp.Expr] = [
            exp.alias_(self._case(full, weaker, also_hidden), name, quoted=True, copy=False)
            for name, full, weaker in self._forms()
        ]
        if with_hidden_flag:
            hidden = self.hidden() if also_hidden is None else exp.or_(self.hidden(), also_hidden.copy(), copy=False)
            parts.append(exp.alias_(hidden, f"{self._column.name}.hidden", quoted=True, copy=False))
        return parts

    def _forms(self) -> list[tuple[str, exp.Expr, exp.Expr | None]]:
        """Name of each flat column, the expression for full access, and the one for conditional access."""
        column, transform = self._column, self._column.transform
        if transform is None or transform.makes == "plain":
            return [(column.name, self._value, None if transform is None else self._value)]
        if transform.makes == "text":
            weaker = transform.text_sql(self._value.copy(), column.type, self._engine)
            return [(column.name, _as_text(self._value), weaker), (f"{column.name}.exact", exp.true(), exp.false())]
        low, high = transform.range_sql(self._value.copy(), column.type, self._engine)
        return [(f"{column.name}.lo", self._value, low), (f"{column.name}.hi", self._value, high)]

    def _case(self, full: exp.Expr, weaker: exp.Expr | None, also_hidden: exp.Expr | None) -> exp.Expr:
        """The CASE over the access of each row.

        NULL stays NULL in every form: a flag beside a missing value would reveal more than the value.
        """
        column = self._column
        if column.access == {Access.FULL} and also_hidden is None:
            return full.copy()
        case = exp.Case()
        if also_hidden is not None:
            case.when(also_hidden.copy(), exp.null(), copy=False)
        if full is not self._value and not isinstance(full, exp.Cast):
            case.when(exp.Is(this=self._value.copy(), expression=exp.null()), exp.null(), copy=False)
        if self._has_no_conditions:
            for wanted, form in (
                (Access.FULL, full),
                (Access.CONDITIONAL, weaker),
            ):  # full access first: it needs no further computation
                if form is not None and wanted in column.access:
                    case.when(self._choice_gives(wanted), form.copy(), copy=False)
            return case
        case.when(self.hidden(), exp.null(), copy=False)
        if weaker is not None and Access.CONDITIONAL in column.access:
            case.when(self._is_narrowed(), weaker.copy(), copy=False)
        return case.else_(full.copy(), copy=False)

    def hidden(self) -> exp.Expr:
        """The condition that the value is hidden; never NULL."""
        if self._has_no_conditions:
            shown = exp.or_(self._choice_gives(Access.FULL), self._choice_gives(Access.CONDITIONAL), copy=False)
            return _not(exp.Is(this=exp.paren(shown, copy=False), expression=exp.true()))
        prohibited = _any_of(self._possibly_applies(rule) for rule in self._column.rules if rule.prohibited)
        granted = _any_of(
            self._certainly_applies(rule) for rule in self._column.rules if rule.allowed or rule.conditional
        )
        shown = exp.and_(granted, _not(prohibited), copy=False)
        if effective_access(Access.CONDITIONAL, self._column.transform) is Access.HIDDEN:
            shown = exp.and_(shown, _not(self._is_narrowed()), copy=False)
        return _not(shown)

    def conditional(self) -> exp.Expr:
        """The condition that the value is shown in its weaker form; never NULL."""
        if self._has_no_conditions:
            return exp.Is(this=exp.paren(self._choice_gives(Access.CONDITIONAL), copy=False), expression=exp.true())
        return exp.and_(_not(self.hidden()), self._is_narrowed(), copy=False)

    def _is_narrowed(self) -> exp.Expr:
        """The condition that some rule possibly narrows full access to conditional access."""
        return _any_of(self._possibly_applies(rule) for rule in self._column.rules if rule.narrowed)

    def _certainly_applies(self, rule: AccessRule) -> exp.Expr:
        """The condition that a rule certainly applies to the row."""
        if rule.choice is not None:
            return exp.EQ(this=self._choice(), expression=exp.Literal.number(rule.choice))
        if rule.where is None:
            return exp.true()
        return exp.Is(this=exp.paren(rule.where.sql(_column, self._types), copy=False), expression=exp.true())

    def _possibly_applies(self, rule: AccessRule) -> exp.Expr:
        """The condition that a rule applies to the row or may do so."""
        if rule.where is None:
            return self._certainly_applies(rule)
        denied = exp.Is(this=exp.paren(rule.where.sql(_column, self._types), copy=False), expression=exp.false())
        return _not(denied)

    def _choice(self) -> exp.Expr:
        """The stored choice, 0 if there is none."""
        return exp.func("COALESCE", exp.column(f"{self._column.name}.choice", quoted=True), exp.Literal.number(0))

    def _choice_gives(self, wanted: Access) -> exp.Expr:
        """The condition that the stored choice leads to this access; a constant if there are no choices."""
        choices = [one for one, access in self._access_by_choice.items() if access is wanted]
        if len(self._access_by_choice) == 1:
            return exp.true() if choices else exp.false()
        if not choices:
            return exp.false()
        choice = self._choice() if 0 in choices else exp.column(f"{self._column.name}.choice", quoted=True)
        return self._is_one_of(choice, choices)

    def _is_one_of(self, choice: exp.Expr, choices: list[int]) -> exp.Expr:
        """Whether the choice is one of these; PostgreSQL evaluates comparisons faster than a list."""
        if self._engine != "postgres":
            return exp.In(this=choice, expressions=[exp.Literal.number(one) for one in choices])
        within = [_within(choice, *run) for run in sorted(_runs(choices), key=lambda run: run[0] - run[1])]
        return exp.paren(exp.or_(*within, copy=False) if len(within) > 1 else within[0], copy=False)

    @cached_property
    def _access_by_choice(self) -> dict[int, Access]:
        """The access that every stored choice leads to, 0 where there is none."""
        ids = {rule.choice for rule in self._column.rules if rule.choice is not None} | {0}
        return {chosen: self._access(chosen) for chosen in sorted(ids)}

    def _access(self, chosen: int) -> Access:
        """The access that a choice leads to."""
        return effective_access(access(self._column.rules, {}, chosen), self._column.transform)


def _runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """The first and the last number of every run of consecutive numbers.

    >>> _runs([1, 5, 6, 7])
    [(1, 1), (5, 7)]
    """
    runs: list[tuple[int, int]] = []
    for number in numbers:
        first = runs.pop()[0] if runs and runs[-1][1] == number - 1 else number
        runs.append((first, number))
    return runs


def _within(choice: exp.Expr, low: int, high: int) -> exp.Expr:
    """Whether the choice lies between two numbers; as smallint, the type in which choices are stored."""
    if low == high:
        return exp.EQ(this=choice.copy(), expression=_smallint(low))
    return exp.and_(
        exp.GTE(this=choice.copy(), expression=_smallint(low)),
        exp.LTE(this=choice.copy(), expression=_smallint(high)),
        copy=False,
    )


def _smallint(number: int) -> exp.Expr:
    return exp.Cast(this=exp.Literal.number(number), to=_SMALLINT.copy())


def _any_of(conditions: Iterable[exp.Expr]) -> exp.Expr:
    """OR of new conditions, false if there are none."""
    listed = list(conditions)
    return exp.or_(*listed, copy=False) if listed else exp.false()


def _not(condition: exp.Expr) -> exp.Expr:
    """The opposite of a new condition."""
    return exp.Not(this=exp.paren(condition, copy=False))


def _column(name: str) -> exp.Expr:
    return exp.column(name, quoted=True)


def _as_text(value: exp.Expr) -> exp.Expr:
    return exp.cast(value.copy(), "text")
