"""Retention: for how many days after the day in a column a row is shown for a purpose.

A policy states retention limits per table, each for all purposes or for one purpose and those below it. `PurposeView`
applies them to the rows of a masked relation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import PolicyError
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.policy.sections import RetentionSection

if TYPE_CHECKING:
    from sfumato.gateway.transforms.column_types import ColumnType


def retention_limits(policy: Policy, table: str, purpose: str) -> list[RetentionSection]:
    """The retention limits of a table that apply to a purpose; a row is shown only within all of them."""
    tree = policy.tree
    return [limit for limit in policy.table(table).retention if purpose in tree.down([limit.purpose or tree.root])]


def demand_days(policy: Policy, table: str, types: Mapping[str, ColumnType]) -> None:
    """Refuse retention limits that count from a column without days."""
    for limit in policy.table(table).retention:
        column_type = types[limit.column]
        if column_type.kind not in ("date", "timestamp"):
            raise PolicyError(
                f"records of {table!r} are kept from the day in column {limit.column!r}, which is {column_type.words}; "
                "name a column of dates or timestamps."
            )


def retention_condition(limit: RetentionSection, column_type: ColumnType, engine: str, today: exp.Expr) -> exp.Expr:
    """The condition that a record is retained, by the UTC date; a record without a date is not.

    For PostgreSQL the oldest retained moment is computed once, in a subquery, and the column is compared unchanged.
    """
    since: exp.Expr = exp.column(limit.column, quoted=True)
    oldest: exp.Expr = exp.Sub(this=exp.paren(today.copy()), expression=exp.Literal.number(limit.days))
    if engine != "postgres":
        moment = exp.AtTimeZone(this=since, zone=exp.Literal.string("UTC")) if column_type.zoned else since
        return exp.GTE(this=exp.cast(moment, "date"), expression=oldest)
    if column_type.kind == "timestamp":
        oldest = exp.cast(oldest, "timestamp")
    if column_type.zoned:
        oldest = exp.AtTimeZone(this=oldest, zone=exp.Literal.string("UTC"))
    return exp.GTE(this=since, expression=exp.select(oldest).subquery())
