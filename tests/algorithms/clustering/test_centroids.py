"""Sizes of groups around centroids are equalized."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.centroids import level_sizes
from sfumato.algorithms.clustering.covers import covers_of
from sfumato.algorithms.clustering.loops.centroids import distance_terms, one_pass
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from tests.algorithms.clustering.rows_of import small_rows


@given(small_rows(max_rows=10), st.integers(1, 3), st.data())
def test_every_record_is_in_a_group_of_at_least_k(rows, k, data):
    if rows.records < k:
        return
    terms = distance_terms(rows.covers)
    seeds = np.sort(np.array(data.draw(st.permutations(rows.each.tolist()))[: rows.records // k]))
    row, group, counts, centroids = one_pass(terms, rows.counts, seeds)
    found = level_sizes(terms, centroids, row, group, counts, k)
    assert np.bincount(found[0], weights=found[2], minlength=len(rows)).tolist() == rows.counts.tolist()
    assert np.bincount(found[1], weights=found[2], minlength=len(seeds)).min() >= k


def test_the_farthest_records_go_to_the_nearest_small_group():
    """Ages 1 to 4 around their mean of 3.5 and 9 alone: with k = 2, 9 takes the 4 that is given up for it."""
    table = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["2", "3", "4", "5", "9"]})
    terms = distance_terms(covers_of(table, sets=True))
    row, group, counts, centroids = one_pass(terms, table.counts, np.array([1, 4]))
    assert group[np.argsort(row)].tolist() == [0, 0, 0, 0, 1]
    found = level_sizes(terms, centroids, row, group, counts, 2)
    order = np.argsort(found[0])
    assert found[1][order].tolist() == [1, 0, 0, 0, 1] or found[1][order].tolist() == [0, 0, 0, 1, 1]
