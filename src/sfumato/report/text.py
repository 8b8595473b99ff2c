"""Writes a report as text for a terminal or a log."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from sfumato.report.attacker import attackers_of
from sfumato.report.figures import percent
from sfumato.report.published_column import Distribution
from sfumato.report.report import Report
from sfumato.report.summary import attacked_of, cost_of, left_of, left_risks

_BAR = 20

Section = tuple[str, RenderableType]


def draw_text(report: Report, *, width: int = 100) -> str:
    """The report as plain text, without colours or control characters."""
    console = Console(file=StringIO(), width=width, color_system=None, force_terminal=False, legacy_windows=False)
    with console.capture() as captured:
        console.print(layout(report))
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def layout(report: Report) -> RenderableType:
    """The report as a rich renderable; the console decides about colours."""
    parts: list[RenderableType] = [_heading(report)]
    for draw in (_promises, _notes, _costs, _risk, _attacks, _sizes, _columns, _distributions, _origins):
        for title, body in draw(report):
            parts += [Text(f"\n{title}", "bold"), body]
    return Group(*parts)


def _heading(report: Report) -> RenderableType:
    verdict = ("every model holds", "bold green") if report.holds else ("A MODEL FAILS", "bold red")
    verdict = verdict if report.promises else ("no model was required", "bold red")
    suppressed = f", {report.suppressed_records:,} suppressed" if report.suppressed_records else ""
    published = f"{report.published_records:,} of {report.records:,} records published{suppressed}"
    return Text.assemble((report.title, "bold"), f"\n{published}: ", verdict)


def _promises(report: Report) -> Iterator[Section]:
    grid = _grid("model", "what it means", "what was found")
    for promise in report.promises:
        meaning = " ".join(part for part in (promise.meaning, promise.attacker, *promise.not_against) if part)
        _add(grid, promise.described, meaning, Text(promise.finding, "" if promise.holds else "bold red"))
    if report.promises:
        yield "Privacy models", grid


def _notes(report: Report) -> Iterator[Section]:
    grid = Grid.grid(padding=(0, 1))
    for note in report.notes:
        mark, style = ("!", "yellow") if note.kind == "warning" else ("·", "")
        _add(grid, Text(mark, style), Text(note.text, style))
    yield "Notes", Padding(grid, (0, 0, 0, 1))


def _costs(report: Report) -> Iterator[Section]:
    grid = _grid("metric", ">value", "share of the cost of one group", "better", "what it means")
    for cost in report.costs:
        _add(grid, cost.described, cost.shown(), cost.reading, cost.better, cost.meaning)
    yield "What it cost", Group(*(Padding(Text(said), (0, 0, 0, 1)) for said in cost_of(report)), grid)
    over = _grid("column", "value", ">of all records", ">of suppressed records")
    for value in report.suppressed_values:
        _add(over, value.column, value.value, percent(value.share), percent(value.suppressed_share))
    if report.suppressed_values:
        yield "What suppression hit", over


def _risk(report: Report) -> Iterator[Section]:
    above = f">above {percent(report.risk.threshold)}"
    grid = _grid("attacker", ">worst case", ">average", above, "who it is")
    for attacker in attackers_of(report.risk, bucketized=report.bucketized):
        numbers = (attacker.highest, attacker.average, attacker.share_above)
        _add(grid, attacker.name, *("" if number is None else percent(number) for number in numbers), attacker.meaning)
    yield "Re-identification risk", grid
    left = _grid("risk", ">with the original", ">with the release")
    for risk in left_risks(report):
        _add(left, risk.name, "" if risk.before is None else percent(risk.before), percent(risk.after))
    yield "What is left", Group(left, *(Padding(Text(said), (0, 0, 0, 1)) for said in left_of(report)))


def _attacks(report: Report) -> Iterator[Section]:
    grid = _grid("attack", ">records", ">rate", ">95% range", ">baseline", ">control", "what it learns")
    for result in report.attacks:
        low, high = map(percent, result.interval)
        control = "" if result.control is None else percent(result.control)
        rates = (percent(result.rate), f"{low} to {high}", percent(result.baseline), control)
        _add(grid, result.described, f"{result.people:,}", *rates, result.learns)
    if report.attacks:
        counted = attacked_of(report)
        shown = Group(grid, Padding(Text(counted), (0, 0, 0, 1))) if counted else grid
        yield "What attacks achieve on the written release", shown


def _sizes(report: Report) -> Iterator[Section]:
    sizes, (kind, together) = report.group_sizes, report.groups_are
    grid = _grid(f"{kind} size", f">{kind}s", f">{sizes.unit}", "")
    most = max((bar.records for bar in sizes.bars), default=0)
    for bar in sizes.bars:
        _add(grid, bar.name, f"{bar.groups:,}", f"{bar.records:,}", _bar(bar.records, most))
    title = f"How many {together}: {sizes.groups:,} {kind}s of {sizes.smallest:,} to {sizes.largest:,} {sizes.unit}"
    yield title, grid


def _columns(report: Report) -> Iterator[Section]:
    grid = _grid("column", "role", "what happened", ">detail lost", "")
    for column in report.columns:
        lost = "" if column.loss is None else percent(column.loss)
        _add(grid, column.name, column.role, column.treatment, lost, _bar(column.loss or 0, 1))
    yield "What happened to each column", grid


def _distributions(report: Report) -> Iterator[Section]:
    for column in report.quasi:
        if column.distribution is not None:
            body = Group(_before_and_after(column.distribution), Padding(_labels(column.distribution), (0, 0, 0, 1)))
            yield f"{column.name}: distribution before and after", body


def _before_and_after(found: Distribution) -> RenderableType:
    grid = _grid("value", ">before", "", ">after", "")
    most = max((*found.before, *found.after), default=0)
    for name, before, after in zip(found.places, found.before, found.after, strict=True):
        _add(grid, name, percent(before), _bar(before, most), percent(after), _bar(after, most))
    return grid


def _labels(found: Distribution) -> RenderableType:
    shown = ", ".join(f"{share.label} ({percent(share.share)})" for share in found.labels)
    more = f", and {found.more_labels:,} more" if found.more_labels else ""
    return Text(f"Most frequent labels: {shown}{more}")


def _origins(report: Report) -> Iterator[Section]:
    grid = Grid.grid(padding=(0, 2))
    for name, value in report.origins():
        _add(grid, name, value)
    yield "Provenance", Padding(grid, (0, 0, 0, 1))


def _add(grid: Grid, *cells: str | Text) -> None:
    """Add a row; cells are taken literally, so that brackets in them are not read as markup."""
    grid.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in cells))


def _bar(part: float, most: float) -> str:
    return "█" * round(_BAR * part / most) if most else ""


def _grid(*columns: str) -> Grid:
    """An empty table with these headings; `>` in front of a heading aligns its column to the right."""
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for name in columns:
        right = name.startswith(">")
        grid.add_column(name.removeprefix(">"), justify="right" if right else "left", no_wrap=right, overflow="fold")
    return grid
