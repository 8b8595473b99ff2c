"""Masked relations as queries see them: their columns, and the rows that the row policy of the table leaves.

The engine holds a masked relation per table and purpose. `compiling` builds a `NamedRelation` from its view, and
`sources` writes it into FROM.
"""

from __future__ import annotations

from sqlglot import exp

from sfumato.gateway.sql.names import NamedRelation
from sfumato.gateway.sql.values import Doubt, Range, Scalar, Value, WeakerText, all_of, negation
from sfumato.gateway.views.views import PurposeView, ViewColumn

_BEYOND_64_BITS = 1 << 64
"""The first number beyond 64 bits."""


def masked_relation(
    view: PurposeView, engine: str, stored_table: exp.Table, readable: frozenset[str] | None = None
) -> NamedRelation:
    """The masked relation of a view, with its columns by folded name; `stored_table` is the one that holds it.

    Columns that are not `readable` count as hidden.
    """
    shown = [column for column in view.columns if readable is None or column.name in readable]
    unreadable = {column.name for column in view.columns} - {column.name for column in shown}
    columns = {_folded_column(column.name, engine): _value(column) for column in shown}
    own = {_folded_column(column.name, engine): column.name for column in shown}
    # Only for messages: the names of hidden columns are public, their values are not in the relation at all.
    hidden = frozenset(_folded_column(name, engine) for name in (*view.hidden, *view.withheld, *unreadable))
    return NamedRelation(view.table, columns, hidden, view=view, stored_table=stored_table, own_names=own)


def masked_rows(relation: NamedRelation) -> exp.Expr:
    """The relation as a table, or as a subquery without the rows that its row policy drops."""
    alias = exp.TableAlias(this=exp.to_identifier(relation.alias, quoted=True))
    if relation.view is None or relation.stored_table is None:
        raise TypeError("only a masked relation has rows of its own")
    table = relation.stored_table.copy()
    dropped = _drop_condition(relation.view, relation)
    if dropped is None:
        table.set("alias", alias)
        return table
    kept = exp.select(exp.Star()).from_(table).where(negation(dropped))
    return exp.Subquery(this=kept, alias=alias)


def _drop_condition(view: PurposeView, relation: NamedRelation) -> exp.Expr | None:
    """The condition under which a row is dropped; None if the row policy drops none.

    `drop_row` drops a row if a column that the query reads is hidden in it, `drop_if_all_hidden` if all columns of the
    SELECT list are.
    """
    by_name = {name: view.by_name[own] for name, own in relation.own_names.items()}
    if view.row_policy == "drop_row":
        hidden_flags = [_hidden_flag(by_name[name]) for name in sorted(relation.columns_read) if by_name[name].can_hide]
        return exp.or_(*hidden_flags) if hidden_flags else None
    if view.row_policy == "drop_if_all_hidden" and relation.columns_selected:
        selected = [by_name[name] for name in sorted(relation.columns_selected)]
        return all_of(*map(_hidden_flag, selected)) if all(column.can_hide for column in selected) else None
    return None


def _hidden_flag(column: ViewColumn) -> exp.Expr:
    """The flat column that says whether a value is hidden."""
    return exp.column(f"{column.name}.hidden", quoted=True)


def _value(column: ViewColumn) -> Value:
    """The value of a column of the view, in the form in which it is published."""
    doubt = Doubt.ABSENCE if column.can_be_missing else Doubt.NONE
    if column.form == "range":
        low, high = (exp.column(f"{column.name}.{end}", quoted=True) for end in ("lo", "hi"))
        return Range(low, high, column.type.kind, column, doubt=doubt)
    text = exp.column(column.name, quoted=True)
    if column.form == "text":
        return WeakerText(text, exp.column(f"{column.name}.exact", quoted=True), doubt=doubt)
    return Scalar(text, _kind(column), column_fits_64_bits(column), column, doubt=doubt)


def _kind(column: ViewColumn) -> str:
    """The kind of a column; a PostgreSQL `numeric` without a scale has a different one in every row."""
    return "number" if column.type.kind == "decimal" and column.type.scale is None else column.type.kind


def column_fits_64_bits(column: ViewColumn) -> bool:
    """Whether no sum of the column, over any number of rows, overflows 128 bits."""
    bounds = column.type.bounds
    return bounds is not None and max(map(abs, bounds)) < _BEYOND_64_BITS


def _folded_column(name: str, engine: str) -> str:
    """A column name as queries on this engine refer to it."""
    return name if engine == "postgres" else name.lower()
