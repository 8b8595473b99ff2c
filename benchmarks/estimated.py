"""What the estimates benchmark measures; runs in measuring processes only.

Every release of a data set is drawn with another seed, because the queries to one release share its luck.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import timed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato.algorithms.bucketization.base import Bucketizing
    from sfumato.data.table import Table
    from sfumato.evaluation.queries import Estimate, Estimator
    from sfumato.evaluation.workloads.query_error import Query
    from sfumato.models.base import PrivacyModel

LEVELS = (0.95, 0.8)
SELECTIVITY = 0.3
EDGE = 1e-9
"""Sums are compared up to this share of their size."""


@dataclass(frozen=True)
class DataSet:
    """A file or a generated table, its columns, and how many different values a bucket needs.

    `sensitive` has few values; `number` is sensitive where buckets are ranges of numbers. `summed` is a quasi column.
    """

    path: str
    quasi: tuple[str, ...]
    sensitive: str
    number: str
    summed: str
    l: int

    def table(self, folder: str, sensitive: str) -> Table:
        """The quasi columns and one sensitive column."""
        from pyarrow import csv

        from sfumato.data.schema import Schema
        from sfumato.data.table import Table
        from sfumato.datasets import census

        frame = csv.read_csv(Path(folder) / self.path) if self.path else census(10_000)
        quasi = [name for name in self.quasi if name != sensitive]
        return Table.from_frame(frame.select([*quasi, sensitive]), Schema.of(quasi=quasi, sensitive=[sensitive]))


DATA_SETS = {
    "Adult": DataSet(
        "adult/adult_train_complete.csv",
        ("sex", "age", "race", "marital-status", "education", "native-country"), "occupation", "hours-per-week", "age",
        4,
    ),
    "census": DataSet(
        "", ("sex", "age", "race", "marital_status", "education", "country"), "occupation", "hours", "age", 4
    ),
    "German": DataSet(
        "german/german.csv",
        ("age", "personal_status_sex", "housing", "job", "employment_since", "credit_history"), "purpose",
        "duration_months", "age", 3,
    ),
    "CRX": DataSet(
        "crx/crx_complete.csv", ("A1", "A2", "A4", "A5", "A7", "A9", "A10", "A12", "A13"), "A6", "A3", "A2", 3
    ),
    "blood": DataSet(
        "blood_transfusion.csv", ("recency_months", "frequency_times", "donated_march_2007"), "time_months",
        "time_months", "frequency_times", 3,
    ),
}  # fmt: skip


def ways(data: DataSet) -> dict[str, tuple[Bucketizing, PrivacyModel, str]]:
    """Every way to make buckets, with its model and its sensitive column."""
    from sfumato.algorithms import Anatomy, Injector, Permutation, Slicing
    from sfumato.models import DistinctLDiversity, KEAnonymity

    diverse, near = DistinctLDiversity(l=data.l), KEAnonymity(k=data.l, e=1)
    return {
        "anatomy": (Anatomy(), diverse, data.sensitive),
        "permutation, draws": (Permutation(), diverse, data.sensitive),
        "permutation, ranges": (Permutation(buckets="ranges"), near, data.number),
        "injector, near": (Injector(), diverse, data.sensitive),
        "injector, guarded": (Injector(strategy="guarded"), diverse, data.sensitive),
        "slicing": (Slicing(how_many=1, cut="median"), diverse, data.sensitive),
    }


def calibrate(*, folder: str, name: str, way: str, asked: str, releases: int, queries: int) -> dict[str, Any]:
    """Coverage and width of the intervals of counts, sums or averages, and how often certain bounds hold.

    Where buckets are not random, the intervals are those that a false statement would give.
    """
    from sfumato.evaluation.queries import Estimator

    data = DATA_SETS[name]
    algorithm, model, sensitive = ways(data)[way]
    table = data.table(folder, sensitive)
    inside: dict[float, list[bool]] = {level: [] for level in LEVELS}
    widths: dict[float, list[float]] = {level: [] for level in LEVELS}
    certain, offered = [], True
    # Two ways that draw alike would make the same buckets of the same seed.
    first = 100 * list(ways(data)).index(way)
    for seed in range(first, first + releases):
        release = algorithm.anonymize(table, model, seed=seed)
        known = Estimator.of_release(release)
        offered = offered and known.random_buckets
        stated = Estimator(known.schema, known.records, random_buckets=True)
        for found, truth in _answers(table, stated, data.summed, asked, seed, queries):
            edge = EDGE * max(1.0, abs(truth))
            certain.append(found.low - edge <= truth <= found.high + edge)
            for level in LEVELS:
                low, high = found.interval(level)
                inside[level].append(low - edge <= truth <= high + edge)
                widths[level].append(1.0 if found.exact else (high - low) / (found.high - found.low))
    return {
        "certain": float(np.mean(certain)),
        "offered": offered,
        "asked": len(certain),
        "coverage": [float(np.mean(inside[level])) for level in LEVELS],
        "width": [float(np.mean(widths[level])) for level in LEVELS],
        "median": [float(np.median(widths[level])) for level in LEVELS],
    }


def speed(*, records: int) -> dict[str, Any]:
    """Seconds of a count and its interval, with everything that the first of several counts has to prepare."""
    from sfumato.algorithms import Anatomy
    from sfumato.data.schema import Schema
    from sfumato.data.table import Table
    from sfumato.datasets import census
    from sfumato.evaluation.queries import Estimator
    from sfumato.knowledge import Item
    from sfumato.models import DistinctLDiversity

    schema = Schema.of(quasi=["sex", "age", "education"], sensitive=["occupation"])
    frame = census(records).select(["sex", "age", "education", "occupation"])
    release = Anatomy().anonymize(Table.from_frame(frame, schema), DistinctLDiversity(l=4), seed=0)
    where = Item("sex", "female"), Item("occupation", "clerical")
    Estimator.of_release(release).count(*where).interval()
    with timed() as lap:
        ask = Estimator.of_release(release)
        ask.count(*where).interval()
    with timed() as further:
        ask.count(*where[:1], Item("occupation", "sales")).interval()
    with timed() as average:
        ask.average("age", *where).interval()
    return {"first": lap.wall, "further": further.wall, "average": average.wall}


def _answers(
    table: Table, ask: Estimator, summed: str, asked: str, seed: int, number: int
) -> Iterator[tuple[Estimate, float]]:
    """Estimates of random queries with one to three quasi columns and the sensitive one, and the true values."""
    from sfumato.evaluation.workloads import QueryError

    workloads = [
        QueryError(number=-(-number // 3), dimensions=dimensions, selectivity=SELECTIVITY, seed=seed)
        for dimensions in (1, 2, 3)
    ]
    drawn = list(chain.from_iterable(workload.queries(table) for workload in workloads))
    for query in drawn[:: max(1, len(drawn) // number)][:number]:
        if asked == "counts":
            yield ask.count(*query.where), float(query.truth)
            continue
        values, counts = _chosen(table, query, summed)
        if asked == "sums":
            yield ask.sum(summed, *query.where), float(values @ counts)
        elif counts.sum():
            yield ask.average(summed, *query.where), float(values @ counts / counts.sum())


def _chosen(table: Table, query: Query, column: str) -> tuple[Any, Any]:
    """The numbers of a column that are there and how often, in the rows that a query selects."""
    numbers = table.domain(column).numbers
    values = np.asarray(numbers)[table.codes[column]]
    hit = ~np.isnan(values)
    for item in query.where:
        hit &= item.true_of(table.domain(item.column)).take(table.codes[item.column])
    return values[hit], table.counts[hit]
