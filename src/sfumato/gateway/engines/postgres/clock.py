"""Which day it is, for views: by the clock of Greenwich (UTC), whatever zone a session has chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from sqlglot import exp


def today() -> exp.Expr:
    """The day on which a question is asked.

    The clock is read for every question, because a transaction can be kept open for longer than a day.

    >>> today().sql("postgres")
    "CAST(CLOCK_TIMESTAMP() AT TIME ZONE 'UTC' AS DATE)"
    """
    now = exp.Anonymous(this="CLOCK_TIMESTAMP", expressions=[])
    return exp.cast(exp.AtTimeZone(this=now, zone=exp.Literal.string("UTC")), "date")


def span(changes: Iterable[date], day: date) -> tuple[date | None, date | None]:
    """The last day up to a day, and the first one after it, on which something changes; None where there is none.

    >>> span([date(2026, 1, 1), date(2026, 6, 1)], date(2026, 1, 1))
    (datetime.date(2026, 1, 1), datetime.date(2026, 6, 1))
    """
    known = sorted(changes)
    begin = max((one for one in known if one <= day), default=None)
    return begin, min((one for one in known if one > day), default=None)


def during(begin: date | None, end: date | None) -> Iterator[exp.Expr]:
    """Conditions that hold from one day on, and until the day before another; each is checked once a question.

    >>> [one.sql("postgres") for one in during(None, date(2026, 6, 1))]
    ["(SELECT CAST(CLOCK_TIMESTAMP() AT TIME ZONE 'UTC' AS DATE)) < CAST('2026-06-01' AS DATE)"]
    """
    for bound, compared in ((begin, exp.GTE), (end, exp.LT)):
        if bound is not None:
            written = exp.cast(exp.Literal.string(bound.isoformat()), "date")
            yield compared(this=exp.select(today()).subquery(), expression=written)
