"""Book, figure 6.15: what share of pairs of Adult's records cannot be told apart, by L and C at K = 100."""

from __future__ import annotations

from benchmarks.figures.figure import Claim, Figure, Line
from benchmarks.figures.lkc_on_adult import LS, by_share, marked, ratio, refused

K = 100


def figure() -> Figure:
    """DR for L = 2, 4, 6 over C; where no table keeps the promise there is none to measure."""
    lines = by_share(ratio, K)
    return Figure(
        name="book_6_15",
        title="Discernibility ratio on Adult, K = 100 (book, figure 6.15)",
        x="C in %",
        y="discernibility ratio",
        lines=marked(lines),
        claims=claims(lines, [found for l in LS if (found := ratio(l, K, 1.0)) is not None]),
        notes="Specialized as records are told apart. 13.92 % of all records are Divorced: below that C nothing is "
        "published, and just above it hardly any column can be specialized.",
    )


def claims(lines: dict[str, Line], unbound: list[float]) -> list[Claim]:
    """What section 6.7.1.2 says of the figure; `unbound` are the ratios where any C is allowed."""
    gone = refused(lines)
    told = [f"{name}: {line[0][1]:.3f} to {line[-1][1]:.3f}" for name, line in lines.items()]
    ends = [f"{value:.3f}" for value in unbound]
    by_l = list(zip(*([y for _, y in line] for line in lines.values()), strict=True))
    grows = all(two < four <= six for two, four, six in by_l)
    six = "is as" if all(four == six for _, four, six in by_l) else "differs from"
    return [
        Claim(
            "there is a table for every C from 5 to 30 %",
            f"refused at C = {', '.join(f'{c:g}' for c in gone)} %" if gone else "all published",
            not gone,
        ),
        Claim(
            "DR is insensitive to C: L and K drive it",
            f"falls from C = 15 to 30 %, {'; '.join(told)} (any C: {', '.join(ends)})",
            all(line[0][1] - line[-1][1] <= 0.02 for line in lines.values()),
        ),
        Claim(
            "DR grows with L",
            f"{'yes' if grows else 'no'} at every C that can be promised; L = 6 {six} L = 4",
            grows,
        ),
    ]
