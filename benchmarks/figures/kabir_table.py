"""What a table of chapter 6 of Kabir (2010) prints, beside what its methods lose on the same records.

P-S is judged on equal footing: all methods on standardized columns, and again all on raw ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.figures.figure import Claim, Figure, Line
from benchmarks.figures.kabir_methods import (
    METHODS,
    READINGS,
    Method,
    Points,
    improved_loss,
    least_loss,
    loss,
    mdav,
    standardized,
)

SIZES = (3, 4, 5, 10)
SECONDS = 3.0
"""How long the improver searches for each k."""
NEAR = 0.01
"""Within what share of the printed figure a measured one agrees."""
PRINTED_PS, MDAV, BOUND = "P-S, printed", "MDAV", "lower bound"
IMPROVED = "improver"
Losses = Sequence[float]
Printed = Mapping[str, str]


def figures_of(
    number: str,
    data: str,
    raw: Points,
    printed: Printed,
    elsewhere: Mapping[str, Points] | None = None,
    notes: str = "",
    seconds: float = SECONDS,
) -> list[Figure]:
    """A table as two figures, of standardized and of raw columns.

    `printed` has the figures for the four sizes as they stand there, "-" where there is none. `elsewhere` names
    methods whose row was computed on other columns, and has these.
    """
    lines, rough = lines_of(standardized(raw), seconds), lines_of(raw, seconds)
    moved = {name: line_of(METHODS[name], standardized(points)) for name, points in (elsewhere or {}).items()}
    rows = {name: moved.get(name, lines[name]) for name in printed if name in METHODS}
    claims = [row_claim(name, printed[name], row) for name, row in rows.items()]
    claims += [*_systematic(printed, lines, "standardized"), unreachable(printed["P-S"], values(lines[BOUND]))]
    claims.append(half("as printed", as_line(printed["P-S"]), [as_line(printed[name]) for name in rows]))
    also = {PRINTED_PS: as_line(printed["P-S"])}
    lines |= {f"{name}, columns of its row": line for name, line in moved.items()}
    shared = {"x": "k", "y": "100 SSE / SST", "spacing": "even", "guides": (BOUND,)}
    return [
        Figure(f"kabir_table_{number}", f"{data}, standardized columns", lines=also | lines, claims=claims,
               notes=_beyond(lines, "standardized", seconds, notes), **shared),  # type: ignore[arg-type]
        Figure(f"kabir_table_{number}_raw", f"{data}, raw columns", lines=also | rough,
               claims=_systematic(printed, rough, "raw"), notes=_beyond(rough, "raw", seconds), **shared),  # type: ignore[arg-type]
    ]  # fmt: skip


def lines_of(points: Points, seconds: float) -> dict[str, Line]:
    """The losses of every method over k, of the improver after it, and what no partition is below."""
    lines: dict[str, Line] = {
        name: line_of(method, points) for name, method in {**METHODS, **READINGS, MDAV: mdav}.items()
    }
    lines[IMPROVED] = [(k, improved_loss(points, k, seconds)) for k in SIZES]
    lines[BOUND] = [(k, least_loss(points, k)) for k in SIZES]
    return lines


def line_of(method: Method, points: Points) -> Line:
    """The losses of one method over k."""
    return [(k, loss(points, method(points, k))) for k in SIZES]


def as_line(row: str) -> Line:
    """A printed row as a line, without the sizes that have no figure."""
    return [(k, float(figure)) for k, figure in zip(SIZES, row.split(), strict=True) if figure != "-"]


def values(line: Line) -> list[float]:
    """How high a line is at every x."""
    return [y for _, y in line]


def row_claim(name: str, row: str, measured: Line) -> Claim:
    """A printed row beside the measured one; sizes without a printed figure are not compared."""
    known, printed = dict(measured), dict(as_line(row))
    figures = dict(zip(SIZES, row.split(), strict=True))
    away = max(abs(known[k] / figure - 1) for k, figure in printed.items())
    exact = all(to_the_digit(figures[int(k)], known[k]) for k in printed)
    told = "to the last digit" if exact else f"up to {100 * away:.1f} % off"
    return Claim(f"{name} {row.replace(' ', ' / ')}", f"{slashed(values(measured))} ({told})", away <= NEAR)


def to_the_digit(figure: str, measured: float) -> bool:
    """Whether a number is written like the printed figure when it is rounded to as many digits."""
    digits = len(figure.partition(".")[2])
    return abs(float(figure) - measured) <= 0.501 * 10.0**-digits


def half(where: str, pairwise: Line, others: Sequence[Line]) -> Claim:
    """Whether P-S loses less than half of every other method, as the thesis says it always does."""
    least = {k: min(dict(line)[k] for line in others if k in dict(line)) for k, _ in pairwise}
    shares = [y / least[k] for k, y in pairwise]
    told = f"{where}: {slashed([100 * share for share in shares], 0)} % of the least of the others"
    return Claim("P-S loses less than half of any other method", told, max(shares) < 0.5)


def unreachable(row: str, bound: Losses) -> Claim:
    """Whether any partition of standardized records could have the losses that are printed for P-S."""
    reached = [figure >= least for figure, least in zip(values(as_line(row)), bound, strict=True)]
    told = f"no partition of standardized records is below {slashed(bound)}"
    return Claim(f"P-S {row.replace(' ', ' / ')}, beside rows of standardized columns", told, all(reached))


def _systematic(printed: Printed, lines: Mapping[str, Line], scale: str) -> list[Claim]:
    others = [lines[name] for name in printed if name in METHODS]
    rows = [row_claim(f"{name}, {scale}:", printed["P-S"], lines[name]) for name in READINGS]
    return rows + [half(f"{name}, all {scale}", lines[name], others) for name in READINGS]


def _beyond(lines: Mapping[str, Line], scale: str, seconds: float, notes: str = "") -> str:
    """What the table does not have: MDAV itself, local search and the bound."""
    told = f"{seconds:g} s of local search {slashed(values(lines[IMPROVED]))}"
    told = f"Beside the table, {scale}: MDAV {slashed(values(lines[MDAV]))}; {told}; "
    return f"{told}no partition is below {slashed(values(lines[BOUND]))}. {notes}".strip()


def slashed(figures: Losses, digits: int = 4) -> str:
    """Figures for the sizes, one after the other."""
    return " / ".join(f"{figure:.{digits}f}" for figure in figures)
