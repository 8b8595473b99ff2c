"""Queries that can fail on some rows: whether they fail must not depend on which rows are evaluated first.

An engine stops at the first row that satisfies EXISTS, and after as many rows as LIMIT needs. Which rows these are
depends on the storage order, which may be the order of a hidden column; an error would reveal it. So unless it is
certain that no row can fail, the compiled query evaluates all rows first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from sqlglot import exp

from sfumato.gateway.sql.frames import unit_of
from sfumato.gateway.sql.literals import BIGINT_DIGITS, MAX_DIGITS
from sfumato.gateway.sql.reading import KIND
from sfumato.gateway.transforms.column_types import ColumnType

Sql = exp.Expr
_FOUND = "found"
"""The alias of a subquery that is evaluated completely."""

_CONVERTING = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.In, exp.Between, exp.Case,
    exp.If, exp.Coalesce, exp.Nullif, exp.Greatest, exp.Least, exp.SetOperation,
)  # fmt: skip
"""Nodes in which values of two types meet, so that an engine may convert one of them."""

_NEVER_FAILS = (
    *_CONVERTING, exp.Select, exp.From, exp.Join, exp.Table, exp.TableAlias, exp.Alias, exp.Identifier, exp.CTE,
    exp.With, exp.Where, exp.Having, exp.Group, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Distinct, exp.Star,
    exp.Paren, exp.Tuple, exp.Column, exp.Literal, exp.Null, exp.Boolean, exp.Parameter, exp.CurrentDate, exp.And,
    exp.Or, exp.Not, exp.Is, exp.Exists, exp.Like, exp.ILike, exp.Escape, exp.Collate, exp.Count, exp.Min, exp.Max,
    exp.Lower, exp.Upper, exp.Trim, exp.Length, exp.StrPosition, exp.StartsWith, exp.DataType, exp.Var,
    exp.Window, exp.WindowSpec, exp.RowNumber, exp.Rank, exp.DenseRank, exp.Filter,
)  # fmt: skip
"""Nodes that fail on no value unless a conversion does. `||` is not among them: a text can become too long."""

_ROW_POSITIONS = {
    (exp.From, "this"), (exp.Join, "this"), (exp.In, "query"), (exp.Exists, "this"), (exp.CTE, "this"),
    (exp.Subquery, "this"), (exp.Union, "this"), (exp.Union, "expression"), (exp.Intersect, "this"),
    (exp.Intersect, "expression"), (exp.Except, "this"), (exp.Except, "expression"),
}  # fmt: skip
"""Where a nested query yields rows; anywhere else it yields one value, and fails if it has several rows."""

_SAFE_DIGITS = {exp.DataType.Type.SMALLINT: 4, exp.DataType.Type.INT: 9, exp.DataType.Type.BIGINT: BIGINT_DIGITS}
"""The number of digits that always fit, by integer type."""

_TIMES = {exp.DataType.Type.DATE, exp.DataType.Type.TIMESTAMP}
_DIGITS_OF_64_BITS = 20
"""The number of digits of the largest unsigned 64-bit integer."""

_ENDS = ("start", "end")
_TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")


def may_fail(compiled: Sql, column_types: Sequence[ColumnType], engine: str) -> bool:
    """Whether a literal or a stored value could make a compiled query on columns of these types fail.

    >>> import sqlglot
    >>> trees = [sqlglot.parse_one(f"SELECT {one} FROM t") for one in ("a", "CAST(a AS TEXT)", "a + 1", "YEAR(a)")]
    >>> [may_fail(one, [ColumnType.of_duckdb("INTEGER")], "duckdb") for one in trees]
    [False, False, True, True]
    >>> trees = sqlglot.parse_one("SELECT 1 FROM t WHERE a > 0.5")
    >>> [may_fail(trees, [ColumnType.of_duckdb(one)], "duckdb") for one in ("BIGINT", "HUGEINT", "DECIMAL(38, 0)")]
    [False, True, True]
    """
    nodes = list(compiled.walk())
    # An allowlist: a node that is not known to be harmless counts as one that can fail. That only costs speed.
    if any(_can_fail(node) for node in nodes):
        return True
    return any(isinstance(node, _CONVERTING) for node in nodes) and _conversion_can_fail(nodes, column_types, engine)


def _can_fail(node: Sql) -> bool:
    """Whether this node alone can fail."""
    if isinstance(node, exp.Subquery):
        return (type(node.parent), node.arg_key) not in _ROW_POSITIONS
    if isinstance(node, exp.Neg):
        return not isinstance(node.this.unnest(), exp.Literal)
    if isinstance(node, exp.WindowSpec):  # the end of a range may exceed the largest number of its type
        return unit_of(node) == "RANGE" and any(isinstance(node.args.get(end), exp.Expr) for end in _ENDS)
    return not _is_safe_cast(node) if isinstance(node, exp.Cast) else not isinstance(node, _NEVER_FAILS)


def _is_safe_cast(node: exp.Cast) -> bool:
    """Whether a cast cannot fail: to a text, or of a literal date, timestamp or short number."""
    inner, kind = node.this, node.to.this
    if kind in exp.DataType.TEXT_TYPES:
        return True
    if not isinstance(inner, exp.Literal):
        return isinstance(inner, exp.Null | exp.Boolean)
    if not inner.is_string:
        return kind == exp.DataType.Type.DOUBLE or (inner.is_int and len(inner.name) <= _SAFE_DIGITS.get(kind, 0))
    return kind in _TIMES and _is_timestamp(inner.name)


def _is_timestamp(text: str) -> bool:
    """Whether a literal is a valid date or timestamp in ISO format."""
    try:
        return bool(_TIMESTAMP.fullmatch(text)) and bool(datetime.fromisoformat(text))
    except ValueError:
        return False


def _conversion_can_fail(nodes: Sequence[Sql], column_types: Sequence[ColumnType], engine: str) -> bool:
    """Whether a conversion between these types, or from a literal to one of them, can fail."""
    parameter_kinds = {node.meta.get(KIND, "parameter") for node in nodes if isinstance(node, exp.Parameter)}
    if "parameter" in parameter_kinds or any(_has_own_conversions(one) for one in column_types):
        return True
    # Values of different time types are converted when they meet, and dates far away fit into only some of them.
    times = {(one.kind, one.zoned, one.second_digits) for one in column_types if one.kind in ("date", "timestamp")}
    written = any(isinstance(node, exp.Cast) and node.to.this == exp.DataType.Type.TIMESTAMP for node in nodes)
    if len(times | ({("timestamp", False, 6)} if written or "timestamp" in parameter_kinds else set())) > 1:
        return True
    if engine == "postgres":  # a stored decimal may be too large or too small for a float
        decimals = any(one.kind == "decimal" for one in column_types) or "decimal" in parameter_kinds
        doubles = any(isinstance(node, exp.Cast) and node.to.this == exp.DataType.Type.DOUBLE for node in nodes)
        return decimals and (doubles or "float" in parameter_kinds or any(one.kind == "float" for one in column_types))
    return "decimal" in parameter_kinds or _exceeds_decimal_digits(nodes, column_types)


def _has_own_conversions(kind: ColumnType) -> bool:
    """Whether the type has conversions of its own, some of which fail on literals."""
    return kind.kind == "other" or kind.name.casefold().startswith(("enum", "timestamp_", "timestamptz_"))


def _exceeds_decimal_digits(nodes: Iterable[Sql], column_types: Iterable[ColumnType]) -> bool:
    """Whether integers and fractions are combined that together need more digits than DuckDB's decimals."""
    found = [
        *_literal_digits(nodes),
        *((_integer_digits(one), one.scale or 0) for one in column_types if one.kind in ("integer", "decimal")),
    ]
    # DuckDB converts integers and decimals that meet to a decimal that holds the digits of both sides.
    decimals = any(after for _, after in found) or any(one.kind == "decimal" for one in column_types)
    before = max([_DIGITS_OF_64_BITS, *(one for one, _ in found)])
    return decimals and before + max(after for _, after in found) > MAX_DIGITS


