"""Book, figure 6.13: how well the class of Adult is still predicted, by L and C at K = 100."""

from __future__ import annotations

from benchmarks.figures.figure import Claim, Figure, Line
from benchmarks.figures.lkc_on_adult import NOISE, PROTOCOL, bounds, by_share, marked, masked_error, refused, spread

K = 100


def figure() -> Figure:
    """CE for L = 2, 4, 6 over C; where no table keeps the promise there is no error to draw."""
    lines, base, upper = by_share(masked_error, K), *bounds()
    every = [x for x, _ in lines["L = 2"]]
    return Figure(
        name="book_6_13",
        title="Classification error on Adult, K = 100 (book, figure 6.13)",
        x="C in %",
        y="error in %",
        lines=marked({**lines, "BE (raw)": [(x, base) for x in every], "UE (no quasi)": [(x, upper) for x in every]}),
        claims=claims(lines),
        notes=f"{PROTOCOL} 13.92 % of all records are Divorced, so below that C nothing can be published.",
    )


def claims(lines: dict[str, Line]) -> list[Claim]:
    """What section 6.7.1.2 says of the figure."""
    wide = {name: [y for _, y in line] for name, line in lines.items()}
    told = "; ".join(f"{name}: {spread(values)}" for name, values in wide.items())
    insensitive = all(max(values) - min(values) <= 2 * NOISE for values in wide.values())
    means = [sum(values) / len(values) for values in wide.values()]
    gone = refused(lines)
    return [
        Claim(
            "there is a table for every C from 5 to 30 %",
            f"refused at C = {', '.join(f'{c:g}' for c in gone)} %" if gone else "all published",
            not gone,
        ),
        Claim("CE is insensitive to C", told, insensitive),
        Claim(
            "CE rises slightly with L",
            f"means {', '.join(f'{mean:.2f}' for mean in means)} for L = 2, 4, 6",
            means == sorted(means) and means[0] < means[-1],
        ),
    ]
