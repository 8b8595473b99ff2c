"""The pictures of a report: what each shows, in which colours, and a description for readers who cannot see it."""

from __future__ import annotations

from collections.abc import Callable

from sfumato.report.attacker import attackers_of
from sfumato.report.bars import Bars, Series
from sfumato.report.figures import figure, percent
from sfumato.report.published_column import Distribution, PublishedColumn
from sfumato.report.report import Report

BEFORE, AFTER = "#cdb899", "#3f6075"
_WIDE, _NARROW = 900, 440


def group_sizes_picture(report: Report) -> str:
    """How many records lie in groups of which size."""
    sizes, (kind, _) = report.group_sizes, report.groups_are
    bars = Bars(
        told=f"Bar chart of {kind} sizes: {sizes.groups:,} {kind}s of {sizes.smallest:,} to {sizes.largest:,} records.",
        names=[bar.name for bar in sizes.bars],
        names_title=f"records in the {kind}",
        series=[Series("records", AFTER, [bar.records for bar in sizes.bars])],
        title="records",
        tick=_count,
        number=_count,
        finest=1,
    )
    return _fitting(lambda width: bars.standing(width, 220 if width == _WIDE else 190))


def loss_picture(report: Report) -> str:
    """How much detail each quasi column lost."""
    shares = {column.name: column.loss or 0.0 for column in report.quasi}
    told = f"Bar chart of the detail lost by each column: {_told(shares)}."
    return _fitting(_shares(shares, told, "detail lost", 1.0).lying)


def risk_picture(report: Report) -> str:
    """How likely each attacker is to find somebody, and the threshold beside it."""
    threshold = report.risk.threshold
    chances = {
        f"{attacker.name}, {case}": chance
        for attacker in attackers_of(report.risk)
        for case, chance in (("worst case", attacker.highest), ("average", attacker.average))
        if chance is not None
    }
    most = min(1.0, 1.15 * max(threshold, *chances.values()))
    told = f"Bar chart of the chance of being found: {_told(chances)}. Threshold {percent(threshold)}."
    return _fitting(_shares(chances, told, "chance of being found", most, threshold).lying)


def attacks_picture(report: Report) -> str:
    """With which share of the people each attack succeeds, with its interval, and the baseline below."""
    rates = {result.described: result.rate for result in report.attacks}
    bars = Bars(
        told=f"Bar chart of the people whom attacks succeed with: {_told(rates)}.",
        names=list(rates),
        series=[
            Series("with the attack", AFTER, list(rates.values())),
            Series("baseline", BEFORE, [result.baseline for result in report.attacks]),
        ],
        title="share of people",
        tick=_tick_percent,
        number=percent,
        most=max((result.interval[1] for result in report.attacks), default=0.0),
        intervals=[result.interval for result in report.attacks],
    )
    return _fitting(bars.lying)


def distribution_picture(column: PublishedColumn, found: Distribution) -> str:
    """A column in the original and as the release reads, side by side."""
    # All rarer values together would be the tallest bar; the page gives their number in words.
    shown = len(found.places) - 1 if found.others else len(found.places)
    bars = Bars(
        told=f"Bar chart of {column.name} before and after: {figure(100 * found.shift)} percent of the records moved.",
        names=found.places[:shown],
        series=[Series("before", BEFORE, found.before[:shown]), Series("after", AFTER, found.after[:shown])],
        title="share of records",
        tick=_tick_percent,
        number=percent,
    )
    return bars.standing(_NARROW, 190) if found.ordered else bars.lying(_NARROW)


def _told(shares: dict[str, float]) -> str:
    return "; ".join(f"{name} {percent(share)}" for name, share in shares.items())


def _shares(shares: dict[str, float], told: str, title: str, most: float, threshold: float | None = None) -> Bars:
    """Bars that lie, each with its share written behind it."""
    return Bars(
        told=told,
        names=list(shares),
        series=[Series(title, AFTER, list(shares.values()))],
        title=title,
        tick=_tick_percent,
        number=percent,
        numbered=True,
        threshold=threshold,
        most=most,
    )


def _fitting(draw: Callable[[float], str]) -> str:
    """Drawn twice, because the text of a wide picture is too small on a phone; the page shows one of the two."""
    return f'<div class="wide">{draw(_WIDE)}</div><div class="narrow">{draw(_NARROW)}</div>'


def _count(number: float) -> str:
    return f"{number:,.0f}"


def _tick_percent(share: float) -> str:
    """All digits of a round share, however small, because a tick stands exactly where it says."""
    return f"{100 * share:.8f}".rstrip("0").rstrip(".") + "%"
