"""Conformance checks: what every transform promises, as checks for any author's transform.

Each check is a function of a transform and a column type that it suits; `check_transform` runs them all, for every
common type that the transform suits. The values are those of `VALUES`, with bounds and special cases of every kind. The
SQL is not run here; the tests of sfumato check that both engines agree with `weaker`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from math import inf, nan
from typing import Any

from sfumato.checks.base import ConformanceError
from sfumato.errors import PolicyError
from sfumato.gateway.transforms.base import Transform
from sfumato.gateway.transforms.column_types import ColumnType

Check = Callable[[Transform, ColumnType], None]

TYPES = {
    "duckdb": (
        *("INTEGER", "BIGINT", "UTINYINT", "HUGEINT", "DECIMAL(18,3)", "FLOAT", "DOUBLE", "DATE", "TIMESTAMP"),
        *("TIMESTAMP WITH TIME ZONE", "VARCHAR", "BOOLEAN", "UUID"),
    ),
    "postgres": (
        *("smallint", "bigint", "numeric(9,2)", "numeric", "real", "double precision", "date"),
        *("timestamp without time zone", "timestamp with time zone", "text", "character(5)", "boolean", "jsonb"),
    ),
}
"""Common column types of each engine."""

_MOMENTS = [
    *(datetime(1, 1, 1), datetime(1969, 12, 31, 23, 59, 59, 999999)),
    *(datetime(2026, 3, 9, 12), datetime(9999, 12, 31)),
]
VALUES: dict[str, list[Any]] = {
    "integer": [0, 1, -1, 35, 48, 23000, -23001, 10**9],
    "decimal": [Decimal(text) for text in ("0", "0.1", "-0.1", "35000", "999.9", "-123456", "NaN")],
    "float": [0.0, -0.0, 0.5, -0.5, 35000.25, 1e300, 2.0**24, inf, -inf, nan],
    "date": [moment.date() for moment in _MOMENTS],
    "timestamp": _MOMENTS,
    "text": ["", "A", "Alice", "21, West St., TBA", "é", "日本", "it's", "a\\b", " ", "4350"],
    "boolean": [True, False],
    "other": ["{}"],
}
"""Values to check, by kind."""


def check_transform(transform: Transform) -> None:
    """Run every check; the first broken promise is raised as a ConformanceError."""
    check_settings_come_back(transform)
    suited = [one for one in _types() if transform.suits(one)]
    _demand(bool(suited), transform, "suits no type of column")
    for column_type in suited:
        for check in CHECKS:
            check(transform, column_type)
    check_refuses_what_it_does_not_suit(transform)


def check_settings_come_back(transform: Transform) -> None:
    """A policy that names the transform with its settings rebuilds an equal transform."""
    settings = {key: value for key, value in transform.to_dict().items() if key != "name"}
    _demand(type(transform).build(settings) == transform, transform, "is not rebuilt from what it says about itself")


def check_nothing_stays_nothing(transform: Transform, column_type: ColumnType) -> None:
    """A missing value has no weaker form."""
    _demand(transform.weaker(None, column_type) is None, transform, "makes something of a missing value")


def check_the_value_is_inside(transform: Transform, column_type: ColumnType) -> None:
    """A range contains its value, and a weaker text is a text."""
    for value, weaker in _visible_forms(transform, column_type):
        if transform.makes == "range":
            low, high = weaker
            _demand(bool(low <= value <= high), transform, "gives a range that its value is not in")
        elif transform.makes == "text":
            _demand(isinstance(weaker, str), transform, "says that it makes texts, and makes something else")
        else:
            _demand(weaker is value, transform, "says that it leaves values as they are, and does not")


def check_a_range_has_one_name(transform: Transform, column_type: ColumnType) -> None:
    """The lowest value of a range has the same range: a range does not tell where in it a value lies."""
    if transform.makes != "range":
        return
    for _, (low, high) in _visible_forms(transform, column_type):
        _demand(transform.weaker(low, column_type) == (low, high), transform, "gives ranges that overlap")
        shown = transform.shown(low, column_type)
        _demand(shown is None or isinstance(shown, str), transform, "writes a range as something that is no text")


def check_the_same_twice(transform: Transform, column_type: ColumnType) -> None:
    """The weaker form depends on the value alone."""
    first, again = (_weaker_forms(transform, column_type) for _ in range(2))
    _demand(first == again, transform, "gives a value two weaker forms")


def check_sql_looks_at_the_value_alone(transform: Transform, column_type: ColumnType) -> None:
    """The SQL names no other column and no table, and is the same whenever it is built."""
    from sqlglot import exp

    for engine in _engines(column_type):
        built, again = (_sql(transform, column_type, engine) for _ in range(2))
        columns = {column.name for one in built for column in one.find_all(exp.Column)}
        _demand(columns <= {"value"}, transform, "looks at other columns than its own")
        reads_rows = any(one.find(exp.Select, exp.Subquery, exp.AggFunc, exp.Window) for one in built)
        _demand(not reads_rows, transform, "looks at other rows than the value's own")
        texts = [[one.sql(engine) for one in which] for which in (built, again)]
        _demand(texts[0] == texts[1], transform, "is another SQL every time")


def check_refuses_what_it_does_not_suit(transform: Transform) -> None:
    """A column that it does not suit is refused as a mistake in the policy, and the column is named."""
    for column_type in _types():
        try:
            transform.demand(column_type, "of_somebody")
        except PolicyError as error:
            _demand(not transform.suits(column_type), transform, "refuses a column that it suits")
            _demand("'of_somebody'" in str(error), transform, "refuses a column without naming it")
        else:
            _demand(transform.suits(column_type), transform, "takes a column that it does not suit")


CHECKS: tuple[Check, ...] = (
    check_nothing_stays_nothing,
    check_the_value_is_inside,
    check_a_range_has_one_name,
    check_the_same_twice,
    check_sql_looks_at_the_value_alone,
)


def _types() -> Iterator[ColumnType]:
    """All common column types."""
    yield from (ColumnType.of_duckdb(name) for name in TYPES["duckdb"])
    yield from (ColumnType.of_postgres(name) for name in TYPES["postgres"])


def _engines(column_type: ColumnType) -> Iterator[str]:
    """The engines that have a type of this name."""
    return (engine for engine, names in TYPES.items() if column_type.name in names)


def _values(column_type: ColumnType) -> Iterator[Any]:
    """The values that a column of the type can have."""
    zone = UTC if column_type.zoned else None
    for value in VALUES[column_type.kind]:
        if column_type.kind == "timestamp":
            yield value.replace(tzinfo=zone)
        elif _fits(value, column_type):
            yield value


def _fits(value: Any, column_type: ColumnType) -> bool:
    """Whether the value lies within the bounds of the type."""
    ends, unit = column_type.bounds, 10 ** (column_type.scale or 0)
    no_number = value != value  # noqa: PLR0124
    return ends is None or no_number or bool(ends[0] <= value * unit <= ends[1])


def _visible_forms(transform: Transform, column_type: ColumnType) -> Iterator[tuple[Any, Any]]:
    """Every value that is not hidden, with its weaker form."""
    for value in _values(column_type):
        weaker = transform.weaker(value, column_type)
        if weaker is not None:
            yield value, weaker


def _weaker_forms(transform: Transform, column_type: ColumnType) -> list[str]:
    """The weaker forms of all values, as texts."""
    return [repr(transform.weaker(value, column_type)) for value in _values(column_type)]


def _sql(transform: Transform, column_type: ColumnType, engine: str) -> list[Any]:
    """All expressions that the transform builds."""
    from sqlglot import exp

    value = exp.column("value", quoted=True)
    if transform.makes == "range":
        shown = transform.shown_sql(value, column_type, engine)
        return [*transform.range_sql(value, column_type, engine), *([] if shown is None else [shown])]
    return [transform.text_sql(value, column_type, engine)] if transform.makes == "text" else []


def _demand(holds: bool, transform: Transform, broken: str) -> None:
    """Raise a ConformanceError unless the promise holds."""
    if not holds:
        raise ConformanceError(f"{transform} {broken}.")
