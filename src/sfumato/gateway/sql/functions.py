"""Functions that questions may use: of plain values only, the same on every engine, and blind to everything else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from sfumato.errors import StatementError

ACCESSORS = {"lo", "hi", "exact"}

KINDS = {
    **dict.fromkeys((exp.DataType.Type.TINYINT, exp.DataType.Type.SMALLINT), "number"),
    **dict.fromkeys((exp.DataType.Type.INT, exp.DataType.Type.BIGINT, exp.DataType.Type.DECIMAL), "number"),
    **dict.fromkeys((exp.DataType.Type.DOUBLE, exp.DataType.Type.FLOAT), "number"),
    **dict.fromkeys((exp.DataType.Type.TEXT, exp.DataType.Type.VARCHAR), "text"),
    exp.DataType.Type.DATE: "date",
    **dict.fromkeys((exp.DataType.Type.TIMESTAMP, exp.DataType.Type.DATETIME), "timestamp"),
    exp.DataType.Type.BOOLEAN: "boolean",
}
"""What a value can be cast to."""

_UNITS = {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"}
_MORE_UNITS = _UNITS | {"DOW", "DOY", "ISODOW", "EPOCH", "DAYOFWEEK", "DAYOFYEAR"}


def _anything(node: exp.Expr) -> None:
    pass


@dataclass(frozen=True)
class Function:
    """Which arguments are values, which are said by name, and what kind of value it gives.

    A function is `strict` if it is missing wherever one of its arguments is.
    """

    values: tuple[str, ...]
    kind: str
    names: tuple[str, ...] = ()
    strict: bool = True
    check: Callable[[exp.Expr], None] = _anything

    @property
    def arguments(self) -> tuple[str, ...]:
        """Everything that may be said."""
        return self.values + self.names


def _unit_of(argument: str, allowed: set[str]) -> Callable[[exp.Expr], None]:
    def check(node: exp.Expr) -> None:
        unit = node.args.get(argument)
        if (
            unit is None
            or not isinstance(unit, exp.Var | exp.Literal | exp.Identifier)
            or unit.name.upper() not in allowed
        ):
            raise StatementError(f"the unit of a date is one of {', '.join(sorted(allowed)).lower()}.")

    return check


_NUMBER = {
    exp.Abs: ("this",),
    exp.Ceil: ("this",),
    exp.Floor: ("this",),
    exp.Sign: ("this",),
}
_TEXT = {
    exp.Lower: ("this",),
    exp.Upper: ("this",),
    exp.Trim: ("this", "expression"),
    exp.Substring: ("this", "start", "length"),
    exp.Left: ("this", "expression"),
    exp.Right: ("this", "expression"),
    exp.Replace: ("this", "expression", "replacement"),
}

FUNCTIONS: dict[type[exp.Expr], Function] = {
    **{kind: Function(values, "number") for kind, values in _NUMBER.items()},
    **{kind: Function(values, "text", ("position", "is_string")) for kind, values in _TEXT.items()},
    exp.Greatest: Function(("this", "expressions"), "number", ("ignore_nulls",), strict=False),
    exp.Least: Function(("this", "expressions"), "number", ("ignore_nulls",), strict=False),
    exp.Round: Function(("this", "decimals"), "number"),
    exp.Length: Function(("this",), "number"),
    exp.StrPosition: Function(("this", "substr"), "number"),
    exp.StartsWith: Function(("this", "expression"), "boolean"),
    exp.Coalesce: Function(("this", "expressions"), "other", strict=False),
    exp.Nullif: Function(("this", "expression"), "other", strict=False),
    exp.CurrentDate: Function((), "date"),
    exp.Extract: Function(("expression",), "number", ("this",), check=_unit_of("this", _MORE_UNITS)),
    exp.TimestampTrunc: Function(("this",), "timestamp", ("unit",), check=_unit_of("unit", _UNITS)),
    exp.DateTrunc: Function(("this",), "timestamp", ("unit",), check=_unit_of("unit", _UNITS)),
    exp.Year: Function(("this",), "number"),
    exp.Month: Function(("this",), "number"),
    exp.Day: Function(("this",), "number"),
}
"""What is understood as a function."""
