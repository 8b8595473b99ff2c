"""Figure 7: the trees of intervals that grow for hours-per-week and education-num, at Top7 and k = 60."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from benchmarks.figures.data_sets import adult
from benchmarks.figures.figure import Claim, Figure
from sfumato.algorithms import TopDownRefinement
from sfumato.data.table import Table
from sfumato.datasets.adult_trees import adult_trees
from sfumato.models import KAnonymity

COLUMNS = ("hours-per-week", "education-num")
K = 60


def figures() -> list[Figure]:
    """A tree for each column: cuts where they lie, leaves at the middle of their intervals."""
    grown = {"generalize": cuts(adult_trees()), "suppress": cuts({})}
    return [_figure(column, {how: found[column] for how, found in grown.items()}) for column in COLUMNS]


def cuts(taxonomies: Any, k: int = K) -> dict[str, list[float]]:
    """Where each of the columns was cut, in the order of cutting."""
    data = adult()
    table = Table.from_frame(data.frame, data.schema(data.top[:7], taxonomies))
    steps = TopDownRefinement().refined(table, KAnonymity(k=k)).steps
    return {column: [float(step.at) for step in steps if step.column == column] for column in COLUMNS}


def _figure(column: str, found: dict[str, list[float]]) -> Figure:
    values = adult().frame.column(column).to_pylist()
    ends = float(min(values)), float(max(values))
    told = "; ".join(f"{how}: {_intervals(each, ends)}" for how, each in found.items())
    lines = {how: walk(each, *ends) for how, each in found.items()}
    claims = [Claim("education-num is split at 13", told, all(13 in each for each in found.values()))]
    title = f"Adult, Top7, k = {K}: the tree of {column}"
    return Figure(f"tdr_7_{column}", title, column, "depth", lines, claims if column == "education-num" else [], told)


def walk(cutting: Sequence[float], low: float, high: float, depth: int = 0) -> list[tuple[float, float]]:
    """Once around the tree of these cuts, in the order in which they were made, so that a line through it draws it.

    >>> walk([13], 1, 16)
    [(13, 0), (7.0, -1), (13, 0), (14.5, -1), (13, 0)]
    """
    if not cutting:
        return [((low + high) / 2, -depth)]
    first, rest = cutting[0], cutting[1:]
    below, above = [at for at in rest if at < first], [at for at in rest if at > first]
    here = [(first, -depth)]
    return [*here, *walk(below, low, first, depth + 1), *here, *walk(above, first, high, depth + 1), *here]


def _intervals(cutting: Sequence[float], ends: tuple[float, float]) -> str:
    places = [ends[0], *sorted(cutting), ends[1]]
    closed = [f"[{low:g}, {high:g})" for low, high in pairwise(places)]
    return ", ".join([*closed[:-1], f"{closed[-1][:-1]}]"])
