"""The view of a table for a purpose: what may be seen of every column, and the masked relation that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import PolicyError, StatementError, nearest
from sfumato.gateway.policy.characters import LONGEST_NAME, is_cut
from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.lookalikes import demand_distinct
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.policy.sections import RetentionSection, RowPolicy
from sfumato.gateway.views.access_rules import AccessRule, choices_about, effective_access, outcomes, rules_for
from sfumato.gateway.views.cells import Cell
from sfumato.gateway.views.retention import demand_days, retention_condition, retention_limits
from sfumato.gateway.views.unlinked_rows import distinguishing_key

if TYPE_CHECKING:
    from sfumato.gateway.transforms.base import Form, Transform
    from sfumato.gateway.transforms.column_types import ColumnType


@dataclass(frozen=True, kw_only=True)
class ViewColumn:
    """What may be seen of one column.

    `form` says how it is published: as it is, as the two bounds of a range, or as a weaker text with an exact flag.
    `access` is the set of accesses that some row may have, and `rules` are the rules that decide.
    """

    name: str
    type: ColumnType
    form: Form
    access: frozenset[Access]
    transform: Transform | None
    rules: tuple[AccessRule, ...]

    @property
    def can_hide(self) -> bool:
        """Whether some values may be hidden."""
        return Access.HIDDEN in self.access

    @property
    def can_be_missing(self) -> bool:
        """Whether an existing value may appear as NULL: hidden, or without a weaker form."""
        return self.can_hide or Access.CONDITIONAL in self.access


@dataclass(frozen=True, kw_only=True)
class PurposeView:
    """A table as it may be seen for a purpose on a day.

    Columns that are hidden in every row are absent (`hidden`); a query that names one is refused with that reason.
    `referencing` are columns that are shown on the condition that the identifiers of the row are hidden. A query that
    reads one of them gets a view with the column and without these identifiers; any other query gets a view with the
    identifiers and without the column (`withheld`).
    """

    policy: Policy
    table: str
    purpose: str
    types: Mapping[str, ColumnType]
    columns: tuple[ViewColumn, ...]
    hidden: tuple[str, ...]
    withheld: tuple[str, ...]
    referencing: frozenset[str]
    day: date

    @classmethod
    def of(
        cls,
        policy: Policy,
        table: str,
        purpose: str,
        types: Mapping[str, ColumnType],
        *,
        day: date,
        referencing: frozenset[str] | None = frozenset(),
    ) -> PurposeView:
        """The view that the policy allows of a table with these column types; `referencing` None means all of them."""
        _demand_columns(policy, table, types)
        columns = [_view_column(policy, table, name, purpose, kind, day) for name, kind in types.items()]
        all_referencing = {column.name for column in columns if column.transform is not None and column.transform.hides}
        read = frozenset(all_referencing if referencing is None else all_referencing & referencing)
        withheld = tuple(sorted(all_referencing - read))
        columns = [_hide_beside_referencing(column, policy.table(table).key, columns, read) for column in columns]
        shown = tuple(column for column in columns if column.access != {Access.HIDDEN} and column.name not in withheld)
        _demand_uncut([table, *(column.name for column in shown)])
        return cls(
            policy=policy,
            table=table,
            purpose=purpose,
            types=types,
            columns=shown,
            hidden=tuple(column.name for column in columns if column.access == {Access.HIDDEN}),
            withheld=withheld,
            referencing=read,
            day=day,
        )

    @property
    def name(self) -> str:
        """The name of the masked relation.

        With referencing columns it contains a dot, so that no query can name it directly.
        """
        return ".".join([self.table, *sorted(self.referencing)])

    @property
    def row_policy(self) -> RowPolicy:
        """What happens to rows with hidden values."""
        return self.policy.table(self.table).row_policy

    @property
    def drops_rows(self) -> bool:
        """Whether rows of the table may be missing."""
        return self.row_policy != "mask_cell" or bool(self.retention())

    @cached_property
    def by_name(self) -> dict[str, ViewColumn]:
        """The visible columns by name."""
        return {column.name: column for column in self.columns}

    def find(self, name: str) -> ViewColumn:
        """The visible column of a name: the one of the same spelling, else one that differs in case only."""
        folded = (column for column in self.columns if column.name.lower() == name.lower())
        found = self.by_name.get(name) or next(folded, None)
        if found is None:
            raise StatementError(f"{self.table!r} shows no column {name!r} for this purpose.")
        return found

    @property
    def shown_key(self) -> ViewColumn | None:
        """The column of the table's key if every row shows it as it is stored; None otherwise."""
        column = self.by_name.get(self.policy.table(self.table).key)
        return None if column is None or column.can_be_missing or column.form != "plain" else column

    def select(self, raw: exp.Expr, engine: str, *, today: exp.Expr) -> exp.Select:
        """The masked relation as SELECT from the raw table, which also has the choices as `"column.choice"`.

        If every column is hidden, rows can still be counted: there is then one column that no query can name.
        """
        cells = {column.name: Cell(column, engine, self.types) for column in self.columns}
        without_identifiers = self._rows_without_identifiers(cells)
        parts = [
            (column, part)
            for column in self.columns
            for part in cells[column.name].parts(
                also_hidden=without_identifiers.get(column.name),
                with_hidden_flag=self.row_policy != "mask_cell" and column.can_hide,
            )
        ]
        kept = [retention_condition(limit, self.types[limit.column], engine, today) for limit in self.retention()]
        unnamed = exp.alias_(exp.true(), ".", quoted=True)
        # The tree is new, so the builder need not copy it at every step.
        selected = exp.select(*([part for _, part in parts] or [unnamed])).from_(raw.copy(), copy=False)
        selected = selected.where(*kept, copy=False) if kept else selected
        if not self.referencing:
            return selected
        return selected.order_by(
            *(distinguishing_key(part.this, part_kind(column, part.alias), engine) for column, part in parts),
            copy=False,
        )

    def _rows_without_identifiers(self, cells: Mapping[str, Cell]) -> dict[str, exp.Expr]:
        """For every identifier, the rows in which it is hidden because a referencing column is shown."""
        hidden_in: dict[str, exp.Expr] = {}
        key = self.policy.table(self.table).key
        for name in sorted(self.referencing):
            transform = self.by_name[name].transform
            shown = cells[name].conditional()
            for other in dict.fromkeys([*(transform.hides if transform else ()), key]):
                hidden_in[other] = exp.or_(hidden_in[other], shown.copy()) if other in hidden_in else shown.copy()
        return hidden_in

    def retention(self) -> list[RetentionSection]:
        """The retention limits that apply to this purpose."""
        return retention_limits(self.policy, self.table, self.purpose)


