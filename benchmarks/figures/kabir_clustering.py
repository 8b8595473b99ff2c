"""What figures 4.4 and 4.5 of Kabir (2010) share: Adult, of whom some waive protection, clustered in two ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from statistics import mean
from typing import Any

import numpy as np

from benchmarks.figures.figure import Line
from benchmarks.measure import timed
from sfumato.algorithms import KMember, SystematicClustering
from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets.adult import QUASI, adult_file
from sfumato.datasets.adult_trees import adult_trees
from sfumato.metrics import InformationLoss
from sfumato.models import KAnonymity
from sfumato.releases.table_candidate import TableCandidate

SIZES = (5, 10, 20, 40, 80, 160)
SHARES = (0.0, 0.01, 0.05, 0.1)
RUNS = 5
THREE = ("age", "sex", "education")
"""The thesis' columns; it does not say by which of them records are sorted first."""
EIGHT = QUASI
SYSTEMATIC, K_MEMBER = "systematic", "k-member"
FIRST = ("education", "sex", "age")
"""The order of columns that is taken where nothing else is said; the other five are measured where nobody waives."""
ORDERS = {f"{SYSTEMATIC}, by {', '.join(order)}": order for order in permutations(THREE) if order != FIRST}


@dataclass(frozen=True)
class Run:
    """What a release of one run lost, and how many seconds of the processor it took to choose and judge it."""

    loss: float
    seconds: float


def way(name: str, levels: int) -> TableAlgorithm:
    """A way that goes by the same loss it is measured with."""
    if name == K_MEMBER:
        return KMember(categories="taxonomy", min_levels=levels)  # type: ignore[arg-type]
    order = ORDERS.get(name, FIRST)
    return SystematicClustering(categories="taxonomy", min_levels=levels, sort_by=order)  # type: ignore[arg-type]


@cache
def table(share: float, seed: int, columns: tuple[str, ...] = THREE) -> Table:
    """The 30,162 complete records, of whom a random share waives protection."""
    import pyarrow as pa

    frame = _frame()
    waives = np.random.default_rng(seed).permutation(frame.num_rows) < round(share * frame.num_rows)
    trees = {name: tree for name, tree in adult_trees().items() if name in columns}
    schema = Schema.of(quasi=columns, waiver="open", taxonomies=trees)
    return Table.from_frame(frame.append_column("open", pa.array(np.where(waives, "yes", "no"))), schema)


@cache
def run(name: str, share: float, k: int, levels: int, seed: int, columns: tuple[str, ...] = THREE) -> Run:
    """One release, measured."""
    people = table(share, seed, columns)
    with timed() as lap:
        release = way(name, levels).anonymize(people, KAnonymity(k=k), seed=seed)
    return Run(charged(release.candidate, levels), lap.cpu)


def charged(candidate: TableCandidate, levels: int) -> float:
    """The information loss of all who do not waive; who waives is published as is and charged nothing."""
    prices = InformationLoss(min_levels=levels).per_cell(candidate)  # type: ignore[arg-type]
    counts = np.where(candidate.published.waived, 0, candidate.published.counts)
    return float(np.sum(list(prices.values()), axis=0) @ counts)


def losses(name: str, share: float, levels: int) -> Line:
    """Mean loss over k."""
    return [(k, mean(run(name, share, k, levels, seed).loss for seed in range(RUNS))) for k in SIZES]


def times(name: str, share: float, columns: tuple[str, ...] = THREE, runs: int = RUNS) -> Line:
    """Mean milliseconds over k."""
    run(name, share, max(SIZES), 1, RUNS, columns)  # whoever comes first also loads what is compiled
    return [(k, 1000 * mean(run(name, share, k, 1, seed, columns).seconds for seed in range(runs))) for k in SIZES]


def ratios(one: Line, other: Line) -> list[float]:
    """How many times as high a line is as another, at every x."""
    return [y / z for (_, y), (_, z) in zip(one, other, strict=True)]


def spread(values: Sequence[float]) -> str:
    """Least and most of some ratios."""
    return f"{min(values):.3f} to {max(values):.3f}" if max(values) < 2 else f"{min(values):.2f} to {max(values):.2f}"


def percent(share: float) -> str:
    """A share as it stands in the names of lines."""
    return f"q = {100 * share:g} %"


@cache
def _frame() -> Any:
    from pyarrow import csv

    return csv.read_csv(adult_file())
