"""The functions that queries may call, with the SQL that computes them equally on both engines.

`FUNCTIONS` is an allowlist. A function is on it only if its result depends on its arguments alone: nothing here reads
the session, the clock (but for the current date), files or the catalogue of the database.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.casts import WIDE_DECIMAL
from sfumato.gateway.sql.kinds import common_kind, demand_family

ACCESSORS = {"lo", "hi", "exact"}
"""Functions of the gateway itself: the bounds of a weaker number, and a value only where it is exact."""

_BOUNDED = "sfumato.bounded"

_UNITS = {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"}
"""Units that EXTRACT and DATE_TRUNC both accept."""

_EXTRACT_UNITS = {"DOW", "DOY", "ISODOW", "EPOCH", "DAYOFWEEK", "DAYOFYEAR"}
"""Units that only EXTRACT accepts."""

_UNIT_SYNONYMS = {"DAYOFWEEK": "DOW", "DAYOFYEAR": "DOY"}
_MAX_PLACES = 10

Rewrite = Callable[[exp.Expr, Sequence[str]], tuple[exp.Expr, str]]
"""Takes a call and the kinds of its arguments; returns SQL that means the same on every engine, and its kind."""


@dataclass(frozen=True)
class Function:
    """A supported function: its arguments and the kind of its result.

    `values` are the arguments that are expressions, `names` those that are keywords, such as the unit of EXTRACT.
    `takes` is the family that all values must belong to, `kind` the kind of the result unless `rewrite` decides it. A
    `strict` function is NULL whenever one of its arguments is NULL; the result of any other function could reveal that
    an argument is hidden. `sorts` says that the function compares texts, so that they need a collation.
    """

    values: tuple[str, ...]
    kind: str
    names: tuple[str, ...] = ()
    takes: str | None = None
    strict: bool = True
    sorts: bool = False
    rewrite: Rewrite | None = None

    @property
    def arguments(self) -> tuple[str, ...]:
        """All arguments that the function accepts."""
        return self.values + self.names

    def compile(self, call: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
        """Check the kinds of the arguments; return the call as SQL and the kind of its value."""
        if self.takes is not None:
            demand_family(kinds, self.takes, call.key.upper())
        return (call, self.kind) if self.rewrite is None else self.rewrite(call, kinds)


def as_bounded_addend(number: exp.Expr) -> exp.Expr:
    """Marks the argument of an audited sum, which is brought within bounds before it is added up.

    Parentheses carry the mark, because no query can write it and compiled versions of sqlglot allow no new nodes.
    """
    marked = exp.paren(number)
    marked.meta[_BOUNDED] = True
    return marked


def is_bounded_addend(node: exp.Expr) -> bool:
    """Whether `as_bounded_addend` marked these parentheses."""
    return bool(node.meta.get(_BOUNDED))


def _same_kind(call: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    """The result has the kind of the argument."""
    return call, kinds[0]


def _common_kind(call: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    """The result has the common kind of all arguments."""
    return call, common_kind(kinds, call.key.upper())


def _nullif(call: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    """NULLIF: both arguments must be comparable, and the result is the first."""
    common_kind(kinds, call.key.upper())
    return call, kinds[0]


def _floor_or_ceil(call: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    """FLOOR and CEIL: an integer stays as it is, a decimal stays decimal, all others become floating numbers."""
    if kinds[0] == "integer":
        return call.this, "integer"
    if kinds[0] != "decimal":
        call.set("this", exp.cast(call.this, "double"))
    return call, "decimal" if kinds[0] == "decimal" else "float"


def _sign(call: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    """SIGN, as an integer: the engines return different types."""
    return exp.cast(call, "int"), "integer"


def _round(call: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    """ROUND: halves round away from zero, and a floating number is rounded as the decimal that it is written as."""
    decimal_places = _decimal_places(call.args.get("decimals"))
    if kinds[0] == "integer" and decimal_places >= 0:
        return call.this, "integer"
    if kinds[0] == "decimal":
        return call, "number"
    # The engines round floating halves differently; as decimals they round alike.
    call.set("this", exp.cast(call.this, WIDE_DECIMAL))
    return exp.cast(call, "double"), "float"


def _decimal_places(given: exp.Expr | None) -> int:
    """The number of places in ROUND, which must be a literal."""
    if given is None:
        return 0
    sign, digits = (-1, given.this) if isinstance(given, exp.Neg) else (1, given)
    digits = digits.this if isinstance(digits, exp.Paren) else digits
    if not (isinstance(digits, exp.Literal) and digits.is_int and int(digits.this) <= _MAX_PLACES):
        raise StatementError(f"the second argument of ROUND is a literal number of places, at most {_MAX_PLACES}.")
    return sign * int(digits.this)


def _substring(call: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    """SUBSTRING with literal positions only: the engines disagree on positions before the first character."""
    demand_family(kinds[:1], "text", "SUBSTRING")
    for name in ("start", "length"):
        given = call.args.get(name)
        if given is not None and not (isinstance(given, exp.Literal) and given.is_int):
            raise StatementError("the start and length of SUBSTRING are literal whole numbers, counted from 1.")
    return call, "text"


def _left_or_right(call: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    """LEFT and RIGHT: a text, and the number of characters to keep."""
    demand_family(kinds[:1], "text", call.key.upper())
    demand_family(kinds[1:], "number", call.key.upper())
    return call, "text"


def _extract(call: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    """EXTRACT from a timestamp: EPOCH as a floating number, every other unit as an integer."""
    demand_family(kinds, "time", "EXTRACT")
    unit = _unit(call, "this", _UNITS | _EXTRACT_UNITS)
    call.set("this", exp.var(_UNIT_SYNONYMS.get(unit, unit)))
    call.set("expression", exp.cast(call.expression, "timestamp"))
    if unit == "EPOCH":
        return exp.cast(call, "double"), "float"
    # PostgreSQL returns seconds with a fraction, DuckDB without.
    return exp.cast(exp.func("FLOOR", call), "bigint"), "integer"


def _date_part(call: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    """YEAR, MONTH and DAY, as a BIGINT."""
    return exp.cast(call, "bigint"), "integer"


def _date_trunc(call: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    """DATE_TRUNC of a timestamp; the result is a timestamp on both engines."""
    demand_family(kinds, "time", "DATE_TRUNC")
    _unit(call, "unit", _UNITS)
    call.set("this", exp.cast(call.this, "timestamp"))
    return exp.cast(call, "timestamp"), "timestamp"


def _unit(node: exp.Expr, argument: str, allowed: set[str]) -> str:
    """The unit argument in capitals, if it is an allowed one."""
    unit = node.args.get(argument)
    if not isinstance(unit, exp.Var | exp.Literal | exp.Identifier) or unit.name.upper() not in allowed:
        raise StatementError(f"the unit of a date is one of {', '.join(sorted(allowed)).lower()}.")
    return str(unit.name.upper())


_TEXT_FUNCTIONS = {
    exp.Lower: ("this",),
    exp.Upper: ("this",),
    exp.Trim: ("this", "expression"),
    exp.Replace: ("this", "expression", "replacement"),
}
_GREATEST_OR_LEAST = Function(
    ("this", "expressions"), "", ("ignore_nulls",), strict=False, sorts=True, rewrite=_common_kind
)

FUNCTIONS: dict[type[exp.Expr], Function] = {
    **{
        kind: Function(values, "text", ("position", "is_string"), takes="text")
        for kind, values in _TEXT_FUNCTIONS.items()
    },
    exp.Substring: Function(("this", "start", "length"), "text", rewrite=_substring),
    exp.Left: Function(("this", "expression"), "text", rewrite=_left_or_right),
    exp.Right: Function(("this", "expression"), "text", rewrite=_left_or_right),
    exp.Abs: Function(("this",), "", takes="number", rewrite=_same_kind),
    exp.Ceil: Function(("this",), "", takes="number", rewrite=_floor_or_ceil),
    exp.Floor: Function(("this",), "", takes="number", rewrite=_floor_or_ceil),
    exp.Sign: Function(("this",), "", takes="number", rewrite=_sign),
    exp.Round: Function(("this", "decimals"), "", takes="number", rewrite=_round),
    exp.Greatest: _GREATEST_OR_LEAST,
    exp.Least: _GREATEST_OR_LEAST,
    exp.Length: Function(("this",), "integer", takes="text"),
    exp.StrPosition: Function(("this", "substr"), "integer", takes="text"),
    exp.StartsWith: Function(("this", "expression"), "boolean", takes="text"),
    exp.Coalesce: Function(("this", "expressions"), "", strict=False, rewrite=_common_kind),
    exp.Nullif: Function(("this", "expression"), "", strict=False, rewrite=_nullif),
    exp.CurrentDate: Function((), "date"),
    exp.Extract: Function(("expression",), "", ("this",), rewrite=_extract),
    exp.TimestampTrunc: Function(("this",), "", ("unit",), rewrite=_date_trunc),
    exp.DateTrunc: Function(("this",), "", ("unit",), rewrite=_date_trunc),
    exp.Year: Function(("this",), "", takes="time", rewrite=_date_part),
    exp.Month: Function(("this",), "", takes="time", rewrite=_date_part),
    exp.Day: Function(("this",), "", takes="time", rewrite=_date_part),
}
"""All supported functions by their node type."""
