"""By hand: Sex of the patients is Male for 3 of 7 and Female for 4 of 7."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.metrics import NonUniformEntropy
from sfumato.operations.generalize import generalize_groups, generalize_levels

SEX = -3 * log2(3 / 7) - 4 * log2(4 / 7)
JOB = -6 * log2(2 / 7) - log2(1 / 7)
AGE = -4 * log2(4 / 7) - 2 * log2(2 / 7) - log2(1 / 7)


def test_only_sex_at_its_root():
    found = NonUniformEntropy().measure(generalize_levels(hospital(), {"Job": 0, "Sex": 1, "Age": 0}))
    assert found == pytest.approx(SEX / (SEX + JOB + AGE))


def test_job_one_level_up():
    """Professional hides Engineer (2 of 3) and Lawyer (1 of 3); Artist hides two values of equal weight."""
    lost = -2 * log2(2 / 3) - log2(1 / 3) + 4
    found = NonUniformEntropy().measure(generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 0}))
    assert found == pytest.approx(lost / (SEX + JOB + AGE))


def test_nothing_and_everything():
    untouched = generalize_levels(hospital(), {"Job": 0, "Sex": 0, "Age": 0})
    assert NonUniformEntropy().measure(untouched) == 0
    assert NonUniformEntropy().measure(untouched.suppressing(np.ones(6, dtype=bool))) == 1


def test_a_column_of_one_value_has_nothing_to_lose():
    table = Table.of_rows(Schema.of(quasi=["a"]), {"a": ["x", "x"]})
    candidate = generalize_groups(table, Partition.of_labels(np.zeros(1, dtype=np.int32)), sets=True)
    assert NonUniformEntropy().measure(candidate.suppressing(np.ones(1, dtype=bool))) == 0