def _hide_beside_referencing(
    column: ViewColumn, key: str, columns: list[ViewColumn], referencing: frozenset[str]
) -> ViewColumn:
    """The column, hideable if it is an identifier of rows in which a referencing column is shown."""
    linked = {
        name
        for other in columns
        if other.name in referencing and other.transform is not None and other.transform.hides
        for name in (*other.transform.hides, key)
    }
    return replace(column, access=column.access | {Access.HIDDEN}) if column.name in linked else column


def _view_column(policy: Policy, table: str, column: str, purpose: str, kind: ColumnType, day: date) -> ViewColumn:
    """What may be seen of a column for a purpose on a day."""
    rules = rules_for(policy, table, column, purpose, day)
    declared = policy.transform(table, column, purpose)
    access = frozenset(
        effective_access(outcome, declared) for outcome in outcomes(rules, choices_about(policy, table, column))
    )
    transform = declared if Access.CONDITIONAL in access else None
    if transform is not None:
        transform.demand(kind, column)
    form: Form = "plain" if transform is None else transform.makes
    return ViewColumn(name=column, type=kind, form=form, access=access, transform=transform, rules=rules)


def _demand_columns(policy: Policy, table: str, types: Mapping[str, ColumnType]) -> None:
    """Refuse a policy that does not fit the columns of the table, and column names with a dot or a lookalike."""
    for _, _, name in policy.references(table):
        if name not in types:
            raise PolicyError(
                f"the policy names column {name!r}, which {table!r} does not have; {nearest(name, types)}"
            )
    demand_days(policy, table, types)
    demand_distinct(types, f"columns of {table!r}")
    for name in types:
        if "." in name:
            raise PolicyError(f"column {name!r} of {table!r} has a dot in its name, which the gateway uses itself.")


def _demand_uncut(names: Iterable[str]) -> None:
    """Refuse names of tables and shown columns that a query could not use."""
    for name in names:
        if is_cut(name):
            raise PolicyError(f"{name!r} is a name of more than {LONGEST_NAME} bytes; hide or rename what it names.")


def part_kind(column: ViewColumn, name: str) -> str:
    """The kind of a flat column: that of the value or its bounds, a text, or a boolean flag."""
    if name in (f"{column.name}.exact", f"{column.name}.hidden"):
        return "boolean"
    return "text" if column.form == "text" else column.type.kind
