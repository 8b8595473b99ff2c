"""Compares a policy with the tables of its database: whether the tables and columns exist, with suitable types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import PolicyError, nearest
from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.setup.findings import MISFIT, Finding
from sfumato.gateway.views.access_rules import possible_access
from sfumato.gateway.views.views import PurposeView

if TYPE_CHECKING:
    from sfumato.gateway.engines.source import Source
    from sfumato.gateway.transforms.column_types import ColumnType

Columns = Mapping[str, "ColumnType"]


def columns_of(policy: Policy, source: Source) -> tuple[dict[str, Columns], list[Finding]]:
    """The columns of every table of a policy that exists, and a finding for every one that does not."""
    columns: dict[str, Columns] = {}
    missing = []
    for table in policy.sections.tables:
        said = f"the database has no table {table!r}."
        try:
            types = source.types(table)
        except PolicyError as error:
            types, said = {}, str(error)
        if types:
            columns[table] = types
        else:
            missing.append(Finding(MISFIT, f"table {table!r}", said))
    return columns, missing


def misfits(policy: Policy, tables: Mapping[str, Columns], *, day: date, engine: str = "duckdb") -> list[Finding]:
    """Why a policy cannot be applied to tables with these columns, on this day or when a rule changes later."""
    changes = [change for rule in policy.sections.rules for change in rule.days_of_change]
    days = sorted({day, *(change for change in changes if change > day)})
    findings: list[Finding] = []
    for table, columns in tables.items():
        found_directly = [*_missing_columns(policy, table, columns), *_unsuitable_retention(policy, table, columns)]
        found_directly += _unsuitable_forms(policy, table, columns, days)
        findings += dict.fromkeys(found_directly or _failing_views(policy, table, columns, days, engine))
    return findings


def demand_fit(findings: Iterable[Finding]) -> None:
    """Refuse a policy that does not fit its tables, with the first reason."""
    wrong = [one for one in findings if one.kind == MISFIT]
    if wrong:
        more = f" There is more; `sfumato gateway lint` names all {len(wrong)}." if len(wrong) > 1 else ""
        raise PolicyError(f"the policy does not fit the database: {wrong[0].where}: {wrong[0].said}{more}")


def _missing_columns(policy: Policy, table: str, columns: Columns) -> Iterator[Finding]:
    """Columns that the policy names and the table does not have."""
    for where, said, name in policy.references(table):
        if name not in columns:
            yield Finding(MISFIT, where, f"{said} {name!r}, which {table!r} does not have; {nearest(name, columns)}")


def _unsuitable_retention(policy: Policy, table: str, columns: Columns) -> Iterator[Finding]:
    """Retention by a column that is not a date."""
    for limit in policy.table(table).retention:
        column_type = columns.get(limit.column)
        if column_type is not None and column_type.kind not in ("date", "timestamp"):
            said = f"records are kept from the day in column {limit.column!r}, which is {column_type.words}; name a "
            yield Finding(MISFIT, f"retention of {table!r}", f"{said}column of dates or timestamps.")


def _unsuitable_forms(policy: Policy, table: str, columns: Columns, days: list[date]) -> Iterator[Finding]:
    """Weaker forms that are used for some purpose, and do not suit the type of their column."""
    for name in policy.table(table).columns:
        for purpose in policy.tree.parents if name in columns else ():
            transform = policy.transform(table, name, purpose)
            objection = None if transform is None else transform.objection(columns[name])
            if objection is not None and any(_is_weaker(policy, table, name, purpose, day) for day in days):
                said = f"it is {columns[name].words} and cannot be shown as {transform}: {objection}."
                yield Finding(MISFIT, f"column {name!r} of {table!r}", said)


def _is_weaker(policy: Policy, table: str, column: str, purpose: str, day: date) -> bool:
    """Whether some value of a column is shown in its weaker form for a purpose."""
    return Access.CONDITIONAL in possible_access(policy, table, column, purpose, day)


def _failing_views(policy: Policy, table: str, columns: Columns, days: list[date], engine: str) -> Iterator[Finding]:
    """Any other reason for which a view of the table cannot be built."""
    for day in days:
        today = exp.cast(exp.Literal.string(day.isoformat()), "date")
        for purpose in policy.tree.parents:
            try:
                view = PurposeView.of(policy, table, purpose, columns, day=day, referencing=None)
                view.select(exp.to_table("raw"), engine, today=today)
            except PolicyError as error:
                yield Finding(MISFIT, f"table {table!r}", str(error))
