"""Holds a policy against the tables: whether they are there, have the columns it names, and of kinds that fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import PolicyError, nearest
from sfumato.gateway.engines.postgres.tools import days_of_change
from sfumato.gateway.policy.findings import MISFIT, Finding
from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.views.access_rules import voices
from sfumato.gateway.views.views import PurposeView, outcomes

if TYPE_CHECKING:
    from sfumato.gateway.engines.source import Source
    from sfumato.gateway.transforms.column_types import ColumnType

Columns = Mapping[str, "ColumnType"]


def columns_of(policy: Policy, source: Source) -> tuple[dict[str, Columns], list[Finding]]:
    """The columns of every table of a policy that is there, and a finding for every one that is not."""
    found: dict[str, Columns] = {}
    missing = []
    for table in policy.sections.tables:
        said = f"the database has no table {table!r}."
        try:
            types = source.types(table)
        except PolicyError as error:
            types, said = {}, str(error)
        if types:
            found[table] = types
        else:
            missing.append(Finding(MISFIT, f"table {table!r}", said))
    return found, missing


def misfits(policy: Policy, tables: Mapping[str, Columns], *, day: date, engine: str = "duckdb") -> list[Finding]:
    """Why a policy cannot be applied to tables with these columns, on a day or on one of those after it."""
    days = sorted({day, *(one for one in days_of_change(policy.sections.rules) if one > day)})
    found: list[Finding] = []
    for table, columns in tables.items():
        plain = [*_unknown(policy, table, columns), *_retention(policy, table, columns)]
        plain += _forms(policy, table, columns, days)
        found += dict.fromkeys(plain or _views(policy, table, columns, days, engine))
    return found


def demand_fit(found: Iterable[Finding]) -> None:
    """Refuse a policy with which something is wrong, by the first thing that is."""
    wrong = [one for one in found if one.kind == MISFIT]
    if wrong:
        more = f" There is more; `sfumato gateway lint` names all {len(wrong)}." if len(wrong) > 1 else ""
        raise PolicyError(f"the policy does not fit the database: {wrong[0].where}: {wrong[0].said}{more}")


def _unknown(policy: Policy, table: str, columns: Columns) -> Iterator[Finding]:
    """Columns that are named and not there."""
    for where, what, name in _named(policy, table):
        if name not in columns:
            yield Finding(MISFIT, where, f"{what} {name!r}, which {table!r} does not have; {nearest(name, columns)}")


def _named(policy: Policy, table: str) -> Iterator[tuple[str, str, str]]:
    """Every column that is named, with who names it and as what."""
    section = policy.table(table)
    yield f"table {table!r}", "its key is column", section.key
    for name, said in section.columns.items():
        yield f"column {name!r} of {table!r}", "it is about column", name
        for place, _ in enumerate(said.conditions):
            for hidden in policy.form(table, name, place).hides:
                yield f"column {name!r} of {table!r}", "it is shown while identifiers are hidden, among them", hidden
    for limit in section.retention:
        yield f"retention of {table!r}", "records are kept from the day in column", limit.column
    for rule in policy.sections.rules:
        if rule.table == table:
            where = policy.condition_of(rule)
            for name in dict.fromkeys([*(rule.columns or ()), *sorted(where.names if where else ())]):
                yield f"rule {rule.name!r}", "it names column", name


def _retention(policy: Policy, table: str, columns: Columns) -> Iterator[Finding]:
    for limit in policy.table(table).retention:
        held = columns.get(limit.column)
        if held is not None and held.kind not in ("date", "timestamp"):
            said = f"records are kept from the day in column {limit.column!r}, which is {held.words}; name a column of "
            yield Finding(MISFIT, f"retention of {table!r}", f"{said}dates or timestamps.")


def _forms(policy: Policy, table: str, columns: Columns, days: list[date]) -> Iterator[Finding]:
    """Weaker forms that are used for some purpose, and do not suit their column."""
    for name in policy.table(table).columns:
        for purpose in policy.tree.parents if name in columns else ():
            transform = policy.transform(table, name, purpose)
            objection = None if transform is None else transform.objection(columns[name])
            if objection is not None and any(_is_weaker(policy, table, name, purpose, day) for day in days):
                said = f"it is {columns[name].words} and cannot be shown as {transform}: {objection}."
                yield Finding(MISFIT, f"column {name!r} of {table!r}", said)


def _is_weaker(policy: Policy, table: str, column: str, purpose: str, day: date) -> bool:
    chosen = len(policy.choices) if policy.column(table, column).by_choice else 0
    return Access.CONDITIONAL in outcomes(voices(policy, table, column, purpose, day), chosen)


def _views(policy: Policy, table: str, columns: Columns, days: list[date], engine: str) -> Iterator[Finding]:
    """Whatever else stands in the way of showing a table for a purpose."""
    for day in days:
        today = exp.cast(exp.Literal.string(day.isoformat()), "date")
        for purpose in policy.tree.parents:
            try:
                view = PurposeView.of(policy, table, purpose, columns, day=day, referencing=None)
                view.select(exp.to_table("raw"), engine, today=today)
            except PolicyError as error:
                yield Finding(MISFIT, f"table {table!r}", str(error))
