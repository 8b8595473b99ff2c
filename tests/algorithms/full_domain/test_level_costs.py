"""What levels cost, against the metrics themselves on candidates of every node."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.full_domain.lattice import Lattice
from sfumato.algorithms.full_domain.level_costs import LevelCosts
from sfumato.metrics import Iloss, InformationLoss, LossMetric, MinimalDistortion, Ncp, NonUniformEntropy, Precision
from sfumato.metrics.base import CellMetric, Cells, Prices
from sfumato.operations.generalize import generalize_levels
from tests.examples import examples
from tests.strategies import small_tables

METRICS = [Ncp(), Iloss(), LossMetric(), MinimalDistortion(), InformationLoss(), NonUniformEntropy(), Precision()]


@pytest.mark.parametrize("metric", METRICS, ids=str)
@given(table=small_tables(taxonomies=True, max_rows=8, max_repeats=3))
@examples(20)
def test_the_bound_of_a_node_is_its_loss_without_suppression(metric: CellMetric, table) -> None:
    if any(name not in table.taxonomies for name in table.schema.quasi):
        return
    lattice = Lattice.over(table)
    costs, sign = LevelCosts(lattice, table, metric), 1 if metric.better == "lower" else -1
    assert costs.bounded
    assert costs.mergeable
    every = costs.bounds()
    for levels in lattice:
        measured = sign * metric.measure(generalize_levels(table, dict(zip(lattice.columns, levels, strict=True))))
        assert costs.bound(levels) == pytest.approx(measured, abs=1e-9)
        assert every[levels] == pytest.approx(measured, abs=1e-9)
        assert all(every[levels] <= every[above] + 1e-9 for above in lattice.above(levels))


class Odd(Ncp):
    """Charges what is suppressed less than what is published."""

    def _full_price(self, cells: Cells) -> float:
        return 0.0


class OfValues(Ncp):
    """Charges values of one group unlike."""

    def _price(self, cells: Cells) -> Prices:
        return super()._price(cells) * (1 + cells.values % 2) / 2


@given(table=small_tables(taxonomies=True, max_rows=8), metric=st.sampled_from([Odd(), OfValues()]))
@examples(40)
def test_metrics_without_such_bounds_are_noticed(table, metric: CellMetric) -> None:
    if any(name not in table.taxonomies for name in table.schema.quasi):
        return
    lattice = Lattice.over(table)
    costs = LevelCosts(lattice, table, metric)
    wide = [name for name in lattice.columns if np.ptp(table.codes[name]) > 0]
    if isinstance(metric, Odd):
        assert costs.bounded == (not wide)
    elif not wide:
        assert costs.mergeable
