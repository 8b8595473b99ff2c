"""A small table of numbers for ways of microaggregation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.microaggregation.base import Microaggregation
from sfumato.algorithms.microaggregation.embedding import embed
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.models import KAnonymity


def numbers_table(rows: int = 60) -> Table:
    """Two columns of numbers in very different units, of which no record has the same as another."""
    random = np.random.default_rng(5)
    income = np.round(np.exp(random.normal(10, 0.8, size=rows))).astype(int)
    age = 20 + np.arange(rows) * 60 / rows
    columns = {"income": [str(value) for value in income], "age": [f"{value:.2f}" for value in age]}
    return Table.of_rows(Schema.of(quasi=["income", "age"]), columns)


def points_of(table: Table, *, standardize: bool = True) -> NDArray[np.float64]:
    """The records as points."""
    return embed(table, table.schema.quasi, standardize=standardize)[np.repeat(np.arange(len(table)), table.counts)]


def grouped(way: Microaggregation, table: Table, k: int, *, seed: int = 0) -> set[frozenset[int]]:
    """Which rows are published alike."""
    candidate = way.anonymize(table, KAnonymity(k=k), seed=seed).candidate
    shown = list(zip(*candidate.published.codes.values(), strict=True))
    alike: dict[tuple[int, ...], set[int]] = {}
    for row, values in zip(candidate.origin.tolist(), shown, strict=True):
        alike.setdefault(values, set()).add(row)
    return {frozenset(rows) for rows in alike.values()}


def groups_of(labels: NDArray[np.int32]) -> set[frozenset[int]]:
    """Records with the same label."""
    return {frozenset(np.flatnonzero(labels == group).tolist()) for group in np.unique(labels)}
