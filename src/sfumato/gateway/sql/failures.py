"""Questions that can fail on some rows: whether they do must not depend on the rows that happen to be looked at first.

An engine stops at the first row that EXISTS needs, or as many as LIMIT does. Which rows these are is the order in which
they are stored, which may be that of a hidden column. So where something can fail, all rows are looked at first.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

Sql = exp.Expr
_FOUND = "found"
_CAN_FAIL = (
    exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.Cast, exp.Abs, exp.Round, exp.Ceil, exp.Floor, exp.Sum,
    exp.Avg, exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Variance, exp.VariancePop,
)  # fmt: skip
_ROWS = (exp.From, exp.Join, exp.In, exp.Exists, exp.SetOperation, exp.CTE, exp.Subquery)


def may_fail(tree: Sql) -> bool:
    """Whether a question computes something of a row that can leave the range of its type, or cannot be read as one.

    >>> import sqlglot
    >>> [may_fail(sqlglot.parse_one(f"SELECT {one} FROM t")) for one in ("CAST(a AS INT)", "CAST(a AS TEXT)", "a, -1")]
    [True, False, False]
    """
    return any(_can_fail(node) for node in tree.walk())


def _can_fail(node: Sql) -> bool:
    if isinstance(node, exp.Subquery):  # in place of a value it fails where it has several rows
        return not isinstance(node.parent, _ROWS)
    if not isinstance(node, _CAN_FAIL) or node.find(exp.Column, exp.Parameter, exp.Placeholder) is None:
        return False
    return not (isinstance(node, exp.Cast) and node.to.this in exp.DataType.TEXT_TYPES)


def after_all() -> Sql:
    """A sort key that is the same in every row, and known only when there are no more rows to come."""
    counted = exp.Window(this=exp.Count(this=exp.Star()))
    return exp.Ordered(this=counted, desc=False, nulls_first=False)


def looked_through(rows: exp.Query, names: Sequence[str]) -> exp.Select:
    """The same rows and columns, all of them computed before the first is handed on."""
    columns = [exp.column(f"c{place}", table=_FOUND, quoted=True) for place in range(len(names))]
    alias = exp.TableAlias(
        this=exp.to_identifier(_FOUND, quoted=True),
        columns=[exp.to_identifier(column.name, quoted=True) for column in columns],
    )
    chosen = [exp.alias_(column, name, quoted=True) for column, name in zip(columns, names, strict=True)]
    return exp.select(*chosen).from_(exp.Subquery(this=rows.copy(), alias=alias)).order_by(after_all())


def any_row(rows: exp.Query) -> Sql:
    """EXISTS that looks at every row."""
    counted = exp.select(exp.Count(this=exp.Star())).from_(rows.subquery(_FOUND, copy=True))
    return exp.paren(exp.GT(this=counted.subquery(), expression=exp.Literal.number(0)))
