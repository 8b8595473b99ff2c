from __future__ import annotations

import pytest

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.report.confidence import Confidence
from sfumato.report.report import Report
from tests.report.releases import book, bucketized, without_group_of


def test_table_2_4():
    """Artists: HIV three times and flu once; professionals: hepatitis twice and HIV once. HIV: 4 of 7 patients.

    With job, sex and age of the original, five of the seven guesses of the most frequent value are right: only one
    writer of two has the flu, and everybody else is alone or shares the disease.
    """
    (found,) = Report.of_release(book()).confidences
    assert found.column == "Disease"
    assert found.highest == 3 / 4
    assert found.average == pytest.approx((3 + 2) / 7)
    assert (found.original_highest, found.original_average, found.guess) == (1.0, 0.857, 0.571)


def test_buckets_are_compared_with_the_records_of_the_original():
    (found,) = Report.of_release(bucketized()).confidences
    assert (found.highest, found.average) == (1 / 3, pytest.approx(1 / 3))
    assert found.original_highest == 1.0


def test_persons_are_counted_where_they_have_several_records():
    """Ann has flu twice and gout, Bob flu: all persons of ward A have the flu. Cid and Dee differ."""
    schema = Schema.of(quasi=["ward"], sensitive=["disease"], person="patient")
    rows = {
        "patient": ["ann", "ann", "ann", "bob", "cid", "dee"],
        "ward": ["A", "A", "A", "A", "B", "B"],
        "disease": ["flu", "flu", "gout", "flu", "cold", "gout"],
    }
    table = Table.of_rows(schema, rows)
    groups = Groups.of(table, ["ward"])
    found = Confidence.of(groups, groups, "disease")
    assert (found.highest, found.average, found.guess) == (1.0, 3 / 4, 0.5)


def test_nothing_is_known_from_a_release_without_records():
    (found,) = Report.of_release(without_group_of(7)).confidences
    assert (found.highest, found.average) == (0.0, 0.0)


def test_rounding_is_to_the_safe_side():
    found = Confidence("ill", 0.12341, 0.12341, 1.0, 1.0, 0.5).rounded()
    assert (found.highest, found.average) == (0.124, 0.124)
