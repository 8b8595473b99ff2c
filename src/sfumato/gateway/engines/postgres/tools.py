"""What BI tools may read of a table. The person behind a tool is unknown, so it sees only what every permission allows.

`deployment_of` in `source.py` builds a `ToolsView` per table and purpose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from sqlglot import exp

from sfumato.errors import listed
from sfumato.gateway.engines.postgres.bi_views import HIDDEN, flat_select
from sfumato.gateway.engines.postgres.clock import during, span
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.policy.sections import PermissionSection
from sfumato.gateway.views.unlinked_rows import distinguishing_key
from sfumato.gateway.views.views import PurposeView, ViewColumn, part_kind


def select_permissions(policy: Policy, purpose: str, table: str) -> list[PermissionSection]:
    """The permissions to query a table for a purpose or for one of its ancestors."""
    above = policy.tree.up([purpose])
    return [
        one
        for one in policy.sections.permissions
        if one.operation == "select" and one.table == table and one.purpose in above
    ]


def tools_refusal(policy: Policy, purpose: str, table: str, day: date) -> str | None:
    """Why the permissions of a day let tools see nothing of a table, whatever its columns are; None if they do."""
    permissions = [one for one in select_permissions(policy, purpose, table) if one.holds_on(day)]
    aggregates = [one.role for one in permissions if one.only_aggregates]
    dependent = [one.role for one in permissions if one.role in policy.sections.conditional_roles]
    if not permissions:
        return "no permission holds today; deploy again on the day when one begins"
    if aggregates:
        return f"role {aggregates[0]!r} may ask for aggregates only"
    if dependent:
        return f"role {dependent[0]!r} depends on a condition that the database cannot check"
    return None


@dataclass(frozen=True)
class ToolsView:
    """The flat view of a masked relation for BI tools, or the reason why there is none.

    It shows the columns that every permission of the day grants and drops rows by the table's row policy. It becomes
    empty on the day on which a permission or a rule begins or ends, because its definition is out of date then.
    """

    view: PurposeView
    schema: str

    @cached_property
    def permissions(self) -> list[PermissionSection]:
        """The permissions that are valid on the day."""
        return [one for one in self._every_permission if one.holds_on(self.view.day)]

    @cached_property
    def _every_permission(self) -> list[PermissionSection]:
        return select_permissions(self.view.policy, self.view.purpose, self.view.table)

    @cached_property
    def columns(self) -> list[ViewColumn]:
        """The columns that may be seen for the purpose and that every permission grants."""
        # The person behind a tool may have any of these permissions, so only what all of them grant is shown.
        limits = [set(one.columns) for one in self.permissions if one.columns is not None]
        return [column for column in self.view.columns if all(column.name in limit for limit in limits)]

    @property
    def refusal(self) -> str | None:
        """Why there is no view; None if there is one."""
        view = self.view
        refusal = tools_refusal(view.policy, view.purpose, view.table, view.day)
        if refusal is None and not self.columns:
            return "the permissions have no column in common that may be shown"
        return refusal

    def notes(self) -> Iterator[str]:
        """Notes for the owner about a view or columns that are missing, and obligations it cannot enforce."""
        table, purpose = self.view.table, self.view.purpose
        if self.refusal is not None:
            yield f"no view of {table!r} for tools of {purpose}: {self.refusal}."
            return
        if self.view.withheld:
            yield (
                f"the view of {table!r} for tools of {purpose} leaves out {listed(self.view.withheld)}: whose values "
                "these are must stay hidden, and tools could join them to the people."
            )
        obligations = {str(each) for one in self.permissions for each in one.obligations if each.duty != "log"}
        if obligations:
            duties = listed(sorted(obligations))
            yield f"the database does not enforce duties of tools of {purpose} that read {table!r}: {duties}."

    def select(self, masked: Sequence[str]) -> exp.Select:
        """The SELECT of the flat view; `masked` are the columns of the masked relation.

        Where rows are dropped, OFFSET 0 keeps PostgreSQL from evaluating a query's condition before the rows are
        dropped; the plan would otherwise reveal dropped rows. Rows are sorted by what they show: the physical order may
        be that of an index over a hidden column, or reveal whose row was updated.
        """
        view = self.view
        visible = {column.name for column in self.columns}
        parts = [name for name in masked if _column_of(name, view) in visible]
        made = flat_select(parts, exp.table_(view.name, db=self.schema, quoted=True), self._weaker_texts(), view.types)
        kept = [*self._row_conditions(), *during(*span(self._changes(), view.day))]
        if kept:
            made = made.where(*kept)
        made = made.order_by(*self._order(parts))
        return made.offset(0) if kept or view.drops_rows else made

    def _order(self, parts: Sequence[str]) -> list[exp.Expr]:
        """Sort keys over everything that is shown, the key first, so that only equal rows can change places."""
        key, by_name = self.view.policy.table(self.view.table).key, self.view.by_name
        parts_in_order = sorted((part for part in parts if not part.endswith(HIDDEN)), key=lambda part: part != key)
        kinds = {part: part_kind(by_name[_column_of(part, self.view)], part) for part in parts_in_order}
        return [distinguishing_key(exp.column(part, quoted=True), kind, "postgres") for part, kind in kinds.items()]

    def _weaker_texts(self) -> dict[str, exp.Expression]:
        """Expressions for the texts of weaker values, by column."""
        texts: dict[str, exp.Expression] = {}
        for column in self.columns:
            if column.form == "range" and column.transform is not None:
                low = exp.column(f"{column.name}.lo", quoted=True)
                words = column.transform.shown_sql(low, column.type, "postgres")
                if words is not None:
                    texts[column.name] = words  # type: ignore[assignment]
        return texts

    def _row_conditions(self) -> list[exp.Expr]:
        """Conditions of the row policy: no value hidden, or not all of them hidden."""
        flags = [exp.column(f"{column.name}{HIDDEN}", quoted=True) for column in self.columns if column.can_hide]
        if self.view.row_policy == "drop_row" and flags:
            return [exp.Not(this=exp.paren(exp.or_(*flags)))]
        if self.view.row_policy == "drop_if_all_hidden" and len(flags) == len(self.columns):
            return [exp.Not(this=exp.paren(exp.and_(*flags)))]
        return []

    def _changes(self) -> list[date]:
        sections = [*self.view.policy.sections.rules, *self._every_permission]
        return [day for section in sections for day in section.days_of_change]


def _column_of(name: str, view: PurposeView) -> str:
    """The table's column that a column of the masked relation is made of."""
    return name if name in view.by_name else name.rpartition(".")[0]
