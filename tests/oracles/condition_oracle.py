"""Conditions as nested tuples: drawn at random, written as text and evaluated in the plainest way.

`("and", [...])`, `("or", [...])`, `("not", x)`, `("compare", left, sign, right)`, `("in", name, values, inside)` and
`("null", name, missing)`; a name is `("name", "a")`, a value stands for itself.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction
from math import isfinite
from typing import Any

from hypothesis import strategies as st

SIGNS = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def conditions(names: Sequence[str], values: Sequence[Any], leaves: int = 6) -> st.SearchStrategy[tuple]:
    """Random conditions on these names and values."""
    name = st.tuples(st.just("name"), st.sampled_from(names))
    value, sign = st.sampled_from(values), st.sampled_from(sorted(SIGNS))
    atom = st.one_of(
        st.tuples(st.just("compare"), name, sign, value | name),
        st.tuples(st.just("compare"), value, sign, name),
        st.tuples(st.just("in"), name, st.lists(value, min_size=1, max_size=3), st.booleans()),
        st.tuples(st.just("null"), name, st.booleans()),
    )
    return st.recursive(
        atom,
        lambda inner: st.one_of(
            st.tuples(st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3)),
            st.tuples(st.just("not"), inner),
        ),
        max_leaves=leaves,
    )


def written(node: tuple) -> str:
    """The text of a condition, with more parentheses than it needs."""
    kind = node[0]
    if kind in ("and", "or"):
        return f" {kind.upper()} ".join(f"({written(part)})" for part in node[1])
    if kind == "not":
        return f"Not ({written(node[1])})"
    if kind == "compare":
        return f"{operand(node[1])}{node[2]}{operand(node[3])}"
    if kind == "in":
        listed = ",".join(map(operand, node[2]))
        return f"{operand(node[1])} {'' if node[3] else 'NOT '}IN ({listed})"
    return f"{operand(node[1])} IS {'' if node[2] else 'NOT '}NULL"


def operand(value: Any) -> str:
    if isinstance(value, tuple):
        return f'"{value[1]}"'
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    return str(value)


def holds(node: tuple, row: Mapping[str, Any]) -> bool | None:
    """True, false or None, by the truth tables."""
    kind = node[0]
    if kind == "and":
        return _least([holds(part, row) for part in node[1]])
    if kind == "or":
        return _opposite(_least([_opposite(holds(part, row)) for part in node[1]]))
    if kind == "not":
        return _opposite(holds(node[1], row))
    if kind == "null":
        return (row.get(node[1][1]) is None) == node[2]
    if kind == "in":
        found = holds(("or", [("compare", node[1], "=", value) for value in node[2]]), row)
        return found if node[3] else _opposite(found)
    left, right = (row.get(side[1]) if isinstance(side, tuple) else side for side in (node[1], node[3]))
    first, second = _measure(left, right), _measure(right, left)
    return None if first is None or second is None or first[0] != second[0] else SIGNS[node[2]](first[1], second[1])


def _least(answers: list[bool | None]) -> bool | None:
    return min(answers, key=[False, None, True].index)


def _opposite(answer: bool | None) -> bool | None:
    return {True: False, False: True, None: None}[answer]


def _measure(value: Any, beside: Any) -> tuple[str, Any] | None:
    """What kind of thing a value is, and where it lies among its kind."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "truth", int(value)
    if isinstance(value, str):
        return "text", value.encode()
    if isinstance(value, date):
        return "time", value.isoformat() if isinstance(value, datetime) else f"{value.isoformat()}T00:00:00"
    if not isfinite(value):
        return None
    return "number", Fraction(float(value) if isinstance(value, float) or isinstance(beside, float) else value)
