"""`python -m benchmarks [--large] [--only NAME] [--repeat N]`: one table of everything."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks import (
    buckets,
    check,
    clustering,
    command,
    databases,
    estimates,
    full_domain,
    gateway,
    gateway_door,
    growth,
    growth_of_groups,
    large,
    microaggregation,
    mondrian,
    refinement,
    startup,
)
from benchmarks.drawing import draw, write_json
from benchmarks.files import adult_file
from benchmarks.measure import Failed
from benchmarks.row import Row
from benchmarks.settings import Settings

QUESTIONS = {
    "startup": startup.measure,
    "check": check.measure,
    "mondrian": mondrian.measure,
    "full_domain": full_domain.measure,
    "refinement": refinement.measure,
    "buckets": buckets.measure,
    "clustering": clustering.measure,
    "microaggregation": microaggregation.measure,
    "command": command.measure,
    "databases": databases.measure,
    "estimates": estimates.measure,
    "growth": growth.measure,
    "growth_of_groups": growth_of_groups.measure,
    "gateway": gateway.measure,
    "gateway_door": gateway_door.measure,
    "large": large.measure,
}
WIDTH = 220


def main(
    *,
    large: Annotated[bool, typer.Option("--large", help="Also ten and a hundred million records.")] = False,
    only: Annotated[list[str] | None, typer.Option(help=f"Only this question: {', '.join(QUESTIONS)}.")] = None,
    repeat: Annotated[int, typer.Option(min=1, help="How often a figure is measured; medians are shown.")] = 3,
    shrink: Annotated[int, typer.Option(min=1, help="Divide all sizes, to try things out; nothing is judged.")] = 1,
    peers: Annotated[Path | None, typer.Option(help="The Python of the peers' environment.")] = None,
    json: Annotated[Path | None, typer.Option(help="Also write all rows to this file.")] = None,
) -> None:
    """Measure and print one table."""
    if strange := sorted(set(only or ()) - QUESTIONS.keys()):
        raise typer.BadParameter(f"{strange[0]!r} is no question; there are {', '.join(QUESTIONS)}")
    if not adult_file("all").is_file():
        raise typer.BadParameter("the Adult files are not here; set SFUMATO_DATA to the folder that holds 'adult'")
    settings = Settings(large=large or "large" in (only or ()), repeat=repeat, shrink=shrink)
    if peers is not None:
        settings = replace(settings, peers=peers.absolute())
    settings.cache.mkdir(parents=True, exist_ok=True)
    rows = [row for name in only or QUESTIONS for row in _asked(name, settings)]
    Console(width=max(Console().width, WIDTH)).print(draw(rows, judged=shrink == 1))
    if json is not None:
        write_json(rows, json, judged=shrink == 1)


def _asked(name: str, settings: Settings) -> list[Row]:
    """One question; a failure is a line of the table, and the other questions are still asked."""
    rows: list[Row] = []
    progress = Console(stderr=True)
    try:
        for row in QUESTIONS[name](settings):
            progress.print(f"[dim]{name}: {row.name}")
            rows.append(row)
    except Failed as failure:
        rows.append(Row(question=name, name="stopped", figure=None, unit="", note=str(failure)))
    return rows


if __name__ == "__main__":
    typer.run(main)
