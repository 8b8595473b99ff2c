"""The view of a table for a purpose: what may be seen of every column, and the masked relation that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from sqlglot import exp

from sfumato.errors import PolicyError, nearest
from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.lookalikes import demand_distinct
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.policy.sections import RetentionSection, RowPolicy
from sfumato.gateway.views.access_rules import Voice, voices
from sfumato.gateway.views.cells import Cell
from sfumato.gateway.views.unlinked_rows import sort_key

if TYPE_CHECKING:
    from sfumato.gateway.transforms.base import Transform
    from sfumato.gateway.transforms.column_types import ColumnType

Shape = Literal["plain", "range", "text"]


@dataclass(frozen=True)
class ViewColumn:
    """What may be seen of one column: how it is published, in which ways, and who said so."""

    name: str
    type: ColumnType
    shape: Shape
    access: frozenset[Access]
    transform: Transform | None
    heard: tuple[Voice, ...]

    @property
    def can_hide(self) -> bool:
        """Whether some values may be hidden."""
        return Access.HIDDEN in self.access

    @property
    def can_miss(self) -> bool:
        """Whether a value that there is may be missing: hidden, or without a weaker form."""
        return self.can_hide or Access.CONDITIONAL in self.access


@dataclass(frozen=True)
class PurposeView:
    """A table as it may be seen for a purpose on a day.

    Columns that are hidden in every row are not there at all: whoever asks for one is told so. `referencing` are
    columns shown on the condition that whose they are is hidden; a question that looks at one of them gets a view with
    it and without the identifiers of these rows, any other question one with the identifiers and without the column.
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
        """What the policy lets see of a table whose columns have these types; `referencing` None means all of them."""
        _demand_columns(policy, table, types)
        found = [_seen(policy, table, name, purpose, kind, day) for name, kind in types.items()]
        linking = {column.name for column in found if column.transform is not None and column.transform.hides}
        looked = frozenset(linking if referencing is None else linking & referencing)
        withheld = tuple(sorted(linking - looked))
        found = [_unlinkable(column, policy.table(table).key, found, looked) for column in found]
        shown = tuple(column for column in found if column.access != {Access.HIDDEN} and column.name not in withheld)
        hidden = tuple(column.name for column in found if column.access == {Access.HIDDEN})
        return cls(policy, table, purpose, types, shown, hidden, withheld, looked, day)

    @property
    def name(self) -> str:
        """What the masked relation is called; with a dot, which nobody can write, where it shows what others do not."""
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
        """The columns that are there."""
        return {column.name: column for column in self.columns}

    def select(self, raw: exp.Expr, engine: str, *, today: exp.Expr) -> exp.Select:
        """The masked relation, made from the raw one, which also has the choices of people as `"column.choice"`.

        Where every column is hidden, rows can still be counted: there is one column then that nobody can name.
        """
        cells = {column.name: Cell(column, engine, self.types) for column in self.columns}
        unlinked = self._unlinked(cells)
        made = [
            (column, part)
            for column in self.columns
            for part in cells[column.name].parts(
                hidden_too=unlinked.get(column.name), tell_hidden=self.row_policy != "mask_cell" and column.can_hide
            )
        ]
        kept = [_kept(limit, self.types[limit.column], engine, today) for limit in self.retention()]
        nothing = exp.alias_(exp.true(), ".", quoted=True)
        chosen = exp.select(*([part for _, part in made] or [nothing])).from_(raw)
        chosen = chosen.where(*kept) if kept else chosen
        if not self.referencing:
            return chosen
        return chosen.order_by(*(sort_key(part.this, part_kind(column, part.alias), engine) for column, part in made))

    def _unlinked(self, cells: Mapping[str, Cell]) -> dict[str, exp.Expr]:
        """For every identifier the rows in which it is hidden because a value beside it is shown on that condition."""
        found: dict[str, exp.Expr] = {}
        key = self.policy.table(self.table).key
        for name in sorted(self.referencing):
            transform = self.by_name[name].transform
            shown = cells[name].conditional()
            for other in dict.fromkeys([*(transform.hides if transform else ()), key]):
                found[other] = exp.or_(found[other], shown.copy()) if other in found else shown.copy()
        return found

    def retention(self) -> list[RetentionSection]:
        """How long rows are kept for this purpose."""
        limits = self.policy.table(self.table).retention
        return [
            limit for limit in limits if self.purpose in self.policy.tree.down([limit.purpose or self.policy.tree.root])
        ]


