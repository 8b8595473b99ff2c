from __future__ import annotations

import numpy as np
import pytest

from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.metrics import Precision
from sfumato.operations.generalize import generalize_groups, generalize_levels


@pytest.mark.parametrize(
    ("levels", "precision"),
    [((0, 0, 0), 1), ((2, 1, 2), 0), ((1, 0, 1), 1 - (1 / 2 + 0 + 1 / 2) / 3), ((0, 1, 0), 2 / 3)],
)
def test_by_hand(levels, precision):
    """Heights are 2, 1 and 2, so a step of Job or Age is half the way and a step of Sex all of it."""
    candidate = generalize_levels(hospital(), dict(zip(("Job", "Sex", "Age"), levels, strict=True)))
    assert Precision().measure(candidate) == pytest.approx(precision)


def test_a_suppressed_record_has_no_precision():
    candidate = generalize_levels(hospital(), {"Job": 0, "Sex": 0, "Age": 0})
    lawyers = candidate.published.codes["Job"] == candidate.original.domain("Job").texts.index("Lawyer")
    assert Precision().measure(candidate.suppressing(lawyers)) == pytest.approx(6 / 7)


def test_without_a_taxonomy_a_cell_is_exact_or_not():
    table = Table.of_rows(Schema.of(quasi=["a"]), {"a": ["x", "y", "z", "z"]})
    candidate = generalize_groups(table, Partition.of_labels(np.array([0, 0, 1], dtype=np.int32)), sets=True)
    assert Precision().measure(candidate) == pytest.approx(2 / 4)


def test_higher_is_better():
    assert Precision.better == "higher"
