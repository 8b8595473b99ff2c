"""Small tables as the rows that ways of clustering look at."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from sfumato.algorithms.clustering.covers import covers_of
from sfumato.algorithms.clustering.quasi_rows import QuasiRows
from sfumato.algorithms.microaggregation.embedding import embed
from sfumato.data.table import Table
from tests.strategies import small_tables


def rows_of(table: Table, *, sets: bool = True, min_levels: int = 0) -> QuasiRows:
    """The distinct quasi rows of a table, with points."""
    quasi, _ = table.distinct(table.schema.quasi)
    points = embed(quasi, table.schema.quasi, standardize=True)
    return QuasiRows(covers_of(quasi, sets=sets, min_levels=min_levels), quasi.counts, points)


@st.composite
def small_rows(draw: st.DrawFn, *, max_rows: int = 8, max_repeats: int = 3) -> QuasiRows:
    """Rows of a small table, categories as sets or nodes, with levels that are charged anyway or not."""
    table = draw(small_tables(max_rows=max_rows, max_sensitive=1, max_repeats=max_repeats))
    return rows_of(table, sets=draw(st.booleans()), min_levels=draw(st.sampled_from([0, 1])))


def runs_as_sets(row: np.ndarray, group: np.ndarray, counts: np.ndarray) -> list[tuple[int, int, int]]:
    """Runs in one order, so that two ways to list them are equal."""
    return sorted(zip(row.tolist(), group.tolist(), counts.tolist(), strict=True))
