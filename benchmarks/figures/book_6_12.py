"""Book, figure 6.12: how well the class of Adult is still predicted, by L and K at C = 20 %."""

from __future__ import annotations

from functools import partial

from benchmarks.figures.figure import Claim, Figure
from benchmarks.figures.lkc_on_adult import KS, LS, NOISE, PROTOCOL, bounds, by_size, masked_error, spread

C = 0.20


def figure() -> Figure:
    """CE for L = 2, 4, 6 between the errors on raw records and without quasi columns."""
    lines, base, upper = by_size(masked_error, C), *bounds()
    traded = by_size(partial(masked_error, score="gain_per_loss"), C, "L = {} by gain per loss")
    errors = {(l, int(k)): found for l in LS for k, found in lines[f"L = {l}"]}
    return Figure(
        name="book_6_12",
        title="Classification error on Adult, C = 20 % (book, figure 6.12)",
        x="K",
        y="error in %",
        lines={
            **lines,
            **traded,
            "BE (raw)": [(k, base) for k in KS],
            "UE (no quasi)": [(k, upper) for k in KS],
        },
        claims=claims(errors, base, upper),
        notes=f"{PROTOCOL} A range agrees when it lies in the printed one, give or take {NOISE} points, the standard "
        "error of one test set. Claims are about the score by gain alone (equation 6.1); the book's other score, gain "
        "per loss (equation 6.2), is drawn beside it.",
    )


def claims(errors: dict[tuple[int, int], float], base: float, upper: float) -> list[Claim]:
    """What section 6.7.1.2 says of the figure."""
    few = [found for (l, _), found in errors.items() if l == 2]
    many = [found for (l, _), found in errors.items() if l > 2]
    dear = ", ".join(str(k) for (l, k), found in errors.items() if l == 2 and found - base >= 1)
    where = f" (1 and more at K = {dear})" if dear else ""
    return [
        Claim("BE = 14.7 %", f"{base:.2f} %", abs(base - 14.7) <= NOISE),
        Claim("UE = 24.5 %", f"{upper:.2f} %", abs(upper - 24.5) <= NOISE),
        between("L = 2: CE - BE", [found - base for found in few], None, 1.0, where),
        between("L = 2: UE - CE", [upper - found for found in few], 8.9, 9.5),
        between("L = 4 and 6: CE - BE", [found - base for found in many], 1.1, 4.1),
        between("L = 4 and 6: UE - CE", [upper - found for found in many], 5.8, 8.8),
    ]


def between(what: str, found: list[float], low: float | None, high: float, where: str = "") -> Claim:
    """Whether all that was found lies in the printed range, give or take the noise of one test set."""
    said = f"{what} below {high:g}" if low is None else f"{what} from {low:g} to {high:g}"
    fits = max(found) <= high + NOISE and (low is None or min(found) >= low - NOISE)
    return Claim(f"{said} points", spread(found) + where, fits)
