"""Goldens: G1 and B11 (book, section 4.1.1)."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.datasets.hospital import JOBS
from sfumato.metrics import MinimalDistortion
from sfumato.operations.generalize import generalize_levels


@pytest.mark.parametrize(("levels", "cost"), [((0, 0, 0), 0), ((1, 0, 1), 14), ((2, 1, 2), 35)])
def test_lattice_of_the_patients(levels, cost):
    candidate = generalize_levels(hospital(), dict(zip(("Job", "Sex", "Age"), levels, strict=True)))
    assert MinimalDistortion().measure(candidate) == cost


@pytest.mark.parametrize(("level", "cost"), [(1, 10), (2, 20)])
def test_ten_engineers(level, cost):
    """The book's example: ten Engineers to Professional cost 10, on to ANY_Job 10 more."""
    table = Table.of_rows(Schema.of(quasi=["Job"], taxonomies={"Job": JOBS}), {"Job": ["Engineer"] * 10 + ["Lawyer"]})
    engineers = table.rows_where(table.codes["Job"] == table.domain("Job").texts.index("Engineer"))
    assert MinimalDistortion().measure(generalize_levels(engineers, {"Job": level})) == cost


def test_a_suppressed_record_goes_to_every_root():
    everything = generalize_levels(hospital(), {"Job": 0, "Sex": 0, "Age": 0}).suppressing(np.ones(6, dtype=bool))
    assert MinimalDistortion().measure(everything) == 35
