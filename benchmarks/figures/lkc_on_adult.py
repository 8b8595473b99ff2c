"""Adult as the book's section 6.7 publishes it: marital status is the secret, thirteen columns could be known.

The book masks all records, trains on two thirds and tests on one. The thirds are taken to be the files that Adult comes
in (30,162 and 15,060 complete records): they give the baseline and the upper error that the book prints. All records
are masked together, so the classes of test records take part in the masking, as in the book.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from benchmarks.figures.figure import Line
from sfumato.algorithms import Hdtds
from sfumato.algorithms.specialization.scores import ScoreName
from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets.adult import adult_file
from sfumato.datasets.adult_trees import adult_trees
from sfumato.errors import InfeasibleError
from sfumato.evaluation.workloads import Classification, Split
from sfumato.metrics import DiscernibilityRatio
from sfumato.models import LkcPrivacy
from sfumato.models.base import PrivacyModel
from sfumato.releases.table_release import TableRelease

SECRET, CLASS = "marital-status", "salary-class"
GUARDED = ("Divorced", "Separated")
TRAINED = 30_162
KS, LS = (20, 40, 60, 80, 100), (2, 4, 6)
CS = (0.05, 0.10, 0.15, 0.20, 0.25, 0.30)
NOISE = 0.3
"""Points of error that the draw of 15,060 test records alone is good for (one standard error)."""
PROTOCOL = (
    "C4.5, trained on the 30,162 records of Adult's training file and tested on the 15,060 of its test file; all "
    "records masked together, so the classes of test records took part in the masking (the book's protocol)."
)
REFUSED = "refused (drawn at the top)"


@cache
def records() -> Any:
    """All complete records, those to train on first."""
    from pyarrow import csv

    return csv.read_csv(adult_file(part="all"))


def quasi() -> list[str]:
    """The thirteen columns that could be known."""
    return [name for name in records().column_names if name not in (SECRET, CLASS)]


@cache
def table() -> Table:
    """The records, counted."""
    trees = {name: tree for name, tree in adult_trees().items() if name != SECRET}
    schema = Schema.of(quasi=quasi(), sensitive=[SECRET], target=[CLASS], taxonomies=trees)
    return Table.from_frame(records(), schema)


def requirement(l: int, k: int, c: float) -> LkcPrivacy:
    """What is promised: against whoever knows l values, k records and at most the share c of a guarded value."""
    return LkcPrivacy(l=l, k=k, c=c, values=GUARDED if c < 1 else (), sensitive=SECRET)


def published(algorithm: TableAlgorithm, model: PrivacyModel) -> TableRelease | None:
    """The release; None where no table keeps the promise."""
    try:
        return algorithm.anonymize(table(), model)
    except InfeasibleError:
        return None


def error(frame: Any, *, without: Iterable[str] = (), nominal: Iterable[str] = ()) -> float:
    """Percent of the test records whose class is predicted wrongly."""
    split = Split.first(TRAINED, records().num_rows)
    return 100 * Classification(masking="all").error(frame, CLASS, split, without=without, nominal=nominal)


@cache
def bounds() -> tuple[float, float]:
    """The errors on raw records (BE) and without the thirteen columns (UE), in percent."""
    return error(records()), error(records(), without=quasi())


@cache
def masked_error(l: int, k: int, c: float, score: ScoreName = "gain") -> float | None:
    """CE: the error on masked records in percent; None where refused."""
    release = published(Hdtds(score=score), requirement(l, k, c))
    return None if release is None else error(release.frame(), nominal=quasi())


@cache
def ratio(l: int, k: int, c: float, score: ScoreName = "discernment") -> float | None:
    """DR of the release for general use; None where refused."""
    return ratio_of(Hdtds(score=score), requirement(l, k, c))


def ratio_of(algorithm: TableAlgorithm, model: PrivacyModel) -> float | None:
    """DR of what an algorithm publishes; None where refused."""
    release = published(algorithm, model)
    return None if release is None else DiscernibilityRatio().measure(release)


def by_size(of: Callable[[int, int, float], float | None], c: float, named: str = "L = {}") -> dict[str, Line]:
    """A line for every l over all k."""
    return {named.format(l): [(k, found) for k in KS if (found := of(l, k, c)) is not None] for l in LS}


def by_share(of: Callable[[int, int, float], float | None], k: int = 100) -> dict[str, Line]:
    """A line for every l over all shares c (in percent) that can be promised."""
    return {f"L = {l}": [(round(100 * c), found) for c in CS if (found := of(l, k, c)) is not None] for l in LS}


def refused(lines: Mapping[str, Line]) -> list[float]:
    """The shares c, in percent, at which every line was refused."""
    there = {x for line in lines.values() for x, _ in line}
    return [round(100 * c) for c in CS if round(100 * c) not in there]


def marked(lines: Mapping[str, Line]) -> dict[str, Line]:
    """The lines, and where there is nothing to draw because no table keeps the promise."""
    top = max(y for line in lines.values() for _, y in line)
    return {**lines, REFUSED: [(c, top) for c in refused(lines)]}


def spread(values: Iterable[float], digits: int = 2) -> str:
    """From the least to the largest, as text."""
    several = list(values)
    return f"{min(several):.{digits}f} to {max(several):.{digits}f}"
