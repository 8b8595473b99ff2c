"""A second reading of conditions: sqlglot parses them as SQL, and a whitelist of nodes becomes nested tuples.

It checks how the own parser of policies groups what is written. It cannot replace that parser: sqlglot passes over some
faults without a trace in its tree (`a not null`, `a in (1,)`), see decision 24.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

SIGNS = {exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
SQL = Dialect()


def read_as_sql(text: str) -> tuple[Any, ...] | None:
    """The condition in the form of `condition_oracle`; None where sqlglot or the whitelist refuses the text."""
    try:
        (tree,) = SQL.parser(error_level=ErrorLevel.RAISE).parse_into(exp.Condition, SQL.tokenize(text), text)
        return None if tree is None else node_of(tree)
    except (SqlglotError, ValueError):
        return None


def node_of(tree: exp.Expr) -> tuple[Any, ...]:
    match tree:
        case exp.And() | exp.Or():
            kind = "and" if isinstance(tree, exp.And) else "or"
            return kind, [node_of(part) for part in tree.flatten(unnest=False)]
        case exp.Paren():
            return node_of(tree.this)
        case exp.Not():
            return "not", node_of(tree.this)
        case exp.Is(expression=exp.Null()):
            return "null", operand_of(tree.this), True
        case exp.In() if tree.expressions:
            return "in", operand_of(tree.this), [operand_of(value) for value in tree.expressions], True
        case _ if type(tree) in SIGNS:
            return chain_of(tree)
    raise ValueError(type(tree).__name__)


def chain_of(tree: exp.Expr) -> tuple[Any, ...]:
    """`a < b = c` compares neighbours; SQL nests the comparisons, and = binds less than <."""
    sides, signs = spelled(tree)
    links = [("compare", *link) for link in zip(sides, signs, sides[1:], strict=False)]
    return links[0] if len(links) == 1 else ("and", links)


def spelled(tree: exp.Expr) -> tuple[list[Any], list[str]]:
    """Operands and signs, from left to right."""
    if type(tree) not in SIGNS:
        return [operand_of(tree)], []
    (first, before), (second, after) = spelled(tree.this), spelled(tree.expression)
    return first + second, [*before, SIGNS[type(tree)], *after]


def operand_of(tree: exp.Expr) -> Any:
    match tree:
        case exp.Column(this=exp.Identifier(this=name)) if len(tree.parts) == 1:
            return "name", name
        case exp.Cast(this=exp.Literal(this=day, is_string=True), to=exp.DataType(this=exp.DType.DATE)):
            return date.fromisoformat(day)
        case exp.Boolean():
            return tree.this
        case exp.Neg(this=exp.Literal(is_string=False)):
            return -operand_of(tree.this)
        case exp.Literal(this=text):
            return text if tree.is_string else Decimal(text) if "." in text else int(text)
    raise ValueError(type(tree).__name__)
