"""The pictures of the HTML report, each with a description for readers who cannot see it. `html` places them."""

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
    """The number of records in groups of each size."""
    sizes, (kind, _) = report.group_sizes, report.groups_are
    bars = Bars(
        description=f"Bar chart of {kind} sizes: {sizes.groups:,} {kind}s "
        f"of {sizes.smallest:,} to {sizes.largest:,} {sizes.unit}.",
        names=[bar.name for bar in sizes.bars],
        names_title=f"{sizes.unit} in the {kind}",
        series=[Series(sizes.unit, AFTER, [bar.records for bar in sizes.bars])],
        title=sizes.unit,
        tick=_count,
        number=_count,
        min_step=1,
    )
    return _wide_and_narrow(lambda width: bars.vertical(width, 220 if width == _WIDE else 190))


def loss_picture(report: Report) -> str:
    """The share of detail that each quasi column lost."""
    shares = {column.name: column.loss or 0.0 for column in report.quasi}
    description = f"Bar chart of the detail lost by each column: {_list_shares(shares)}."
    return _wide_and_narrow(_share_bars(shares, description, "detail lost", 1.0).horizontal)


def risk_picture(report: Report) -> str:
    """The probability that each attacker re-identifies a record, worst case and average, with the threshold."""
    threshold = report.risk.threshold
    risks = {
        f"{attacker.name}, {case}": risk
        for attacker in attackers_of(report.risk)
        for case, risk in (("worst case", attacker.highest), ("average", attacker.average))
        if risk is not None
    }
    most = min(1.0, 1.15 * max(threshold, *risks.values()))
    description = (
        f"Bar chart of the probability of re-identification: {_list_shares(risks)}. Threshold {percent(threshold)}."
    )
    return _wide_and_narrow(
        _share_bars(risks, description, "probability of re-identification", most, threshold).horizontal
    )


def attacks_picture(report: Report) -> str:
    """The success rate of each attack with its confidence interval, and the baseline below."""
    rates = {result.described: result.rate for result in report.attacks}
    bars = Bars(
        description=f"Bar chart of the success rates of attacks: {_list_shares(rates)}.",
        names=list(rates),
        series=[
            Series("with the attack", AFTER, list(rates.values())),
            Series("baseline", BEFORE, [result.baseline for result in report.attacks]),
        ],
        title="share of records",
        tick=_percent_tick,
        number=percent,
        most=max((result.interval[1] for result in report.attacks), default=0.0),
        intervals=[result.interval for result in report.attacks],
    )
    return _wide_and_narrow(bars.horizontal)


def distribution_picture(column: PublishedColumn, found: Distribution) -> str:
    """The distribution of a column before and after publishing, side by side."""
    # The bar of all rarer values together would dwarf the others; the page states their share in words instead.
    shown = len(found.places) - 1 if found.others else len(found.places)
    bars = Bars(
        description=f"Bar chart of {column.name} before and after: "
        f"{figure(100 * found.shift)} percent of the records moved.",
        names=found.places[:shown],
        series=[Series("before", BEFORE, found.before[:shown]), Series("after", AFTER, found.after[:shown])],
        title="share of records",
        tick=_percent_tick,
        number=percent,
    )
    return bars.vertical(_NARROW, 190) if found.ordered else bars.horizontal(_NARROW)


def _list_shares(shares: dict[str, float]) -> str:
    """The shares as text, for a description."""
    return "; ".join(f"{name} {percent(share)}" for name, share in shares.items())


def _share_bars(
    shares: dict[str, float], description: str, title: str, most: float, threshold: float | None = None
) -> Bars:
    """Horizontal bars of shares, each with its share written behind it."""
    return Bars(
        description=description,
        names=list(shares),
        series=[Series(title, AFTER, list(shares.values()))],
        title=title,
        tick=_percent_tick,
        number=percent,
        show_numbers=True,
        threshold=threshold,
        most=most,
    )


def _wide_and_narrow(draw: Callable[[float], str]) -> str:
    """The picture drawn for wide and for narrow screens, because text of a wide picture is too small on a phone.

    The style sheet of the page shows one of the two.
    """
    return f'<div class="wide">{draw(_WIDE)}</div><div class="narrow">{draw(_NARROW)}</div>'


def _count(number: float) -> str:
    return f"{number:,.0f}"


def _percent_tick(share: float) -> str:
    """A share in percent with all its digits; a tick marks an exact value, so it must not be rounded."""
    return f"{100 * share:.8f}".rstrip("0").rstrip(".") + "%"