def _integer_digits(kind: ColumnType) -> int:
    """The number of digits before the decimal point in numbers of this type."""
    low, high = kind.bounds or (0, 10**MAX_DIGITS)
    return len(str(max(-low, high))) - (kind.scale or 0)


def _literal_digits(nodes: Iterable[Sql]) -> Iterator[tuple[int, int]]:
    """The number of digits of each literal number, before and after the decimal point."""
    for node in nodes:
        if isinstance(node, exp.Literal) and not node.is_string and "e" not in node.name.lower():
            before, _, after = node.name.partition(".")
            yield (len(before) if len(before) <= BIGINT_DIGITS else MAX_DIGITS, len(after))


def full_scan_key(value: Sql | None = None) -> Sql:
    """A sort key that is equal in every row, and known only when the last row has been read.

    With a value, it is known only when the value has been computed for every row, too.
    """
    # COUNT(*) OVER () needs the last row before it is known for the first
    # one, and it is the same in every row, so the sort by it changes nothing.
    counted = exp.Window(this=exp.Count(this=exp.Star() if value is None else value.copy()))
    return exp.Ordered(this=counted, desc=False, nulls_first=False)


def evaluate_all_rows(rows: exp.Query, names: Sequence[str]) -> exp.Select:
    """The same rows and columns, all of them computed before the first one is returned.

    PostgreSQL computes expensive columns after the sort if it expects to need only some rows, as for IN. So the sort
    keys depend on every column.
    """
    columns = [exp.column(f"c{place}", table=_FOUND, quoted=True) for place in range(len(names))]
    alias = exp.TableAlias(
        this=exp.to_identifier(_FOUND, quoted=True),
        columns=[exp.to_identifier(column.name, quoted=True) for column in columns],
    )
    chosen = [exp.alias_(column, name, quoted=True) for column, name in zip(columns, names, strict=True)]
    keys = [full_scan_key(column) for column in columns] or [full_scan_key()]
    return exp.select(*chosen).from_(exp.Subquery(this=rows.copy(), alias=alias)).order_by(*keys)


def exists_full_scan(rows: exp.Query) -> Sql:
    """EXISTS that evaluates every row."""
    counted = exp.select(exp.Count(this=exp.Star())).from_(rows.subquery(_FOUND, copy=True))
    return exp.paren(exp.GT(this=counted.subquery(), expression=exp.Literal.number(0)))
