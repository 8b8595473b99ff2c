"""Questions that can fail on some rows: whether they do must not depend on the rows that happen to be looked at first.

An engine stops at the first row that EXISTS needs, or as many as LIMIT does. Which rows these are is the order in which
they are stored, which may be that of a hidden column. So unless it is known that nothing can fail, all rows are looked
at first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from sqlglot import exp

from sfumato.gateway.sql.literals import MOST_DIGITS, WHOLE_DIGITS
from sfumato.gateway.sql.reading import KIND
from sfumato.gateway.transforms.column_types import ColumnType

Sql = exp.Expr
_FOUND = "found"
_CONVERTING = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.In, exp.Between, exp.Case,
    exp.If, exp.Coalesce, exp.Nullif, exp.Greatest, exp.Least, exp.SetOperation,
)  # fmt: skip
"""Where values of two types meet, so that an engine may convert one of them."""

_HARMLESS = (
    *_CONVERTING, exp.Select, exp.From, exp.Join, exp.Table, exp.TableAlias, exp.Alias, exp.Identifier, exp.CTE,
    exp.With, exp.Where, exp.Having, exp.Group, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Distinct, exp.Star,
    exp.Paren, exp.Tuple, exp.Column, exp.Literal, exp.Null, exp.Boolean, exp.Parameter, exp.CurrentDate, exp.And,
    exp.Or, exp.Not, exp.Is, exp.Exists, exp.Like, exp.ILike, exp.Escape, exp.Collate, exp.Count, exp.Min, exp.Max,
    exp.Lower, exp.Upper, exp.Trim, exp.Length, exp.StrPosition, exp.StartsWith, exp.DataType, exp.Var,
    exp.Window, exp.WindowSpec, exp.RowNumber, exp.Rank, exp.DenseRank, exp.Filter,
)  # fmt: skip
"""What fails on no value, as long as no conversion does. Text that grows can be too long, so `||` is not among them."""

_ROWS = {
    (exp.From, "this"), (exp.Join, "this"), (exp.In, "query"), (exp.Exists, "this"), (exp.CTE, "this"),
    (exp.Subquery, "this"), (exp.Union, "this"), (exp.Union, "expression"), (exp.Intersect, "this"),
    (exp.Intersect, "expression"), (exp.Except, "this"), (exp.Except, "expression"),
}  # fmt: skip
"""Where a question inside another one gives rows; elsewhere it gives a value, and fails where it has several rows."""

_WHOLE = {exp.DataType.Type.SMALLINT: 4, exp.DataType.Type.INT: 9, exp.DataType.Type.BIGINT: WHOLE_DIGITS}
"""How many digits a whole number may have that always fits."""

_TIMES = {exp.DataType.Type.DATE, exp.DataType.Type.TIMESTAMP}
_ALL_64_BITS = 20
_ENDS = ("start", "end")
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")


def may_fail(compiled: Sql, read: Sequence[ColumnType], engine: str) -> bool:
    """Whether some value, or a value of some row, could make a compiled question on columns of these types fail.

    >>> import sqlglot
    >>> asked = [sqlglot.parse_one(f"SELECT {one} FROM t") for one in ("a", "CAST(a AS TEXT)", "a + 1", "YEAR(a)")]
    >>> [may_fail(one, [ColumnType.of_duckdb("INTEGER")], "duckdb") for one in asked]
    [False, False, True, True]
    >>> asked = sqlglot.parse_one("SELECT 1 FROM t WHERE a > 0.5")
    >>> [may_fail(asked, [ColumnType.of_duckdb(one)], "duckdb") for one in ("BIGINT", "HUGEINT", "DECIMAL(38, 0)")]
    [False, True, True]
    """
    nodes = list(compiled.walk())
    if any(_can_fail(node) for node in nodes):
        return True
    return any(isinstance(node, _CONVERTING) for node in nodes) and _converts(nodes, read, engine)


def _can_fail(node: Sql) -> bool:
    if isinstance(node, exp.Subquery):
        return (type(node.parent), node.arg_key) not in _ROWS
    if isinstance(node, exp.Neg):
        return not isinstance(node.this.unnest(), exp.Literal)
    if isinstance(node, exp.WindowSpec):  # a range reaches beyond the largest number of its type
        return node.args.get("kind") == "RANGE" and any(isinstance(node.args.get(end), exp.Expr) for end in _ENDS)
    return not _safe_cast(node) if isinstance(node, exp.Cast) else not isinstance(node, _HARMLESS)


def _safe_cast(node: exp.Cast) -> bool:
    """To a text, or of a day, a moment or a short number that is written out."""
    inner, kind = node.this, node.to.this
    if kind in exp.DataType.TEXT_TYPES:
        return True
    if not isinstance(inner, exp.Literal):
        return isinstance(inner, exp.Null | exp.Boolean)
    if not inner.is_string:
        return kind == exp.DataType.Type.DOUBLE or (inner.is_int and len(inner.name) <= _WHOLE.get(kind, 0))
    return kind in _TIMES and _is_moment(inner.name)


def _is_moment(text: str) -> bool:
    try:
        return bool(_MOMENT.fullmatch(text)) and bool(datetime.fromisoformat(text))
    except ValueError:
        return False


def _converts(nodes: Sequence[Sql], read: Sequence[ColumnType], engine: str) -> bool:
    """Whether a conversion between these types, or from what is written out to one of them, can fail."""
    given = {node.meta.get(KIND, "parameter") for node in nodes if isinstance(node, exp.Parameter)}
    if "parameter" in given or any(_is_odd(one) for one in read):
        return True
    times = {(one.kind, one.zoned, one.second_digits) for one in read if one.kind in ("date", "timestamp")}
    written = any(isinstance(node, exp.Cast) and node.to.this == exp.DataType.Type.TIMESTAMP for node in nodes)
    if len(times | ({("timestamp", False, 6)} if written or "timestamp" in given else set())) > 1:
        return True
    if engine == "postgres":  # a decimal that was not written out may be too large or too small for a float
        decimals = any(one.kind == "decimal" for one in read) or "decimal" in given
        doubles = any(isinstance(node, exp.Cast) and node.to.this == exp.DataType.Type.DOUBLE for node in nodes)
        return decimals and (doubles or "float" in given or any(one.kind == "float" for one in read))
    return "decimal" in given or _beyond_decimals(nodes, read)


def _is_odd(kind: ColumnType) -> bool:
    """Types with conversions of their own, some of which fail on values that are written out."""
    return kind.kind == "other" or kind.name.casefold().startswith(("enum", "timestamp_", "timestamptz_"))


def _beyond_decimals(nodes: Iterable[Sql], read: Iterable[ColumnType]) -> bool:
    """Whether whole numbers and fractions meet that have, taken together, more digits than DuckDB's decimals."""
    found = [*_digits(nodes), *((_before(one), one.scale or 0) for one in read if one.kind in ("integer", "decimal"))]
    decimals = any(after for _, after in found) or any(one.kind == "decimal" for one in read)
    before = max([_ALL_64_BITS, *(one for one, _ in found)])
    return decimals and before + max(after for _, after in found) > MOST_DIGITS


