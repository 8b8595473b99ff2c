"""`python -m benchmarks.figures [NAME ...] [--out out/figures] [--json FILE]`: figures as files, claims as a table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks import figures
from benchmarks.drawing import described
from benchmarks.figures.figure import Figure
from benchmarks.measure import ROOT, timed

Maker = Callable[[], list[Figure]]
WIDTH = 200


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Only these figures; all without names.")] = None,
    out: Annotated[Path, typer.Option(help="Where the files are written.")] = ROOT / "out" / "figures",
    json: Annotated[Path | None, typer.Option(help="Also write all claims to this file.")] = None,
) -> None:
    """Measure the figures, write them, and say what agrees with what the paper prints."""
    there = found()
    if strange := sorted(set(names or ()) - there.keys()):
        raise typer.BadParameter(f"{strange[0]!r} is no figure; there are {', '.join(there)}")
    console, every = Console(width=max(Console().width, WIDTH)), list[Figure]()
    for name in names or there:
        with timed() as lap:
            made = there[name]()
        for figure in made:
            figure.write(out)
        console.print(drawn(made, lap.wall))
        every += made
    if json is not None:
        write_json(every, json)


def found() -> dict[str, Maker]:
    """Every module here that makes figures, by its name."""
    return dict(_makers())


def _makers() -> Iterator[tuple[str, Maker]]:
    for info in iter_modules(figures.__path__):
        if info.name.startswith("_"):
            continue
        module = import_module(f"{figures.__name__}.{info.name}")
        if hasattr(module, "figures"):
            yield info.name, module.figures
        elif hasattr(module, "figure"):
            yield info.name, _one(module.figure)


def _one(maker: Callable[[], Figure]) -> Maker:
    return lambda: [maker()]


def drawn(made: Sequence[Figure], seconds: float) -> Table:
    """The claims of some figures as a table."""
    notes = "\n".join(figure.notes for figure in made if figure.notes)
    table = Table(title=f"{made[0].title} ({seconds:.1f} s)", caption=notes, caption_justify="left")
    for heading in ("figure", "the paper says", "measured here", "agrees"):
        table.add_column(heading)
    for figure in made:
        for claim in figure.claims:
            table.add_row(figure.name, claim.said, claim.measured, "[green]yes" if claim.agrees else "[red]NO")
    return table


def write_json(made: Sequence[Figure], path: Path) -> None:
    """All claims, the machine and the versions."""
    told = {"measured_with": described(), "figures": [figure.to_dict() for figure in made]}
    path.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
