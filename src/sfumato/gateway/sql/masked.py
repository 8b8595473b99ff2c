"""Masked relations as questions see them: their columns, and the rows that the table's row policy leaves."""

from __future__ import annotations

from sqlglot import exp

from sfumato.gateway.sql.names import NamedRelation
from sfumato.gateway.sql.values import Plain, Range, Value, Weak, all_of, negated
from sfumato.gateway.views.views import PurposeView, ViewColumn

_SMALL = 1 << 64
"""What 64 bits hold."""


def masked_relation(
    view: PurposeView, engine: str, place: exp.Table, readable: frozenset[str] | None = None
) -> NamedRelation:
    """The columns of a masked relation by the names that a question uses; `place` is where the engine has it.

    Columns that are not `readable` count as hidden ones.
    """
    shown = [column for column in view.columns if readable is None or column.name in readable]
    others = {column.name for column in view.columns} - {column.name for column in shown}
    columns = {_folded(column.name, engine): _value(column) for column in shown}
    own = {_folded(column.name, engine): column.name for column in shown}
    hidden = frozenset(_folded(name, engine) for name in (*view.hidden, *view.withheld, *others))
    return NamedRelation(view.table, columns, hidden, view=view, place=place, own_names=own)


def masked_rows(relation: NamedRelation) -> exp.Expr:
    """The relation itself, without the rows that its row policy drops."""
    alias = exp.TableAlias(this=exp.to_identifier(relation.alias, quoted=True))
    if relation.view is None or relation.place is None:
        raise TypeError("only a masked relation has rows of its own")
    table = relation.place.copy()
    dropped = _dropped(relation.view, relation)
    if dropped is None:
        table.set("alias", alias)
        return table
    kept = exp.select(exp.Star()).from_(table).where(negated(dropped))
    return exp.Subquery(this=kept, alias=alias)


def _dropped(view: PurposeView, relation: NamedRelation) -> exp.Expr | None:
    """Which rows go: those with something hidden among what is read, or those of which nothing is left to show."""
    by_name = {name: view.by_name[own] for name, own in relation.own_names.items()}
    if view.row_policy == "drop_row":
        gone = [_hidden(by_name[name]) for name in sorted(relation.read) if by_name[name].can_hide]
        return exp.or_(*gone) if gone else None
    if view.row_policy == "drop_if_all_hidden" and relation.shown:
        asked = [by_name[name] for name in sorted(relation.shown)]
        return all_of(*map(_hidden, asked)) if all(column.can_hide for column in asked) else None
    return None


def _hidden(column: ViewColumn) -> exp.Expr:
    return exp.column(f"{column.name}.hidden", quoted=True)


def _value(column: ViewColumn) -> Value:
    if column.shape == "range":
        low, high = (exp.column(f"{column.name}.{end}", quoted=True) for end in ("lo", "hi"))
        return Range(low, high, column.type.kind, column, column.can_miss)
    text = exp.column(column.name, quoted=True)
    if column.shape == "text":
        return Weak(text, exp.column(f"{column.name}.exact", quoted=True), column.can_miss)
    return Plain(text, _kind(column), column.can_miss, small=is_small(column), column=column)


def _kind(column: ViewColumn) -> str:
    """A `numeric` of PostgreSQL about which nothing is said has any number of digits in every row."""
    return "number" if column.type.kind == "decimal" and column.type.scale is None else column.type.kind


def is_small(column: ViewColumn) -> bool:
    """Whether no sum of the column, of however many rows, leaves 128 bits."""
    bounds = column.type.bounds
    return bounds is not None and max(map(abs, bounds)) < _SMALL


def _folded(name: str, engine: str) -> str:
    return name if engine == "postgres" else name.lower()
