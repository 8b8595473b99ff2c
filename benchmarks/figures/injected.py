"""What the evaluations of Injector share: Adult's occupations, the rules about them, and releases to compare.

Of the four ways, Anatomy is the mean of ten runs, as in the paper, and the paper's own algorithm of three: of records
that serve equally well it takes the first, and which that is, is left to chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from statistics import mean

from benchmarks.figures.figure import Claim, Line
from sfumato.algorithms import Anatomy, Injector
from sfumato.data.table import Table
from sfumato.datasets import adult_occupations
from sfumato.knowledge import Miner
from sfumato.models import DistinctLDiversity, MatchingLDiversity
from sfumato.releases.table_release import TableRelease

LS = (3, 4, 5, 6)
EXPECTATIONS = (0.75, 0.8, 0.85, 0.9, 0.95)
L, EXPECTATION = 6, 0.9
"""What the paper takes where it varies the other."""
RUNS, PAPER_RUNS = 10, 3
ANATOMY, PAPER = "Anatomy", "three phases"
GUARDED, NEAR = "guarded", "near"
WAYS = (ANATOMY, PAPER, GUARDED, NEAR)
STRATEGIES = {PAPER: "three_phases", GUARDED: "guarded", NEAR: "near"}


@cache
def table() -> Table:
    """The 30,162 records."""
    return adult_occupations()


@cache
def model(l: int = L, expectation: float = EXPECTATION) -> MatchingLDiversity:
    """Matching l-diversity against the rules of one item that the table itself has."""
    return MatchingLDiversity(l=l, knowledge=Miner(min_expectation=expectation)).with_knowledge(table())


@cache
def prepared(expectation: float = EXPECTATION) -> Table:
    """The table with what is ruled out for whom, so that every release of it can be attacked with the rules."""
    return model(expectation=expectation).with_derived_columns(table())


def releases(way: str, l: int = L, expectation: float = EXPECTATION) -> Iterator[TableRelease]:
    """Ten of Anatomy, three of the paper's algorithm, one of anything else."""
    rows = prepared(expectation)
    if way == ANATOMY:
        yield from (Anatomy().anonymize(rows, DistinctLDiversity(l=l), seed=seed) for seed in range(RUNS))
        return
    algorithm, promise = Injector(strategy=STRATEGIES[way]), model(l, expectation)  # type: ignore[arg-type]
    for seed in range(PAPER_RUNS if way == PAPER else 1):
        yield algorithm.anonymize(rows, promise, seed=seed)


def averaged(measure: Callable[[TableRelease], float], way: str, l: int = L, expectation: float = EXPECTATION) -> float:
    """What is measured of all releases of one way, on average."""
    return mean(measure(release) for release in releases(way, l, expectation))


def over_l(measure: Callable[[TableRelease], float], ways: Sequence[str] = WAYS) -> dict[str, Line]:
    """A line for every way, over l."""
    return {way: [(l, averaged(measure, way, l)) for l in LS] for way in ways}


def over_expectation(measure: Callable[[TableRelease], float], ways: Sequence[str] = WAYS) -> dict[str, Line]:
    """A line for every way, over the least expectation of rules."""
    return {way: [(e, averaged(measure, way, L, e)) for e in EXPECTATIONS] for way in ways}


def smaller(lines: Mapping[str, Line], way: str, what: str = "Injector errs less than Anatomy") -> Claim:
    """Whether a line is below that of Anatomy everywhere."""
    one, other = lines[way], lines[ANATOMY]
    found = f"{listed(one)} against {listed(other)}"
    return Claim(f"{what} ({way})", found, len(below(one, other)) == len(other))


def listed(line: Line, digits: int = 1) -> str:
    """The values of a line, one after the other."""
    return ", ".join(f"{y:,.{digits}f}" for _, y in line)


def below(one: Line, other: Line) -> list[float]:
    """Where one line is below another."""
    return [x for (x, y), (_, z) in zip(one, other, strict=True) if y < z]
