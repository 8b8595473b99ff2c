"""Conditions on the current date for the SQL of views, always in UTC, whatever time zone a session has set.

`source` and `tools` add them to views that are valid only until a rule or a permission changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from sqlglot import exp


def today() -> exp.Expr:
    """The date at which a query runs.

    CLOCK_TIMESTAMP is read for every query, because a transaction can stay open for longer than a day.

    >>> today().sql("postgres")
    "CAST(CLOCK_TIMESTAMP() AT TIME ZONE 'UTC' AS DATE)"
    """
    now = exp.Anonymous(this="CLOCK_TIMESTAMP", expressions=[])
    return exp.cast(exp.AtTimeZone(this=now, zone=exp.Literal.string("UTC")), "date")


def span(changes: Iterable[date], day: date) -> tuple[date | None, date | None]:
    """The last date of change up to `day` and the first one after it; None where there is none.

    >>> span([date(2026, 1, 1), date(2026, 6, 1)], date(2026, 1, 1))
    (datetime.date(2026, 1, 1), datetime.date(2026, 6, 1))
    """
    known = sorted(changes)
    begin = max((one for one in known if one <= day), default=None)
    return begin, min((one for one in known if one > day), default=None)


def during(begin: date | None, end: date | None) -> Iterator[exp.Expr]:
    """Conditions that hold from `begin` until the day before `end`; each is evaluated once per query.

    >>> [one.sql("postgres") for one in during(None, date(2026, 6, 1))]
    ["(SELECT CAST(CLOCK_TIMESTAMP() AT TIME ZONE 'UTC' AS DATE)) < CAST('2026-06-01' AS DATE)"]
    """
    for bound, comparison in ((begin, exp.GTE), (end, exp.LT)):
        if bound is not None:
            date_literal = exp.cast(exp.Literal.string(bound.isoformat()), "date")
            yield comparison(this=exp.select(today()).subquery(), expression=date_literal)
