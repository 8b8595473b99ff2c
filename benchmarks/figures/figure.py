"""A figure: lines that were measured, and what a paper claims of them beside what is found."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

Line = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Claim:
    """What a paper prints (in other words, with its numbers), what is measured here, and whether the two agree."""

    said: str
    measured: str
    agrees: bool


@dataclass(frozen=True)
class Figure:
    """Named lines of (x, y), and the claims made of them.

    `drawn` says whether points are joined, `spacing` where an x lies: to scale, by its logarithm, or every x that
    occurs as far from the next (`even`), which suits the uneven values of k in papers. `x_names` gives values of x a
    name to be written instead of the number. `guides` are lines that are there to compare with: joined, without dots.
    """

    name: str
    title: str
    x: str
    y: str
    lines: Mapping[str, Line]
    claims: Sequence[Claim] = ()
    notes: str = ""
    drawn: Literal["lines", "points"] = "lines"
    spacing: Literal["scale", "log", "even"] = "scale"
    x_names: Mapping[float, str] = field(default_factory=dict)
    guides: Sequence[str] = ()

    def write(self, folder: str | Path) -> None:
        """`NAME.csv` in long form, a row for every point, and `NAME.svg`."""
        from benchmarks.figures.plot import plot

        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        with (place / f"{self.name}.csv").open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream, lineterminator="\n").writerows([("line", "x", "y"), *self.points()])
        (place / f"{self.name}.svg").write_text(plot(self), encoding="utf-8")

    def points(self) -> list[tuple[str, float, float]]:
        """Every point of every line."""
        return [(line, x, y) for line, points in self.lines.items() for x, y in points]

    def to_dict(self) -> dict[str, Any]:
        """Claims and notes as plain data."""
        claims = [asdict(claim) for claim in self.claims]
        return {"name": self.name, "title": self.title, "claims": claims, "notes": self.notes}
