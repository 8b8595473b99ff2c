"""One-pass k-means against a plain one, and its sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.loops.centroids import distance_terms
from sfumato.algorithms.clustering.oka import Oka
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.metrics import Ncp
from sfumato.models import KAnonymity
from tests.algorithms.clustering.loops.test_centroids import apart, middle
from tests.algorithms.clustering.rows_of import runs_as_sets, small_rows


def plain_oka(rows, k: int, seeds: list[int]) -> list[tuple[int, int, int]]:
    """Record after record: the nearest centroid, then the farthest of what is too much to what is too little."""
    terms, left = distance_terms(rows.covers), rows.counts.copy()
    groups = [[seed] for seed in seeds]
    np.subtract.at(left, seeds, 1)
    for record in np.repeat(np.arange(len(rows)), left).tolist():
        far = [apart(terms, record, middle(terms, members)) for members in groups]
        groups[int(np.argmin(far))].append(record)
    centres, moving = [middle(terms, members) for members in groups], []
    for members, centre in zip(groups, centres, strict=True):
        members.sort(key=lambda record: (-apart(terms, record, centre), record))
        moving += members[: max(len(members) - k, 0)]
        del members[: max(len(members) - k, 0)]
    for record in sorted(moving):
        wanting = [place for place, members in enumerate(groups) if len(members) < k] or list(range(len(groups)))
        nearest = min(wanting, key=lambda place: (apart(terms, record, centres[place]), place))
        groups[nearest].append(record)
    found = []
    for place, members in enumerate(groups):
        found += [(row, place, members.count(row)) for row in sorted(set(members))]
    return sorted(found)


@given(small_rows(max_rows=10), st.integers(1, 4), st.integers(0, 9))
def test_it_makes_the_groups_of_a_plain_one(rows, k, seed):
    if rows.records < 2 * k:
        return
    drawn = np.random.default_rng(seed).choice(rows.records, rows.records // k, replace=False)
    expected = plain_oka(rows, k, rows.each[np.sort(drawn)].tolist())
    row, group, counts = Oka()._cluster(rows, k, np.random.default_rng(seed))
    found: dict[tuple[int, int], int] = {}
    for one, place, many in runs_as_sets(row, group, counts):
        found[one, place] = found.get((one, place), 0) + many
    assert sorted((one, place, many) for (one, place), many in found.items()) == expected
    sizes = np.bincount(group, weights=counts, minlength=rows.records // k)
    assert sizes.min() >= k


def test_two_crowds_are_told_apart():
    table = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["1", "2", "3", "97", "98", "99"]})
    losses = [Ncp().measure(Oka().anonymize(table, KAnonymity(k=3), seed=seed).candidate) for seed in range(9)]
    assert losses == pytest.approx([2 / 98] * 9)
