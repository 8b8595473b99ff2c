"""Functions that questions may use: of plain values only, the same on every engine, and blind to everything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.casts import MANY_DIGITS
from sfumato.gateway.sql.kinds import demand_family, together

ACCESSORS = {"lo", "hi", "exact"}


class Addable(exp.Expression, exp.Func):
    """A number as an audited sum takes it, within bounds; nobody can write it in a question."""


_UNITS = {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"}
_ALSO = {"DOW", "DOY", "ISODOW", "EPOCH", "DAYOFWEEK", "DAYOFYEAR"}
_SAME_UNIT = {"DAYOFWEEK": "DOW", "DAYOFYEAR": "DOY"}
_MOST_PLACES = 10

Finish = Callable[[exp.Expr, Sequence[str]], tuple[exp.Expr, str]]
"""From a call and the kinds of its values to the SQL that means it on every engine, and its kind."""


@dataclass(frozen=True)
class Function:
    """Which arguments are values, which are said by name, and what kind of value it gives.

    `takes` is what its values must be. A function is `strict` if it is missing wherever one of its arguments is, and
    `sorts` if it looks at the order of texts.
    """

    values: tuple[str, ...]
    kind: str
    names: tuple[str, ...] = ()
    takes: str | None = None
    strict: bool = True
    sorts: bool = False
    finish: Finish | None = None

    @property
    def arguments(self) -> tuple[str, ...]:
        """Everything that may be said."""
        return self.values + self.names

    def finished(self, made: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
        """The call as SQL, and the kind of its value."""
        if self.takes is not None:
            demand_family(kinds, self.takes, made.key.upper())
        return (made, self.kind) if self.finish is None else self.finish(made, kinds)


def _same(made: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    return made, kinds[0]


def _alike(made: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    return made, together(kinds, made.key.upper())


def _compared(made: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    together(kinds, made.key.upper())
    return made, kinds[0]


def _whole(made: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    """FLOOR and CEIL."""
    if kinds[0] == "integer":
        return made.this, "integer"
    if kinds[0] != "decimal":
        made.set("this", exp.cast(made.this, "double"))
    return made, "decimal" if kinds[0] == "decimal" else "float"


def _signed(made: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    return exp.cast(made, "int"), "integer"


def _rounded(made: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    """Halves go away from zero; a floating number is taken for the decimal that it is written as."""
    places = _places(made.args.get("decimals"))
    if kinds[0] == "integer" and places >= 0:
        return made.this, "integer"
    if kinds[0] == "decimal":
        return made, "number"
    made.set("this", exp.cast(made.this, MANY_DIGITS))
    return exp.cast(made, "double"), "float"


def _places(given: exp.Expr | None) -> int:
    if given is None:
        return 0
    sign, digits = (-1, given.this) if isinstance(given, exp.Neg) else (1, given)
    digits = digits.this if isinstance(digits, exp.Paren) else digits
    if not (isinstance(digits, exp.Literal) and digits.is_int and int(digits.this) <= _MOST_PLACES):
        raise StatementError(f"ROUND is to a number of places that is written out, at most {_MOST_PLACES}.")
    return sign * int(digits.this)


def _cut(made: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    """SUBSTRING; what a place before the beginning means differs from engine to engine."""
    demand_family(kinds[:1], "text", "SUBSTRING")
    for name in ("start", "length"):
        given = made.args.get(name)
        if given is not None and not (isinstance(given, exp.Literal) and given.is_int):
            raise StatementError("SUBSTRING begins and ends at places that are written out, counted from 1.")
    return made, "text"


def _ended(made: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    """LEFT and RIGHT: a text, and how many characters of it."""
    demand_family(kinds[:1], "text", made.key.upper())
    demand_family(kinds[1:], "number", made.key.upper())
    return made, "text"


def _extracted(made: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    demand_family(kinds, "time", "EXTRACT")
    unit = _unit(made, "this", _UNITS | _ALSO)
    made.set("this", exp.var(_SAME_UNIT.get(unit, unit)))
    made.set("expression", exp.cast(made.expression, "timestamp"))
    if unit == "EPOCH":
        return exp.cast(made, "double"), "float"
    return exp.cast(exp.func("FLOOR", made), "bigint"), "integer"


def _counted(made: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    return exp.cast(made, "bigint"), "integer"


def _truncated(made: exp.Expr, kinds: Sequence[str]) -> tuple[exp.Expr, str]:
    demand_family(kinds, "time", "DATE_TRUNC")
    _unit(made, "unit", _UNITS)
    made.set("this", exp.cast(made.this, "timestamp"))
    return exp.cast(made, "timestamp"), "timestamp"


def _unit(node: exp.Expr, argument: str, allowed: set[str]) -> str:
    unit = node.args.get(argument)
    if not isinstance(unit, exp.Var | exp.Literal | exp.Identifier) or unit.name.upper() not in allowed:
        raise StatementError(f"the unit of a date is one of {', '.join(sorted(allowed)).lower()}.")
    return str(unit.name.upper())


_TEXT = {
    exp.Lower: ("this",),
    exp.Upper: ("this",),
    exp.Trim: ("this", "expression"),
    exp.Replace: ("this", "expression", "replacement"),
}
_LARGEST = Function(("this", "expressions"), "", ("ignore_nulls",), strict=False, sorts=True, finish=_alike)

FUNCTIONS: dict[type[exp.Expr], Function] = {
    **{kind: Function(values, "text", ("position", "is_string"), takes="text") for kind, values in _TEXT.items()},
    exp.Substring: Function(("this", "start", "length"), "text", finish=_cut),
    exp.Left: Function(("this", "expression"), "text", finish=_ended),
    exp.Right: Function(("this", "expression"), "text", finish=_ended),
    exp.Abs: Function(("this",), "", takes="number", finish=_same),
    exp.Ceil: Function(("this",), "", takes="number", finish=_whole),
    exp.Floor: Function(("this",), "", takes="number", finish=_whole),
    exp.Sign: Function(("this",), "", takes="number", finish=_signed),
    exp.Round: Function(("this", "decimals"), "", takes="number", finish=_rounded),
    exp.Greatest: _LARGEST,
    exp.Least: _LARGEST,
    exp.Length: Function(("this",), "integer", takes="text"),
    exp.StrPosition: Function(("this", "substr"), "integer", takes="text"),
    exp.StartsWith: Function(("this", "expression"), "boolean", takes="text"),
    exp.Coalesce: Function(("this", "expressions"), "", strict=False, finish=_alike),
    exp.Nullif: Function(("this", "expression"), "", strict=False, finish=_compared),
    exp.CurrentDate: Function((), "date"),
    exp.Extract: Function(("expression",), "", ("this",), finish=_extracted),
    exp.TimestampTrunc: Function(("this",), "", ("unit",), finish=_truncated),
    exp.DateTrunc: Function(("this",), "", ("unit",), finish=_truncated),
    exp.Year: Function(("this",), "", takes="time", finish=_counted),
    exp.Month: Function(("this",), "", takes="time", finish=_counted),
    exp.Day: Function(("this",), "", takes="time", finish=_counted),
}
"""What is understood as a function."""
