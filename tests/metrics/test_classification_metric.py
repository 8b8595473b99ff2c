"""Goldens: Table 6.2, the two runs of section 6.3.1.2 and Table 7.2 of the book, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.datasets import hospital
from sfumato.errors import SchemaError
from sfumato.metrics import ClassificationMetric
from sfumato.operations.generalize import generalize_levels
from tests.golden import workers
from tests.metrics import printed


@pytest.mark.parametrize(
    ("groups", "share"), [(printed.RED_CROSS, 1 / 11), (printed.BY_GAIN, 4 / 40), (printed.BY_SCORE, 0)]
)
def test_printed_tables(groups, share):
    candidate = printed.candidate(groups)
    assert ClassificationMetric().measure(candidate) == pytest.approx(share)


def test_table_7_2():
    table = workers.workers()
    assert ClassificationMetric().measure(workers.table_7_2(table)) == pytest.approx((0 + 2 + 1 + 2 + 0) / 34)


def test_a_suppressed_record_costs_1_even_where_its_class_was_plain():
    """Table 7.2 without the eight of Grad School, all of one class."""
    table = workers.workers()
    candidate = workers.table_7_2(table)
    labels = candidate.published.domains["Education"]
    school = candidate.published.codes["Education"] == labels.texts.index("Grad School")
    assert ClassificationMetric().measure(candidate.suppressing(school)) == pytest.approx((5 + 8) / 34)


def test_everything_suppressed_costs_1():
    candidate = printed.candidate(printed.BY_SCORE)
    nothing = candidate.suppressing(np.ones(len(candidate.published), dtype=bool))
    assert ClassificationMetric().measure(nothing) == 1


def test_the_target_is_named_or_the_only_one():
    candidate = printed.candidate(printed.RED_CROSS)
    assert ClassificationMetric(target="class").measure(candidate) == pytest.approx(1 / 11)
    with pytest.raises(SchemaError, match="did you mean 'class'"):
        ClassificationMetric(target="clas").measure(candidate)
    with pytest.raises(SchemaError, match="name the target column"):
        ClassificationMetric().measure(generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1}))
