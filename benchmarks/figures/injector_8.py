"""Figure 8 of the paper on Injector: how wrong the answers to COUNT questions are."""

from __future__ import annotations

from benchmarks.figures.figure import Figure, Line
from benchmarks.figures.injected import ANATOMY, GUARDED, LS, NEAR, PAPER, WAYS, listed, smaller, table
from benchmarks.figures.injected_queries import estimators, independence_error, query_error, sized_queries
from sfumato.evaluation.workloads import QueryError

DIMENSIONS, SELECTIVITIES = (2, 3, 4, 5, 6), (0.1, 0.2, 0.4, 0.6)
DIMENSION, SELECTIVITY = 3, 0.5
"""What is taken where the other is varied; the paper does not say what it took."""
APART = "as if independent"
ERROR = "mean relative error, %"


def figures() -> list[Figure]:
    """(a) over the dimension, (b) over the selectivity, for two values of l, (c) over l as a share of Anatomy's."""
    each = [figure for l in (LS[-1], LS[0]) for figure in (_over_dimension(l), _over_selectivity(l))]
    return [*each, *_over_l()]


def measured(l: int, asked: dict[float, QueryError]) -> dict[str, Line]:
    """A line for every way, and one for answers that take secrets to have nothing to do with people."""
    queries = {x: questions.queries(table()) for x, questions in asked.items()}
    lines: dict[str, Line] = {way: [(x, query_error(way, l, drawn)) for x, drawn in queries.items()] for way in WAYS}
    return lines | {APART: [(x, independence_error(estimators(ANATOMY, l)[0], drawn)) for x, drawn in queries.items()]}


def _over_dimension(l: int) -> Figure:
    asked = {float(many): QueryError(dimensions=many, selectivity=SELECTIVITY) for many in DIMENSIONS}
    return _drawn(f"injector_8a_{l}", f"COUNT over Adult, l = {l}, selectivity {SELECTIVITY}",
                  "quasi columns asked for", measured(l, asked))  # fmt: skip


def _over_selectivity(l: int) -> Figure:
    asked = {share: QueryError(dimensions=DIMENSION, selectivity=share) for share in SELECTIVITIES}
    return _drawn(f"injector_8b_{l}", f"COUNT over Adult, l = {l}, {DIMENSION} quasi columns", "selectivity",
                  measured(l, asked))  # fmt: skip


def _drawn(name: str, title: str, x: str, lines: dict[str, Line]) -> Figure:
    return Figure(name, title, x, ERROR, lines, [smaller(lines, way) for way in (PAPER, GUARDED, NEAR)],
                  guides=(APART,))  # fmt: skip


def _over_l() -> list[Figure]:
    """Questions that count 5 to 10 % of all records: the errors, and what share they are of Anatomy's."""
    queries = sized_queries(table())
    lines: dict[str, Line] = {way: [(l, query_error(way, l, queries)) for l in LS] for way in WAYS}
    apart = independence_error(estimators(ANATOMY, LS[0])[0], queries)
    title = "COUNT of 5 to 10 % of Adult, 2 to 4 quasi columns"
    absolute = _drawn("injector_8c", title, "l", lines | {APART: [(l, apart) for l in LS]})
    shares = {way: share_of(line, lines[ANATOMY]) for way, line in lines.items() if way != ANATOMY}
    notes = "; ".join(f"{way} {listed(line, 2)}" for way, line in shares.items())
    relative = Figure("injector_8c_relative", title, "l", "error, Anatomy = 1", shares, notes=f"Of Anatomy's: {notes}.")
    return [absolute, relative]


def share_of(one: Line, other: Line) -> Line:
    """One line divided by another."""
    return [(x, y / z) for (x, y), (_, z) in zip(one, other, strict=True)]
