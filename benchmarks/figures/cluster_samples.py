"""Samples of Adult for cluster analysis, and what is left of their clusters after masking (book, section 7.2).

Every figure is the mean over several samples, each drawn with its own seed. All nine columns are clustered; which of
them could be known, and so are masked, is what a requirement says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from statistics import fmean
from typing import NamedTuple

import numpy as np

from benchmarks.figures.figure import Line
from sfumato.algorithms import TopDownRefinement
from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets.adult import adult_file
from sfumato.datasets.adult_trees import adult_trees
from sfumato.evaluation.clusterers import KMeans
from sfumato.evaluation.clusterers.base import Clusterer
from sfumato.evaluation.workloads import ClusterAnalysis
from sfumato.models import KAnonymity
from sfumato.models.base import PrivacyModel

COLUMNS = (
    "age", "education-num", "hours-per-week", "marital-status", "relationship", "sex", "occupation", "race",
    "workclass",
)  # fmt: skip
ATTACKERS = {
    "family": ("age", "marital-status", "relationship", "sex"),
    "office": ("education-num", "hours-per-week", "occupation", "workclass"),
    "register": ("age", "marital-status", "sex", "race"),
}
"""Three sets of columns that somebody could know together; together they are all columns."""
KS = (10, 20, 50, 100, 200, 500)
SEEDS = range(5)
CLUSTERS = 5
RECORDS = 5_000


class Agreement(NamedTuple):
    """F-measure and match point, as shares."""

    f_measure: float
    match_point: float


@cache
def sample(seed: int, size: int = RECORDS) -> Table:
    """Records of Adult's training file, drawn at random; `first_3` names the first three columns, and so on."""
    from pyarrow import csv

    every = csv.read_csv(adult_file()).select(list(COLUMNS))
    drawn = np.sort(np.random.default_rng(seed).permutation(every.num_rows)[:size])
    trees = {name: tree for name, tree in adult_trees().items() if name in COLUMNS}
    named = {f"first_{many}": COLUMNS[:many] for many in range(1, len(COLUMNS) + 1)} | ATTACKERS
    return Table.from_frame(every.take(drawn), Schema.of(quasi=COLUMNS, taxonomies=trees, quasi_identifiers=named))


def guided(
    model: PrivacyModel,
    *,
    algorithm: TableAlgorithm | None = None,
    clusterer: Clusterer | None = None,
    again: Clusterer | None = None,
    size: int = RECORDS,
    seeds: Sequence[int] = SEEDS,
) -> Agreement:
    """The mean agreement where the clusters of the raw records guide the masking."""
    analysis = ClusterAnalysis(clusterer=clusterer or KMeans(clusters=CLUSTERS), again=again)
    ways = algorithm or TopDownRefinement()
    found = [analysis.measure(sample(seed, size), ways, model) for seed in seeds]
    return Agreement(fmean(one.f_measure for one in found), fmean(one.match_point for one in found))


def unguided(model: PrivacyModel, *, algorithm: TableAlgorithm | None = None, clusters: int = CLUSTERS) -> Agreement:
    """The mean agreement where the algorithm knows nothing of the clusters."""
    analysis, ways = ClusterAnalysis(clusterer=KMeans(clusters=clusters)), algorithm or TopDownRefinement()
    found = [analysis.compare(ways.anonymize(sample(seed), model), analysis.label(sample(seed))) for seed in SEEDS]
    return Agreement(fmean(one.f_measure for one in found), fmean(one.match_point for one in found))


def over_k(measure: Callable[[PrivacyModel], Agreement], ks: Sequence[int] = KS) -> list[tuple[int, Agreement]]:
    """The agreement under k-anonymity over all columns, for every k."""
    return [(k, measure(KAnonymity(k=k))) for k in ks]


def f_line(found: Sequence[tuple[int, Agreement]]) -> Line:
    """The F-measures as a line."""
    return [(x, agreement.f_measure) for x, agreement in found]


def point_line(found: Sequence[tuple[int, Agreement]]) -> Line:
    """The match points as a line."""
    return [(x, agreement.match_point) for x, agreement in found]
