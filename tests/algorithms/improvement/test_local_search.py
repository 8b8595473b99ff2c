from __future__ import annotations

import numpy as np
import pytest

from sfumato.algorithms.improvement.local_search import LocalSearch
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.metrics import Ncp
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.operations.generalize import generalize_groups


def line(records: int = 60) -> Table:
    random = np.random.default_rng(1)
    rows = {
        "x": [str(place) for place in range(records)],
        "job": random.choice(list("abc"), records).tolist(),
        "ill": random.choice(list("uv"), records).tolist(),
    }
    return Table.of_rows(Schema.of(quasi=["x", "job"], sensitive=["ill"]), rows)


def ncp(table: Table, partition: Partition, sets: bool) -> float:
    return Ncp().measure(generalize_groups(table, partition, sets=sets))


@pytest.mark.parametrize("sets", [True, False])
def test_covers_shrink_and_groups_hold(sets: bool) -> None:
    table, model = line(), KAnonymity(k=3) & DistinctLDiversity(l=2)
    scattered = Partition.of_labels((np.arange(60) % 15).astype(np.int32))
    found = LocalSearch(effort=200, seconds=None, seed=1).of_covers(table, scattered, model, sets=sets)
    assert ncp(table, found, sets) < 0.7 * ncp(table, scattered, sets)
    groups = Groups.of_labels(table.rows_at(found.row, found.counts), found.group)
    assert model.holds(groups).all()


def test_squared_errors_shrink() -> None:
    points = np.arange(40, dtype=np.float64)[:, None]
    labels = (np.arange(40) % 10).astype(np.int32)
    found = LocalSearch(effort=500, seconds=None, seed=1).of_points(points, labels, 4)
    assert np.bincount(found).min() >= 4
    assert max(np.ptp(points[found == group]) for group in range(int(found.max()) + 1)) <= 12


def test_a_search_in_vain_leaves_the_groups_alone() -> None:
    table = line(12)
    best = Partition.of_labels(np.array([0] * 6 + [1] * 6, dtype=np.int32))
    found = LocalSearch(effort=0, seconds=None, seed=1).of_covers(table, best, KAnonymity(k=6), sets=True)
    assert ncp(table, found, True) <= ncp(table, best, True)
