"""Dates: a taxonomy of dates by calendar units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.errors import ParameterError, TaxonomyError
from sfumato.settings.params import param
from sfumato.taxonomies.base import TaxonomyBuilder
from sfumato.taxonomies.taxonomy import ROOT

_STEPS: tuple[Callable[[date], str], ...] = (
    lambda day: f"{day.year:04}-{day.month:02}",
    lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    lambda day: f"{day.year:04}",
    lambda day: f"{day.year // 10 * 10:04}s",
    lambda day: ROOT,
)


@dataclass(frozen=True, kw_only=True)
class Dates(TaxonomyBuilder):
    """Generalizes dates to month, quarter, year, decade and `*`; times of day are first generalized to the day.

    A column of months begins with the quarter.

    >>> domain, _ = Domain.of("born", ["2019-12-31", "2020-03-15"])
    >>> for row in Dates().grow(domain)[0].level_rows():
    ...     print(*row)
    2019-12-31 2019-12 2019-Q4 2019 2010s *
    2020-03-15 2020-03 2020-Q1 2020 2020s *
    """

    plan_keys = {"dates": "on"}

    on: bool = param(True, doc="always true; leave the key out for no taxonomy")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.on:
            raise ParameterError("'on' of Dates must be true; leave the taxonomy out if you want none.")

    def _levels(self, domain: Domain) -> list[list[str]]:
        if domain.kind not in (Kind.DATE, Kind.MONTH):
            raise TaxonomyError(
                f"column {domain.column!r} holds {domain.kind} values, not dates; write them as 2020-03-15, "
                "or give the column another taxonomy."
            )
        if domain.kind is Kind.MONTH:
            first_days = [date.fromisoformat(f"{domain.named(code)}-01") for code in range(domain.present)]
            return [[step(day) for day in first_days] for step in _STEPS[1:]]
        moments = [datetime.fromisoformat(domain.named(code).strip()) for code in range(domain.present)]
        days = [moment.date() for moment in moments]
        timed = any(moment.time() != datetime.min.time() for moment in moments)
        first = [[day.isoformat() for day in days]] if timed else []
        return [*first, *([step(day) for day in days] for step in _STEPS)]
