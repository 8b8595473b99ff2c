"""The pictures of a report, each with a title and a description for readers who cannot see it. `html` places them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from sfumato.report.attacker import attackers_of
from sfumato.report.bars import Bars, Series
from sfumato.report.figures import figure, percent
from sfumato.report.published_column import Distribution, PublishedColumn
from sfumato.report.report import Report
from sfumato.report.svg import AFTER, BEFORE, clipped, standalone

_WIDE, _NARROW = 900, 340

MOST_BARS = 40
"""Columns in the picture of losses; of more columns, it shows those that lost most."""

_IN_WORDS = 12
"""Numbers in a description; a longer list of numbers is of no use to a listener."""


class Picture(NamedTuple):
    """A picture drawn for wide and for narrow screens, on which the text of a wide picture would be too small."""

    wide: str
    narrow: str


def pictures_of(report: Report) -> dict[str, str]:
    """Every picture of the report as the text of an SVG file."""
    drawn = {
        "scale": scale_picture(report),
        "group_sizes": group_sizes_picture(report),
        "risk": risk_picture(report),
        "risk_bands": risk_bands_picture(report),
        "confidence": confidence_picture(report),
        "attacks": attacks_picture(report),
        "loss": loss_picture(report),
        "suppressed": suppressed_picture(report),
    }
    found = {name: picture.wide for name, picture in drawn.items() if picture is not None}
    for column in report.quasi:
        if column.distribution is not None:
            found[f"column {column.name}"] = distribution_picture(column, column.distribution)
    return {name: standalone(picture) for name, picture in found.items()}


def scale_picture(report: Report) -> Picture | None:
    """The detail lost, between all values unchanged and all records as one group; None if values are unchanged."""
    if report.bucketized:
        return None
    lost = report.detail_lost
    bars = Bars(
        heading="Detail lost",
        description=f"A scale from 0%, all values unchanged, to 100%, all records as one group: {percent(lost)}.",
        names=["this release"],
        series=[Series("detail lost", AFTER, [lost])],
        title="0%: unchanged – 100%: all records as one group",
        tick=_percent_tick,
        number=percent,
        show_numbers=True,
        most=1.0,
    )
    return _both(bars.horizontal)


def group_sizes_picture(report: Report) -> Picture:
    """The number of records in groups of each size."""
    sizes, (kind, _) = report.group_sizes, report.groups_are
    bars = Bars(
        heading=f"Sizes of the {kind}s",
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
    return _both(lambda width: bars.vertical(width, 220 if width == _WIDE else 190))


def loss_picture(report: Report) -> Picture:
    """The share of detail that each quasi column lost; of many columns, those that lost most."""
    most = {column.name for column in sorted(report.quasi, key=lambda one: -(one.loss or 0.0))[:MOST_BARS]}
    shares = [(clipped(column.name), column.loss or 0.0) for column in report.quasi if column.name in most]
    description = f"Bar chart of the detail lost by each column: {_in_words(shares)}."
    return _both(_share_bars("Detail lost by column", shares, description, "detail lost", 1.0).horizontal)


def risk_picture(report: Report) -> Picture:
    """The probability that each attacker re-identifies a record, worst case and average, before and after."""
    threshold = report.risk.threshold
    after = _risks(report)
    before = {} if report.original_risk is None else _risks(report, original=True)
    series = [Series("release", AFTER, list(after.values()))]
    if before:
        series.insert(0, Series("original", BEFORE, [before[name] for name in after]))
    described = f"release: {_in_words(after.items())}. Threshold {percent(threshold)}."
    bars = Bars(
        heading="Probability of re-identification",
        description="Bar chart of the probability of re-identification. "
        + (
            f"Original: {_in_words(before.items())}; {described}"
            if before
            else f"{described[:1].upper()}{described[1:]}"
        ),
        names=list(after),
        series=series,
        title="probability of re-identification",
        tick=_percent_tick,
        number=percent,
        show_numbers=True,
        threshold=threshold,
        most=min(1.0, 1.15 * max(threshold, *after.values(), *before.values())),
    )
    return _both(bars.horizontal)


def risk_bands_picture(report: Report) -> Picture | None:
    """The share of records by the number of records that look alike, before and after."""
    bands = report.risk_bands
    if not bands:
        return None
    names, unit = [f"{band.sizes} ({band.chances})" for band in bands], report.unit
    before, after = [band.before for band in bands], [band.after for band in bands]
    bars = Bars(
        heading=f"Share of {unit} by their chance of being found",
        description=f"Bar chart of the share of {unit} by how many look alike. "
        f"Original: {_in_words(zip(names, before, strict=True))}; "
        f"release: {_in_words(zip(names, after, strict=True))}.",
        names=names,
        names_title=f"{unit} that look alike (chance of being found)",
        series=[Series("original", BEFORE, before), Series("release", AFTER, after)],
        title=f"share of {unit}",
        tick=_percent_tick,
        number=percent,
    )
    return _both(lambda width: bars.vertical(width, 220 if width == _WIDE else 190))


def confidence_picture(report: Report) -> Picture | None:
    """How sure an attacker can be of each sensitive value, before and after; None without sensitive columns."""
    before, after = [], []
    for found in report.confidences[:_IN_WORDS]:
        highest, average = (f"{clipped(found.column)}, {case}" for case in ("highest", "average"))
        before += [(highest, found.original_highest), (average, found.original_average)]
        after += [(highest, found.highest), (average, found.average)]
    if not after:
        return None
    bars = Bars(
        heading="Confidence in a sensitive value",
        description="Bar chart of how sure an attacker can be of a sensitive value. "
        f"Original: {_in_words(before)}; release: {_in_words(after)}.",
        names=[name for name, _ in after],
        series=[
            Series("original", BEFORE, [share for _, share in before]),
            Series("release", AFTER, [share for _, share in after]),
        ],
        title="confidence",
        tick=_percent_tick,
        number=percent,
        show_numbers=True,
        most=1.0,
    )
    return _both(bars.horizontal)


def attacks_picture(report: Report) -> Picture | None:
    """The success rate of each attack with its confidence interval, and the baseline; None without attacks."""
    if not report.attacks:
        return None
    rates = [(result.described, result.rate) for result in report.attacks]
    bars = Bars(
        heading="Success rates of attacks",
        description=f"Bar chart of the success rates of attacks: {_in_words(rates)}.",
        names=[name for name, _ in rates],
        series=[
            Series("with the attack", AFTER, [rate for _, rate in rates]),
            Series("baseline", BEFORE, [result.baseline for result in report.attacks]),
        ],
        title="share of records",
        tick=_percent_tick,
        number=percent,
        most=max((result.interval[1] for result in report.attacks), default=0.0),
        intervals=[result.interval for result in report.attacks],
    )
    return _both(bars.horizontal)


def suppressed_picture(report: Report) -> Picture | None:
    """The values that are over-represented among suppressed records; None if there are none."""
    values = report.suppressed_values
    if not values:
        return None
    names = [clipped(f"{one.column}: {one.value}") for one in values]
    among = zip(names, (one.suppressed_share for one in values), strict=True)
    bars = Bars(
        heading="What suppression hit",
        description=f"Bar chart of values that are over-represented among suppressed records: {_in_words(among)}.",
        names=names,
        series=[
            Series("of all records", BEFORE, [one.share for one in values]),
            Series("of suppressed records", AFTER, [one.suppressed_share for one in values]),
        ],
        title="share of records",
        tick=_percent_tick,
        number=percent,
        show_numbers=True,
    )
    return _both(bars.horizontal)


def distribution_picture(column: PublishedColumn, found: Distribution) -> str:
    """The distribution of a column before and after publishing, side by side."""
    # The bar of all rarer values together would dwarf the others; the page states their share in words instead.
    shown = len(found.places) - 1 if found.others else len(found.places)
    name = clipped(column.name)
    bars = Bars(
        heading=f"{name} before and after",
        description=f"Bar chart of {name} before and after: {figure(100 * found.shift)} percent of the records moved.",
        names=found.places[:shown],
        series=[Series("before", BEFORE, found.before[:shown]), Series("after", AFTER, found.after[:shown])],
        title="share of records",
        tick=_percent_tick,
        number=percent,
    )
    return bars.vertical(_NARROW, 190) if found.ordered else bars.horizontal(_NARROW)


def _risks(report: Report, *, original: bool = False) -> dict[str, float]:
    """The risks of the three attackers by name, of the release or of its original."""
    risk = report.original_risk if original and report.original_risk is not None else report.risk
    return {
        f"{attacker.name}, {case}": chance
        for attacker in attackers_of(risk)
        for case, chance in (("worst", attacker.highest), ("average", attacker.average))
        if chance is not None
    }


def _in_words(shares: Iterable[tuple[str, float]]) -> str:
    """The shares as text, for a description; the first ones of many."""
    words = [f"{name} {percent(share)}" for name, share in shares]
    return "; ".join([*words[:_IN_WORDS], *([f"and {len(words) - _IN_WORDS} more"] if len(words) > _IN_WORDS else [])])


def _share_bars(heading: str, shares: Sequence[tuple[str, float]], description: str, title: str, most: float) -> Bars:
    """Horizontal bars of shares, each with its share written behind it."""
    return Bars(
        heading=heading,
        description=description,
        names=[name for name, _ in shares],
        series=[Series(title, AFTER, [share for _, share in shares])],
        title=title,
        tick=_percent_tick,
        number=percent,
        show_numbers=True,
        most=most,
    )


def _both(draw: Callable[[float], str]) -> Picture:
    return Picture(draw(_WIDE), draw(_NARROW))


def _count(number: float) -> str:
    return f"{number:,.0f}"


def _percent_tick(share: float) -> str:
    """A share in percent with all its digits; a tick marks an exact value, so it must not be rounded."""
    return f"{100 * share:.8f}".rstrip("0").rstrip(".") + "%"
