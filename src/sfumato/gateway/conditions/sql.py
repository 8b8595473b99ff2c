"""Translates a condition to SQL that is true, false and NULL for the same rows as the check in Python.

`Condition.sql` calls it; masked views contain the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_FLOOR, Context, Decimal
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import PolicyError
from sfumato.gateway.conditions.tree import (
    SWAPPED_SIGNS,
    And,
    Comparison,
    Name,
    Node,
    Not,
    NullTest,
    Or,
    SetMembership,
    Sign,
    Value,
)

if TYPE_CHECKING:
    from sfumato.gateway.transforms.column_types import ColumnType

_SIGNS: dict[Sign, type[exp.Expr]] = {
    "=": exp.EQ,
    "!=": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}
_FAMILIES = {
    "integer": "number",
    "decimal": "number",
    "float": "float",
    "text": "text",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp",
}
_COMPARABLE_FAMILIES = ({"number", "float"}, {"date", "timestamp"})
_EXACT = Context(prec=200)
_MAX_DIGITS = 38
_MAX_SIGNED = 2**127 - 1
"""The largest number of the widest signed integer type."""
_FLOAT_OVERFLOW = Decimal(2**1024 - 2**970)
"""The smallest number that rounds to infinity as a float."""
_FLOAT_UNDERFLOW = Context(prec=2_000).divide(Decimal(1), Decimal(2**1075))
"""The largest number that rounds to 0 as a float."""
_FLOAT_DIGITS = 300
_LAST_YEAR, _FIRST_YEAR = 294_000, -290_000
"""Dates outside these years may have no timestamp; the exact limits of engines are slightly wider."""


@dataclass(frozen=True)
class ConditionSql:
    """Translates conditions on columns whose types are known.

    Engines differ from each other and from Python in comparisons of different types (they convert, or raise an error),
    in the order of texts (PostgreSQL uses a collation), in infinite numbers and NaN, and in decimals that do not fit
    into the type of a column. So values without an order give NULL, texts are compared by their bytes, and a number is
    first replaced by one that the column can hold. No value may make a condition fail, because an error would reveal
    that the value exists: a value that does not fit into the common type of two columns is unknown, and a date outside
    the range of timestamps is before or after all of them.
    """

    column: Callable[[str], exp.Expr]
    types: Mapping[str, ColumnType]

    def of(self, node: Node) -> exp.Expr:
        """The SQL of a node of the tree."""
        match node:
            case And() | Or():
                return _join(exp.And if isinstance(node, And) else exp.Or, map(self.of, node.parts))
            case Not():
                return _not(self.of(node.part))
            case NullTest():
                test = exp.Is(this=self.column(node.name.text), expression=exp.null())
                return test if node.missing else _not(test)
            case SetMembership():
                return self._membership(node)
            case Comparison():
                return self._comparison(node)

    def _membership(self, node: SetMembership) -> exp.Expr:
        every = [self._comparison(Comparison(node.name, "=", value)) for value in node.values]
        equalities = [one for one in every if isinstance(one, exp.EQ)]
        tests = [one for one in every if not isinstance(one, exp.EQ)]
        if equalities:
            tests.append(exp.In(this=equalities[0].this, expressions=[one.expression for one in equalities]))
        combined = _join(exp.Or, tests)
        return combined if node.inside else _not(combined)

    def _comparison(self, node: Comparison) -> exp.Expr:
        left, sign, right = node.left, node.sign, node.right
        if isinstance(left, Value):
            left, sign, right = right, SWAPPED_SIGNS[sign], left
        families = {self._family(left), self._family(right)} - {""}
        if not (len(families) < 2 or any(families <= group for group in _COMPARABLE_FAMILIES)) or "none" in families:
            return exp.cast(exp.null(), "boolean")
        if isinstance(left, Name) and isinstance(right, Value) and right.kind in ("integer", "decimal"):
            return self._numeric(left, sign, Decimal(str(right.literal)))
        if isinstance(left, Name) and isinstance(right, Name) and families == {"number"}:
            self._demand_common_type(left, right)
        family = "float" if "float" in families else "timestamp" if "timestamp" in families else ""
        return _SIGNS[sign](this=self._operand(left, family), expression=self._operand(right, family))

    def _family(self, side: Name | Value) -> str:
        """The family of types that an operand can be compared with; empty for a column of unknown type."""
        if isinstance(side, Value):
            return _FAMILIES[side.kind]
        known = self.types.get(side.text)
        if known is None:
            return ""
        return "zoned" if known.zoned else _FAMILIES.get(known.kind, "none")

    def _numeric(self, name: Name, sign: Sign, number: Decimal) -> exp.Expr:
        known = self.types.get(name.text)
        if known is not None and known.kind == "float":
            value: exp.Expr = exp.cast(exp.Literal.string(format(number, "f")), "double")
            return _SIGNS[sign](this=self._operand(name, ""), expression=value)
        adjusted = (sign, number) if known is None else _with_column_number(sign, number, known)
        side = self._operand(name, "")
        if isinstance(adjusted, bool):  # the same for every finite number, and NULL for NULL
            return (exp.EQ if adjusted else exp.NEQ)(this=side, expression=side.copy())
        return _SIGNS[adjusted[0]](this=side, expression=_number_literal(adjusted[1]))

    def _demand_common_type(self, *names: Name) -> None:
        """Refuse two columns that engines cannot convert to a common type without an error on some rows."""
        known = [self.types[name.text] for name in names if name.text in self.types]
        bounds = [one.bounds for one in known if one.bounds]
        sizes = [(len(str(one.bounds[1])) - (one.scale or 0), one.scale or 0) for one in known if one.bounds]
        digits = sum(map(max, zip(*sizes, strict=True))) if any(one.kind == "decimal" for one in known) else 0
        mixed = any(least < 0 for least, _ in bounds) and any(most > _MAX_SIGNED for _, most in bounds)
        if digits > _MAX_DIGITS or (mixed and not digits):
            both = " and ".join(repr(name.text) for name in names)
            raise PolicyError(
                f"columns {both} cannot be compared with each other: no type of {_MAX_DIGITS} digits holds both."
            )

    def _operand(self, side: Name | Value, family: str) -> exp.Expr:
        """An operand, converted to the form in which its family is compared."""
        if isinstance(side, Value):
            return _timestamp_literal(side) if family == "timestamp" else _literal(side)
        known, value = self.types.get(side.text), self.column(side.text)
        if known is None:
            return value
        if known.kind == "text":  # an enumeration has an order of its own, unless it is cast to text
            return exp.Collate(this=exp.cast(value, "text"), expression=exp.to_identifier("C", quoted=True))
        if family == "timestamp":
            return (
                _midnight(value)
                if known.kind == "date"
                else exp.TryCast(this=value, to=exp.DataType.build("timestamp"))
            )
        if known.kind == "decimal" and family == "float":
            return _finite_or_null(_as_float(value, known))
        if known.kind == "float" or family == "float":
            value = exp.cast(value, "double")
        return _finite_or_null(value) if known.kind in ("float", "decimal") else value


def _join(connector: type[exp.Expr], parts: Iterable[exp.Expr]) -> exp.Expr:
    every = [exp.paren(part, copy=False) if isinstance(part, exp.Connector) else part for part in parts]
    combined = every[0]
    for part in every[1:]:
        combined = connector(this=combined, expression=part)
    return combined


def _not(part: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.paren(part, copy=False))


def _finite_or_null(value: exp.Expr) -> exp.Expr:
    """The number, or NULL if it is infinite or NaN: only then x - x is not 0."""
    zero = exp.EQ(this=exp.Sub(this=value.copy(), expression=value.copy()), expression=exp.Literal.number(0))
    return exp.Case().when(zero, value, copy=False)


def _as_float(value: exp.Expr, column_type: ColumnType) -> exp.Expr:
    """A decimal as a float, cast through text, because not every engine rounds correctly in a direct cast.

    PostgreSQL has decimals that are too large for a float, or too close to 0, and raises an error for them.
    """
    text: exp.Expr = exp.cast(value.copy(), "text")
    if column_type.bounds is not None and column_type.scale is not None:
        # a negative scale means more digits before the point
        before, behind = len(str(column_type.bounds[1])) - column_type.scale, column_type.scale
        if max(before, behind) <= _FLOAT_DIGITS:
            return exp.cast(text, "double")
    size = exp.Abs(this=value)
    small = exp.LTE(this=size, expression=exp.Literal.number(str(_FLOAT_UNDERFLOW)))
    fitting = exp.Case().when(small, exp.Literal.string("0"), copy=False).else_(text, copy=False)
    large = exp.LT(this=size.copy(), expression=exp.Literal.number(str(_FLOAT_OVERFLOW)))
    return exp.Case().when(large, exp.cast(fitting, "double"), copy=False)


def _midnight(value: exp.Expr) -> exp.Expr:
    """The midnight at which a date begins; dates beyond the range of timestamps become infinite timestamps."""
    year = exp.Extract(this=exp.var("YEAR"), expression=value)
    later = exp.GT(this=year, expression=exp.Literal.number(_LAST_YEAR))
    earlier = exp.LT(this=year.copy(), expression=exp.Neg(this=exp.Literal.number(-_FIRST_YEAR)))
    ends = [exp.cast(exp.Literal.string(end), "timestamp") for end in ("infinity", "-infinity")]
    bounded = exp.Case().when(later, ends[0], copy=False).when(earlier, ends[1], copy=False)
    return bounded.else_(exp.cast(value.copy(), "timestamp"), copy=False)


def _with_column_number(sign: Sign, number: Decimal, column_type: ColumnType) -> tuple[Sign, Decimal] | bool:
    """The same comparison with a number that the column can hold; true or false if it is the same for all its numbers.

    Engines convert a column to the type of a number with more digits, which fails for large values.
    """
    bounds, scale = column_type.bounds, column_type.scale
    if bounds is None or scale is None:
        return sign, number
    below = number.quantize(Decimal(1).scaleb(-scale), ROUND_FLOOR, _EXACT)
    units = int(below.scaleb(scale, _EXACT))
    if units > bounds[1]:
        return sign in ("<", "<=", "!=")
    if units < bounds[0]:
        return sign in (">", ">=", "!=")
    if below == number:
        return sign, below
    signs: dict[Sign, Sign] = {"<": "<=", "<=": "<=", ">": ">", ">=": ">"}
    return (signs[sign], below) if sign in signs else sign == "!="


def _literal(value: Value) -> exp.Expr:
    if isinstance(value.literal, bool):
        return exp.true() if value.literal else exp.false()
    if isinstance(value.literal, str):
        return exp.Literal.string(value.literal)
    if isinstance(value.literal, date):
        return exp.cast(exp.Literal.string(value.literal.isoformat()), "date")
    return _number_literal(Decimal(value.literal))


def _timestamp_literal(value: Value) -> exp.Expr:
    return exp.cast(exp.Literal.string(f"{value.literal} 00:00:00"), "timestamp")


def _number_literal(number: Decimal) -> exp.Expr:
    size = exp.Literal.number(format(number.copy_abs(), "f"))
    return exp.Neg(this=size) if number < 0 else size
