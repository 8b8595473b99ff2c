"""A condition as SQL, true, false and unknown in the same rows as when it is checked in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_FLOOR, Context, Decimal
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import PolicyError
from sfumato.gateway.conditions.tree import (
    MIRRORED,
    And,
    Comparison,
    Name,
    Node,
    Not,
    Nullness,
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
    "timestamp": "moment",
}
_TOGETHER = ({"number", "float"}, {"date", "moment"})
_EXACT = Context(prec=200)
_MOST_DIGITS = 38
_SIGNED = 2**127 - 1
"""The largest whole number of a type that also has negative ones."""
_TOO_LARGE = Decimal(2**1024 - 2**970)
"""The least number that is nearer to infinity than to the largest float."""
_TOO_SMALL = Context(prec=2_000).divide(Decimal(1), Decimal(2**1075))
"""The largest number that is nearer to 0 than to the least float."""
_FLOAT_DIGITS = 300
_LAST_YEAR, _FIRST_YEAR = 294_000, -290_000
"""Days after and before these years may have no moment; the limits of engines lie a little further off."""


@dataclass(frozen=True)
class ConditionSql:
    """Writes conditions on columns of known types.

    Engines differ from each other, and from Python, where types differ (they convert or refuse), in the order of texts
    (PostgreSQL follows a language), in numbers that are not finite, and in decimals that do not fit into the type of a
    column. So what has no order is NULL, texts are compared by their bytes, and numbers are first brought to the
    column's own grid. No value may make a condition fail, or whoever asks would learn of it: what does not fit into the
    type in which two columns are compared is unknown, and days beyond all moments come before or after them.
    """

    column: Callable[[str], exp.Expr]
    types: Mapping[str, ColumnType]

    def of(self, node: Node) -> exp.Expr:
        """The SQL of a part."""
        match node:
            case And() | Or():
                return _joined(exp.And if isinstance(node, And) else exp.Or, map(self.of, node.parts))
            case Not():
                return _not(self.of(node.part))
            case Nullness():
                found = exp.Is(this=self.column(node.name.text), expression=exp.null())
                return found if node.missing else _not(found)
            case SetMembership():
                return self._membership(node)
            case Comparison():
                return self._comparison(node)

    def _membership(self, node: SetMembership) -> exp.Expr:
        every = [self._comparison(Comparison(node.name, "=", value)) for value in node.values]
        listed = [one for one in every if isinstance(one, exp.EQ)]
        found = [one for one in every if not isinstance(one, exp.EQ)]
        if listed:
            found.append(exp.In(this=listed[0].this, expressions=[one.expression for one in listed]))
        whole = _joined(exp.Or, found)
        return whole if node.inside else _not(whole)

    def _comparison(self, node: Comparison) -> exp.Expr:
        left, sign, right = node.left, node.sign, node.right
        if isinstance(left, Value):
            left, sign, right = right, MIRRORED[sign], left
        families = {self._family(left), self._family(right)} - {""}
        if not (len(families) < 2 or any(families <= group for group in _TOGETHER)) or "none" in families:
            return exp.cast(exp.null(), "boolean")
        if isinstance(left, Name) and isinstance(right, Value) and right.kind in ("integer", "decimal"):
            return self._numeric(left, sign, Decimal(str(right.literal)))
        if isinstance(left, Name) and isinstance(right, Name) and families == {"number"}:
            self._demand_room(left, right)
        family = "float" if "float" in families else "moment" if "moment" in families else ""
        return _SIGNS[sign](this=self._side(left, family), expression=self._side(right, family))

    def _family(self, side: Name | Value) -> str:
        """What a side can be compared with; nothing is known of columns without a type."""
        if isinstance(side, Value):
            return _FAMILIES[side.kind]
        known = self.types.get(side.text)
        if known is None:
            return ""
        return "instant" if known.zoned else _FAMILIES.get(known.kind, "none")

    def _numeric(self, name: Name, sign: Sign, number: Decimal) -> exp.Expr:
        known = self.types.get(name.text)
        if known is not None and known.kind == "float":
            value: exp.Expr = exp.cast(exp.Literal.string(format(number, "f")), "double")
            return _SIGNS[sign](this=self._side(name, ""), expression=value)
        on_grid = (sign, number) if known is None else _on_grid(sign, number, known)
        side = self._side(name, "")
        if isinstance(on_grid, bool):  # the same for every number, and unknown for what is none
            return (exp.EQ if on_grid else exp.NEQ)(this=side, expression=side.copy())
        return _SIGNS[on_grid[0]](this=side, expression=_number(on_grid[1]))

    def _demand_room(self, *names: Name) -> None:
        """Engines bring both columns to one type; refused is what would fail on some rows of some engines."""
        known = [self.types[name.text] for name in names if name.text in self.types]
        bounds = [held.bounds for held in known if held.bounds]
        sizes = [(len(str(held.bounds[1])) - (held.scale or 0), held.scale or 0) for held in known if held.bounds]
        digits = sum(map(max, zip(*sizes, strict=True))) if any(held.kind == "decimal" for held in known) else 0
        mixed = any(least < 0 for least, _ in bounds) and any(most > _SIGNED for _, most in bounds)
        if digits > _MOST_DIGITS or (mixed and not digits):
            both = " and ".join(repr(name.text) for name in names)
            raise PolicyError(
                f"columns {both} cannot be compared with each other: no type of {_MOST_DIGITS} digits holds both."
            )

    def _side(self, side: Name | Value, family: str) -> exp.Expr:
        """One side, in the form in which all of its family compare."""
        if isinstance(side, Value):
            return _moment(side) if family == "moment" else _literal(side)
        known, value = self.types.get(side.text), self.column(side.text)
        if known is None:
            return value
        if known.kind == "text":  # a list of texts has an order of its own, unless they are taken as texts
            return exp.Collate(this=exp.cast(value, "text"), expression=exp.to_identifier("C", quoted=True))
        if family == "moment":
            return _day(value) if known.kind == "date" else exp.TryCast(this=value, to=exp.DataType.build("timestamp"))
        if known.kind == "decimal" and family == "float":
            return _finite(_float(value, known))
        if known.kind == "float" or family == "float":
            value = exp.cast(value, "double")
        return _finite(value) if known.kind in ("float", "decimal") else value


def _joined(connector: type[exp.Expr], parts: Iterable[exp.Expr]) -> exp.Expr:
    every = [exp.paren(part, copy=False) if isinstance(part, exp.Connector) else part for part in parts]
    whole = every[0]
    for part in every[1:]:
        whole = connector(this=whole, expression=part)
    return whole


def _not(part: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.paren(part, copy=False))


def _finite(value: exp.Expr) -> exp.Expr:
    """The number, or NULL: what is infinite or no number is not 0 when it is taken from itself."""
    zero = exp.EQ(this=exp.Sub(this=value.copy(), expression=value.copy()), expression=exp.Literal.number(0))
    return exp.Case().when(zero, value, copy=False)


def _float(value: exp.Expr, held: ColumnType) -> exp.Expr:
    """A decimal as a float, by its digits; not every engine's own way rounds right.

    PostgreSQL has decimals that are too large for a float, or too near to 0, and refuses to make one of them.
    """
    text: exp.Expr = exp.cast(value.copy(), "text")
    if held.bounds is not None and held.scale is not None:
        before, behind = len(str(held.bounds[1])) - held.scale, held.scale  # a scale below 0 stands for more before
        if max(before, behind) <= _FLOAT_DIGITS:
            return exp.cast(text, "double")
    size = exp.Abs(this=value)
    small = exp.LTE(this=size, expression=exp.Literal.number(str(_TOO_SMALL)))
    fitting = exp.Case().when(small, exp.Literal.string("0"), copy=False).else_(text, copy=False)
    large = exp.LT(this=size.copy(), expression=exp.Literal.number(str(_TOO_LARGE)))
    return exp.Case().when(large, exp.cast(fitting, "double"), copy=False)


def _day(value: exp.Expr) -> exp.Expr:
    """The midnight on which a day begins; days of engines reach further than their moments."""
    year = exp.Extract(this=exp.var("YEAR"), expression=value)
    later = exp.GT(this=year, expression=exp.Literal.number(_LAST_YEAR))
    earlier = exp.LT(this=year.copy(), expression=exp.Neg(this=exp.Literal.number(-_FIRST_YEAR)))
    ends = [exp.cast(exp.Literal.string(end), "timestamp") for end in ("infinity", "-infinity")]
    found = exp.Case().when(later, ends[0], copy=False).when(earlier, ends[1], copy=False)
    return found.else_(exp.cast(value.copy(), "timestamp"), copy=False)


def _on_grid(sign: Sign, number: Decimal, held: ColumnType) -> tuple[Sign, Decimal] | bool:
    """The same comparison with a number that the column can hold; true or false where all its numbers agree.

    Engines convert a column to the type of a number with more digits, which fails for large values.
    """
    bounds, scale = held.bounds, held.scale
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
    return _number(Decimal(value.literal))


def _moment(value: Value) -> exp.Expr:
    return exp.cast(exp.Literal.string(f"{value.literal} 00:00:00"), "timestamp")


def _number(number: Decimal) -> exp.Expr:
    whole = exp.Literal.number(format(number.copy_abs(), "f"))
    return exp.Neg(this=whole) if number < 0 else whole