def _unlinkable(column: ViewColumn, key: str, every: list[ViewColumn], referencing: frozenset[str]) -> ViewColumn:
    """A column that is hidden in the rows in which another one is shown."""
    linked = {
        name
        for other in every
        if other.name in referencing and other.transform is not None and other.transform.hides
        for name in (*other.transform.hides, key)
    }
    return replace(column, access=column.access | {Access.HIDDEN}) if column.name in linked else column


def _seen(policy: Policy, table: str, column: str, purpose: str, kind: ColumnType, day: date) -> ViewColumn:
    heard = voices(policy, table, column, purpose, day)
    transform = policy.transform(table, column, purpose)
    found = outcomes(heard, len(policy.choices) if policy.column(table, column).by_choice else 0)
    if transform is None and Access.CONDITIONAL in found:  # nobody said what the weaker form is, so there is none
        found = found - {Access.CONDITIONAL} | {Access.HIDDEN}
    shape: Shape = "plain"
    if transform is not None and Access.CONDITIONAL in found:
        transform.demand(kind, column)
        shape = transform.makes
    return ViewColumn(column, kind, shape, found, transform if Access.CONDITIONAL in found else None, heard)


def outcomes(heard: tuple[Voice, ...], choices: int) -> frozenset[Access]:
    """Every access that some row can have; a database may also hold the number of a choice that there is not."""
    from itertools import product

    from sfumato.gateway.views.access_rules import decided

    ruled = [voice for voice in heard if voice.where is not None]
    if len(ruled) > 5:
        return frozenset(Access)
    return frozenset(
        decided(heard, dict(zip(map(id, ruled), speaking, strict=True)), chosen)
        for speaking in product((True, False, None), repeat=len(ruled))
        for chosen in range(choices + 2 if choices else 1)
    )


def _demand_columns(policy: Policy, table: str, types: Mapping[str, ColumnType]) -> None:
    section = policy.table(table)
    named = {section.key, *section.columns, *(limit.column for limit in section.retention)}
    for column, said in section.columns.items():
        for place, _ in enumerate(said.conditions):
            named.update(policy.transform_at(table, column, place).hides)
    for rule in policy.sections.rules:
        if rule.table == table:
            where = policy.condition_of(rule)
            named |= {*(rule.columns or ()), *(where.names if where else ())}
    for name in sorted(named):
        if name not in types:
            raise PolicyError(
                f"the policy names column {name!r}, which {table!r} does not have; {nearest(name, types)}"
            )
    for limit in section.retention:
        held = types[limit.column]
        if held.kind not in ("date", "timestamp"):
            raise PolicyError(
                f"records of {table!r} are kept from the day in column {limit.column!r}, which is {held.words}; "
                "name a column of dates or timestamps."
            )
    demand_distinct(types, f"columns of {table!r}")
    for name in types:
        if "." in name:
            raise PolicyError(f"column {name!r} of {table!r} has a dot in its name, which the gateway uses itself.")


def part_kind(column: ViewColumn, name: str) -> str:
    """What a part of a column is: the value itself or an end of its range, its weaker text, or a flag."""
    if name in (f"{column.name}.exact", f"{column.name}.hidden"):
        return "boolean"
    return "text" if column.shape == "text" else column.type.kind


def _kept(limit: RetentionSection, held: ColumnType, engine: str, today: exp.Expr) -> exp.Expr:
    """A record is kept so many days, by the clock of Greenwich (UTC); one without a day is not.

    In PostgreSQL the oldest moment that is kept is found once, and not for every row; the column is compared as it is.
    """
    since: exp.Expr = exp.column(limit.column, quoted=True)
    oldest: exp.Expr = exp.Sub(this=exp.paren(today.copy()), expression=exp.Literal.number(limit.days))
    if engine != "postgres":
        moment = exp.AtTimeZone(this=since, zone=exp.Literal.string("UTC")) if held.zoned else since
        return exp.GTE(this=exp.cast(moment, "date"), expression=oldest)
    if held.kind == "timestamp":
        oldest = exp.cast(oldest, "timestamp")
    if held.zoned:
        oldest = exp.AtTimeZone(this=oldest, zone=exp.Literal.string("UTC"))
    return exp.GTE(this=since, expression=exp.select(oldest).subquery())
