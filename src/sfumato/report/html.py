"""Writes a report as one self-contained HTML page, which loads no other file and contains no script.

The page has one style element and no style attributes. Its content security policy allows only this element, by its
hash, so the page can also be served under such a policy.
"""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.report.attacker import Attacker, attackers_of
from sfumato.report.figures import figure, percent
from sfumato.report.pictures import (
    MOST_BARS,
    attacks_picture,
    confidence_picture,
    distribution_picture,
    group_sizes_picture,
    loss_picture,
    risk_bands_picture,
    risk_picture,
    scale_picture,
    suppressed_picture,
)
from sfumato.report.published_column import Distribution, PublishedColumn
from sfumato.report.report import Report
from sfumato.report.summary import (
    SHORT,
    attacked_of,
    cost_of,
    in_short,
    left_of,
    left_risks,
    promised,
    to_whom,
    warnings_of,
)
from sfumato.report.svg import clipped
from sfumato.runtime.representations import sizes_only

_PAGE, _STYLE = Path(__file__).with_name("page.html.j2"), Path(__file__).with_name("page.css")

_MOST_COLUMNS = 24
"""Columns whose distributions are drawn; of more columns, those whose distributions moved most."""

_MOST_WARNINGS = 3
"""Warnings in the summary, which is to fit on one printed page."""


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


class ComparedAttacker(NamedTuple):
    """One attacker against the original and against the release."""

    original: Attacker | None
    release: Attacker


def draw_html(report: Report) -> str:
    """The HTML page; the same report always gives the same text."""
    comparisons, warnings = _comparisons(report), warnings_of(report)
    drawn = [column for column in report.quasi if column.distribution is not None]
    page = page_template().render(
        report=report,
        style=_style(),
        policy=f"default-src 'none'; style-src '{style_hash(_style())}'; base-uri 'none'; form-action 'none'",
        cards=_cards(report),
        promised=promised(report),
        short=SHORT,
        to_whom=to_whom(report),
        cost=cost_of(report),
        left_risks=left_risks(report),
        left=left_of(report),
        warnings=warnings[:_MOST_WARNINGS],
        shortened_warnings=any(len(text) > SHORT for text in warnings[:_MOST_WARNINGS]),
        more_warnings=len(warnings[_MOST_WARNINGS:]),
        attackers=_attackers(report),
        scale_picture=scale_picture(report),
        sizes_picture=group_sizes_picture(report),
        bands_picture=risk_bands_picture(report),
        loss_picture=loss_picture(report),
        more_losses=len(report.quasi[MOST_BARS:]),
        risk_picture=risk_picture(report),
        confidence_picture=confidence_picture(report),
        suppressed_picture=suppressed_picture(report),
        attacks_picture=attacks_picture(report),
        attacked=attacked_of(report),
        comparisons=comparisons,
        more_comparisons=len(drawn) - len(comparisons),
    )
    return "\n".join(line.rstrip() for line in page.splitlines() if line.strip()) + "\n"


def style_hash(style: str) -> str:
    """The hash of a style element by which a content security policy allows it."""
    return f"sha256-{b64encode(sha256(style.encode()).digest()).decode()}"


def _cards(report: Report) -> tuple[Card, ...]:
    sizes, lost, suppressed = report.group_sizes, report.detail_lost, report.suppressed_records
    kind, together = report.groups_are
    published = Card(
        f"{report.published_records:,}",
        "records published",
        f"of {report.records:,}; {suppressed:,} were suppressed" if suppressed else "all records of the original",
    )
    smallest = Card(f"{sizes.smallest:,}", f"{report.unit} {together}, at least", f"the size of the smallest {kind}")
    found = Card(
        percent(report.risk.prosecutor.highest),
        f"highest chance of finding a {report.unit.removesuffix('s')}",
        "for somebody who knows all quasi columns of a person",
    )
    detail = Card(percent(lost), "of the detail was lost", "on average over the quasi columns")
    if not report.bucketized:
        return published, smallest, found, detail
    sure = max((one.highest for one in report.confidences), default=0.0)
    average = max((one.average for one in report.confidences), default=0.0)
    return (
        published,
        smallest,
        Card(percent(sure), "highest confidence in a sensitive value", "of somebody who finds the bucket of a person"),
        Card(percent(average), "average confidence in a sensitive value", "over all published records"),
    )


def _attackers(report: Report) -> tuple[ComparedAttacker, ...]:
    found = attackers_of(report.risk, bucketized=report.bucketized)
    original = report.original_risk
    before = (None,) * len(found) if original is None else attackers_of(original)
    return tuple(ComparedAttacker(*pair) for pair in zip(before, found, strict=True))


def _comparisons(report: Report) -> tuple[ComparedColumn, ...]:
    drawn = [(column, column.distribution) for column in report.quasi if column.distribution is not None]
    if len(drawn) > _MOST_COLUMNS:
        moved = sorted(drawn, key=lambda pair: (-pair[1].shift, -(pair[0].loss or 0.0)))[:_MOST_COLUMNS]
        most = {column.name for column, _ in moved}
        drawn = [pair for pair in drawn if pair[0].name in most]
    return tuple(_compared(column, found) for column, found in drawn)


def _compared(column: PublishedColumn, found: Distribution) -> ComparedColumn:
    return ComparedColumn(column.name, column.loss or 0.0, distribution_picture(column, found), found)


@cache
def _style() -> str:
    """The style sheet without comments and indentation."""
    text = re.sub(r"/\*.*?\*/", "", _STYLE.read_text(encoding="utf-8"), flags=re.DOTALL)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


@cache
def page_template() -> Any:
    """The template of the page; it is compiled once."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(figure=figure, percent=percent, clipped=clipped, in_short=in_short)
    return environment.from_string(_PAGE.read_text(encoding="utf-8"))
