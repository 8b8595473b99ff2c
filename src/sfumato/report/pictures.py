"""The pictures of a report as SVG text that can stand inside a page: nothing to load, same bytes every time."""

from __future__ import annotations

import re
from html import escape
from io import StringIO
from types import ModuleType
from typing import Any

from sfumato.errors import UsageError
from sfumato.report.attacker import attackers_of
from sfumato.report.figures import figure, percent
from sfumato.report.published_column import Distribution, PublishedColumn
from sfumato.report.report import Report

INK, QUIET, BEFORE, AFTER, ALARM = "#2b2621", "#8a8178", "#cdb899", "#3f6075", "#b4442f"
_FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
_FIT: Any = {"type": "fit-x", "contains": "padding"}
_WIDE, _NARROW, _STEP, _NUMBER = 900, 440, 28, 44


def group_sizes_picture(report: Report) -> str:
    """How many records lie in groups of which size."""
    alt, sizes = _altair(), report.group_sizes
    order = [bar.name for bar in sizes.bars]
    rows = [{"size": bar.name, "records": bar.records} for bar in sizes.bars]
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(color=AFTER, **({"size": 80} if len(rows) < 8 else {}))
        .encode(
            x=alt.X("size:N", sort=order, title="records in the group", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("records:Q", title="records", axis=alt.Axis(format=",.0f", tickCount=5, tickMinStep=1)),
        )
        .properties(width=_WIDE, height=220)
    )
    told = f"Bar chart of group sizes: {sizes.groups:,} groups of {sizes.smallest:,} to {sizes.largest:,} records."
    return _svg(chart, "sizes", told)


def loss_picture(report: Report) -> str:
    """How much detail each quasi column lost."""
    shares = {column.name: column.loss or 0.0 for column in report.quasi}
    told = f"Bar chart of the detail lost by each column: {_told(shares)}."
    return _svg(_shares(shares, "detail lost", 1.0), "loss", told, room=_NUMBER)


def risk_picture(report: Report) -> str:
    """How likely each attacker is to find somebody, and the threshold beside it."""
    alt, threshold = _altair(), report.risk.threshold
    chances = {
        f"{attacker.name}, {case}": chance
        for attacker in attackers_of(report.risk)
        for case, chance in (("worst case", attacker.highest), ("average", attacker.average))
        if chance is not None
    }
    most = min(1.0, 1.15 * max(threshold, *chances.values()))
    limit = alt.Chart(alt.Data(values=[{"at": threshold}])).mark_rule(color=ALARM, strokeDash=[5, 4]).encode(x="at:Q")
    chart = _shares(chances, "chance of being found", most) + limit
    told = f"Bar chart of the chance of being found: {_told(chances)}. Threshold {percent(threshold)}."
    return _svg(chart, "risk", told, room=_NUMBER)


def distribution_picture(column: PublishedColumn, found: Distribution, number: int) -> str:
    """A column in the original and as the release reads, side by side."""
    alt = _altair()
    # all rarer values together would dwarf the others; the page says in words how many they are
    shown = found.places[:-1] if found.others else found.places
    rows = [
        {"place": place, "share": share, "when": when}
        for when, shares in (("before", found.before), ("after", found.after))
        for place, share in zip(shown, shares, strict=False)
    ]
    place = {"sort": list(shown), "title": None}
    share = {"title": "share of records", "axis": alt.Axis(format=".0%", tickCount=4)}
    side = {"sort": ["before", "after"], "title": None}
    colour = alt.Color("when:N", scale=alt.Scale(domain=["before", "after"], range=[BEFORE, AFTER]), legend=None)
    bars = alt.Chart(alt.Data(values=rows)).mark_bar()
    if found.ordered:
        axis = alt.Axis(labelAngle=-35 if len("".join(shown)) > _NARROW / 10 else 0, labelLimit=120)
        chart = bars.encode(
            x=alt.X("place:N", axis=axis, **place), xOffset=alt.XOffset("when:N", **side), y=alt.Y("share:Q", **share)
        ).properties(width=_NARROW, height=190)
    else:
        chart = bars.encode(
            y=alt.Y("place:N", axis=alt.Axis(labelLimit=150), **place),
            yOffset=alt.YOffset("when:N", **side),
            x=alt.X("share:Q", **share),
        ).properties(width=_NARROW, height=alt.Step(_STEP / 2))
    told = f"Bar chart of {column.name} before and after: {figure(100 * found.shift)} percent of the records moved."
    return _svg(chart.encode(color=colour), f"column{number}", told)


def _told(shares: dict[str, float]) -> str:
    return "; ".join(f"{name} {percent(share)}" for name, share in shares.items())


def _shares(shares: dict[str, float], title: str, most: float) -> Any:
    """Bars that lie, each with its share written behind it."""
    alt = _altair()
    rows = [{"name": name, "share": share, "text": percent(share)} for name, share in shares.items()]
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("name:N", sort=list(shares), title=None, axis=alt.Axis(labelLimit=190)),
        x=alt.X("share:Q", title=title, scale=alt.Scale(domain=[0, most]), axis=alt.Axis(format=".0%", tickCount=5)),
    )
    numbers = base.mark_text(align="left", dx=5, color=INK, fontSize=12).encode(text="text:N")
    return (base.mark_bar(color=AFTER, size=17) + numbers).properties(width=_WIDE, height=alt.Step(_STEP))


def _svg(chart: Any, name: str, told: str, *, room: int = 12) -> str:
    """Draw a chart in the colours of the page; `room` is what is kept free to the right of it."""
    padding = {"left": 4, "top": 8, "right": room, "bottom": 4}
    styled = (
        chart.configure(font=_FONT, background="transparent", aria=False, padding=padding, autosize=_FIT)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK, titleColor=QUIET, titleFontWeight="normal", labelFontSize=12, titleFontSize=12,
            gridColor="#e9e3da", domainColor="#cfc6ba", tickColor="#cfc6ba",
        )
    )  # fmt: skip
    drawn = StringIO()
    styled.save(drawn, format="svg")
    return _inlined(drawn.getvalue(), name, told)


def _inlined(svg: str, name: str, told: str) -> str:
    """SVG for the middle of a page: no namespaces to look up, a size that adapts, and a text for who cannot see it."""
    # the drawer numbers its ids on from picture to picture, so they are numbered again, under the picture's own name
    numbers: dict[str, str] = {}

    def renamed(match: re.Match[str]) -> str:
        return f"{match[1]}{numbers.setdefault(match[2], f'{name}-{len(numbers)}')}{match[3]}"

    svg = re.sub(r'(\bid=")([^"]+)(")', renamed, svg)
    svg = re.sub(r"(url\(#)([^)]+)(\))", renamed, svg)
    svg = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", svg)
    width = re.search(r'\bwidth="([\d.]+)"', svg)
    opening = (
        f'<svg role="img" aria-label="{escape(told, quote=True)}" style="max-width:{width[1] if width else 600}px"'
    )
    return re.sub(r"^<svg\b", lambda _: opening, svg, count=1)


def _altair() -> ModuleType:
    try:
        import altair
        import vl_convert  # noqa: F401
    except ImportError:
        raise UsageError(
            "the pictures of the HTML report need altair and vl-convert-python, which are not installed; "
            "run `pip install sfumato[report]`, or ask for the text or JSON report."
        ) from None
    return altair
