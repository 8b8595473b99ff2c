"""Questions that count a known share of all records, and how wrong the answers of releases are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import islice
from math import ceil
from statistics import mean

import numpy as np

from benchmarks.figures.injected import releases
from sfumato.data.table import Table
from sfumato.evaluation.queries import Estimator
from sfumato.evaluation.workloads import QueryError
from sfumato.evaluation.workloads.query_error import Query
from sfumato.knowledge import Item

NUMBER = 1000
RUNS = 3


@cache
def estimators(way: str, l: int) -> tuple[Estimator, ...]:
    """Of three runs of Anatomy and of the paper's algorithm, one of anything else."""
    return tuple(Estimator.of_release(release) for release in islice(releases(way, l), RUNS))


def query_error(way: str, l: int, queries: Sequence[Query]) -> float:
    """The mean relative error in percent."""
    return 100 * mean(float(QueryError().errors(each, queries).mean()) for each in estimators(way, l))


def independence_error(estimator: Estimator, queries: Sequence[Query]) -> float:
    """The same of answers that take secrets to have nothing to do with people; the secret is asked for last."""
    records = len(estimator.records)
    found = [
        estimator.count(*query.where[:-1]).value * estimator.count(query.where[-1]).value / records for query in queries
    ]
    truth = np.array([query.truth for query in queries])
    return float(100 * (np.abs(np.array(found) - truth) / truth).mean())


def sized_queries(
    people: Table, low: float = 0.05, high: float = 0.1, dimensions: Sequence[int] = (2, 3, 4), *, number: int = NUMBER,
    seed: int = 0,
) -> list[Query]:  # fmt: skip
    """Questions that count between two shares of all records.

    Each predicate names as large a share of its column's values as all predicates together would need to count so many
    records if values were equally frequent and independent (Xiao and Tao 2006); those that miss are drawn again.
    """
    random, found = np.random.default_rng(seed), list[Query]()
    while len(found) < number:
        chosen = random.choice(people.schema.quasi, random.choice(dimensions), replace=False).tolist()
        columns = [*chosen, people.schema.one_sensitive("")]
        query = _drawn(people, columns, random.uniform(low, high) ** (1 / len(columns)), random)
        found += [query] if low <= query.truth / people.records <= high else []
    return found


def _drawn(people: Table, columns: Sequence[str], share: float, random: np.random.Generator) -> Query:
    """A question for about this share of the values of every column."""
    items, hit = [], np.ones(len(people), dtype=bool)
    for name in columns:
        domain = people.domain(name)
        codes = sorted(random.choice(len(domain), ceil(share * len(domain)), replace=False).tolist())
        items.append(Item(name, f"{len(codes)} values", tuple(domain.named(code) for code in codes)))
        hit &= np.isin(people.codes[name], codes)
    return Query(tuple(items), int(people.counts[hit].sum()))
