from __future__ import annotations

import numpy as np
import pytest

from sfumato.datasets import hospital
from sfumato.metrics import Ncp
from sfumato.operations.generalize import generalize_levels


def at(job: int, sex: int, age: int):
    return generalize_levels(hospital(), {"Job": job, "Sex": sex, "Age": age})


def test_identity_costs_nothing():
    assert Ncp().measure(at(0, 0, 0)) == 0


def test_one_level_up_by_hand():
    """B2 to B4: Job covers 2 of 4 values; Age spans 35 to 38 of 30 to 38 for three records and 30 alone for four."""
    found = Ncp().per_column(at(1, 0, 1))
    assert found == pytest.approx({"Job": 1 / 3, "Sex": 0, "Age": (3 / 7) * (3 / 8)})
    assert Ncp().measure(at(1, 0, 1)) == pytest.approx((1 / 3 + (3 / 7) * (3 / 8)) / 3)


def test_a_suppressed_record_costs_1_in_every_cell():
    candidate = at(0, 0, 0)
    engineers = candidate.published.codes["Job"] == candidate.published.codes["Job"][0]
    share = candidate.published.counts[engineers].sum() / 7
    assert Ncp().measure(candidate.suppressing(engineers)) == pytest.approx(share)


def test_per_cell_has_one_price_a_published_row():
    candidate = at(1, 1, 2).suppressing(np.arange(6) == 0)
    cells = Ncp().per_cell(candidate)
    assert {name: prices.tolist() for name, prices in cells.items()} == {
        "Job": [1.0, *[pytest.approx(1 / 3)] * 5],
        "Sex": [1.0] * 6,
        "Age": [1.0] * 6,
    }


def test_weights_shift_the_mean():
    """Only Sex at its root: a third of the cells, or all of them when nothing else counts."""
    assert Ncp().measure(at(0, 1, 0)) == pytest.approx(1 / 3)
    assert Ncp(weights={"Job": 0, "Age": 0}).measure(at(0, 1, 0)) == 1
    assert Ncp(weights={"Sex": 2}).measure(at(0, 1, 0)) == pytest.approx(2 / 4)
