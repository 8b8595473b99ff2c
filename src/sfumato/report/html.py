"""Writes a report as one self-contained HTML page, which loads no other file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.report.attacker import attackers_of
from sfumato.report.figures import figure, percent
from sfumato.report.pictures import (
    AFTER,
    BEFORE,
    attacks_picture,
    distribution_picture,
    group_sizes_picture,
    loss_picture,
    risk_picture,
)
from sfumato.report.published_column import Distribution
from sfumato.report.report import Report
from sfumato.runtime.representations import sizes_only

_PAGE = Path(__file__).with_name("page.html.j2")


class Card(NamedTuple):
    """One of the numbers at the top of the page."""

    value: str
    name: str
    meaning: str


class ComparedColumn(NamedTuple):
    """One column with the picture of its distribution before and after publishing."""

    name: str
    loss: float
    picture: str
    found: Distribution

    def __repr__(self) -> str:
        return sizes_only(self)


def draw_html(report: Report) -> str:
    """The HTML page; the same report always gives the same text."""
    page = _template().render(
        report=report,
        cards=_cards(report),
        attackers=attackers_of(report.risk),
        sizes_picture=group_sizes_picture(report),
        loss_picture=loss_picture(report),
        risk_picture=risk_picture(report),
        attacks_picture=attacks_picture(report) if report.attacks else "",
        comparisons=_comparisons(report),
        before=BEFORE,
        after=AFTER,
    )
    return "\n".join(line.rstrip() for line in page.splitlines() if line.strip()) + "\n"


def _cards(report: Report) -> tuple[Card, ...]:
    sizes, lost, suppressed = report.group_sizes, report.detail_lost, report.suppressed_records
    kind, together = report.groups_are
    return (
        Card(
            f"{report.published_records:,}",
            "records published",
            f"of {report.records:,}; {suppressed:,} were suppressed" if suppressed else "all records of the original",
        ),
        Card(f"{sizes.smallest:,}", f"{report.unit} {together}, at least", f"the size of the smallest {kind}"),
        Card(
            percent(report.risk.prosecutor.highest),
            "highest probability of re-identification",
            "of the record at highest risk",
        ),
        Card(percent(lost), "of the detail was lost", "on average over the quasi columns"),
    )


def _comparisons(report: Report) -> tuple[ComparedColumn, ...]:
    drawn = [(column, column.distribution) for column in report.quasi if column.distribution is not None]
    return tuple(
        ComparedColumn(column.name, column.loss or 0.0, distribution_picture(column, found), found)
        for column, found in drawn
    )


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(figure=figure, percent=percent)
    return environment.from_string(_PAGE.read_text(encoding="utf-8"))