def _before(kind: ColumnType) -> int:
    """How many digits a number of the type has before the point."""
    low, high = kind.bounds or (0, 10**MOST_DIGITS)
    return len(str(max(-low, high))) - (kind.scale or 0)


def _digits(nodes: Iterable[Sql]) -> Iterator[tuple[int, int]]:
    """How many digits numbers have that are written out, before and after the point."""
    for node in nodes:
        if isinstance(node, exp.Literal) and not node.is_string and "e" not in node.name.lower():
            before, _, after = node.name.partition(".")
            yield (len(before) if len(before) <= WHOLE_DIGITS else MOST_DIGITS, len(after))


def after_all(value: Sql | None = None) -> Sql:
    """A sort key that is the same in every row, and known only when there are no more rows to come.

    With a value, it is known only when that is computed for every row, too.
    """
    counted = exp.Window(this=exp.Count(this=exp.Star() if value is None else value.copy()))
    return exp.Ordered(this=counted, desc=False, nulls_first=False)


def looked_through(rows: exp.Query, names: Sequence[str]) -> exp.Select:
    """The same rows and columns, all of them computed before the first is handed on.

    PostgreSQL computes costly columns after a sort where it expects to need some rows only, as for IN. So the sort key
    depends on every column.
    """
    columns = [exp.column(f"c{place}", table=_FOUND, quoted=True) for place in range(len(names))]
    alias = exp.TableAlias(
        this=exp.to_identifier(_FOUND, quoted=True),
        columns=[exp.to_identifier(column.name, quoted=True) for column in columns],
    )
    chosen = [exp.alias_(column, name, quoted=True) for column, name in zip(columns, names, strict=True)]
    keys = [after_all(column) for column in columns] or [after_all()]
    return exp.select(*chosen).from_(exp.Subquery(this=rows.copy(), alias=alias)).order_by(*keys)


def any_row(rows: exp.Query) -> Sql:
    """EXISTS that looks at every row."""
    counted = exp.select(exp.Count(this=exp.Star())).from_(rows.subquery(_FOUND, copy=True))
    return exp.paren(exp.GT(this=counted.subquery(), expression=exp.Literal.number(0)))
