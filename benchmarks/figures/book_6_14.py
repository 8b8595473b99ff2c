"""Book, figure 6.14: what share of pairs of Adult's records cannot be told apart, by L and K at C = 20 %."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from benchmarks.figures.figure import Claim, Figure, Line
from benchmarks.figures.lkc_on_adult import KS, by_size, ratio, ratio_of, spread
from sfumato.algorithms import Hdtds, TopDownRefinement
from sfumato.models import KAnonymity

C = 0.20
PLAIN, PAPER = "k-anonymity", "k-anonymity by TDR's score"


def figure() -> Figure:
    """DR for L = 2, 4, 6, with C and without, and of plain k-anonymity over all thirteen columns."""
    lines = by_size(ratio, C) | by_size(ratio, 1.0, "L = {}, any C")
    for name, algorithm in ((PLAIN, Hdtds(score="discernment")), (PAPER, TopDownRefinement())):
        found = [(k, ratio_of(algorithm, KAnonymity(k=k))) for k in KS]
        lines[name] = [(k, value) for k, value in found if value is not None]
    return Figure(
        name="book_6_14",
        title="Discernibility ratio on Adult, C = 20 % (book, figure 6.14)",
        x="K",
        y="discernibility ratio",
        lines=lines,
        claims=claims(lines),
        notes="Specialized as records are told apart (score discernment, the fall of the sum of squared group sizes).",
    )


def claims(lines: dict[str, Line]) -> list[Claim]:
    """What section 6.7.1.2 says of the figure."""
    of = {name: [y for _, y in line] for name, line in lines.items()}
    times = [four / two for two, four in zip(of["L = 2"], of["L = 4"], strict=True)]
    return [
        Claim("L = 2: close to 0", spread(of["L = 2"], 4), max(of["L = 2"]) <= 0.02),
        Claim(
            "L = 2: insensitive to K",
            f"grows by {max(of['L = 2']) - min(of['L = 2']):.4f} from K = 20 to 100",
            max(of["L = 2"]) - min(of["L = 2"]) <= 0.01,
        ),
        Claim("L = 4: significantly higher", f"{spread(of['L = 4'], 4)}; {spread(times, 1)} times", min(times) >= 2),
        Claim(
            "L = 6: equals traditional k-anonymity",
            f"{spread(of['L = 6'], 4)} against {spread(of[PLAIN], 4)} (TDR's own score: {spread(of[PAPER], 4)})",
            of["L = 6"] == of[PLAIN],
        ),
        Claim(
            "the same with any C allowed, which is what k-anonymity allows",
            f"{spread(of['L = 6, any C'], 4)} against {spread(of[PLAIN], 4)}",
            of["L = 6, any C"] == of[PLAIN],
        ),
        drops(lines),
    ]


def drops(lines: dict[str, Line]) -> Claim:
    """Whether more records are told apart at a larger K; also under the two other readings of the book's score."""
    before = by_size(partial(ratio, score="discernment_before"), C)
    after = by_size(partial(ratio, score="discernment_after"), C)
    told = [f"{_falling(found)} by the groups {when}" for when, found in (("before", before), ("after", after))]
    least = min(y for line in after.values() for _, y in line)
    return Claim(
        "DR sometimes drops as K grows",
        f"{_falling(lines)} of {len(lines)} lines drop; {' and '.join(told)} (which gives {least:.2f} and more)",
        _falling(lines) > 0,
    )


def _falling(lines: dict[str, Line]) -> int:
    """How many lines fall anywhere."""
    return sum(any(late[1] < early[1] for early, late in pairwise(line)) for line in lines.values())
