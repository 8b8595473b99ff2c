"""The one table, for reading and as data."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from rich.table import Table

from benchmarks.row import Row

PACKAGES = ("sfumato", "duckdb", "numba", "numpy", "pyarrow")


def draw(rows: Sequence[Row], *, judged: bool) -> Table:
    """A table with one line a row, a rule between questions."""
    table = Table(title="Benchmarks", caption=described())
    for heading in ("question", "what", "figure", "unit", "ratio", "against", "bar", "met", "note"):
        table.add_column(heading, justify="right" if heading in ("figure", "ratio") else "left")
    for place, row in enumerate(rows):
        last = place + 1 == len(rows) or rows[place + 1].question != row.question
        table.add_row(*_cells(row, judged), end_section=last)
    return table


def write_json(rows: Sequence[Row], path: Path, *, judged: bool) -> None:
    """All rows, the machine and the versions."""
    found = [row.to_dict() for row in rows]
    if not judged:
        found = [{key: value for key, value in row.items() if key not in ("bar", "met")} for row in found]
    path.write_text(json.dumps({"measured_with": described(), "rows": found}, indent=2) + "\n", encoding="utf-8")


def described() -> str:
    """Cores and versions."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, {versions}"


def _cells(row: Row, judged: bool) -> tuple[str, ...]:
    met = {True: "[green]yes", False: "[red]NO", None: "-"}[row.met if judged else None]
    ratio = "" if row.ratio is None else f"{row.ratio:,.3g}x" if row.ratio < 1000 else f"{row.ratio:,.0f}x"
    bar = row.bar.text if row.bar else ""
    return (row.question, row.name, _number(row.figure), row.unit, ratio, row.against, bar, met, row.note)


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.4f}" if abs(value) < 1 else f"{value:.2f}"
