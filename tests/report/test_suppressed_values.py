from __future__ import annotations

import numpy as np
import pytest

from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.models import KAnonymity
from sfumato.operations.generalize import generalize_groups
from sfumato.report.report import Report
from sfumato.report.suppressed_values import suppressed_values
from tests.report.releases import book, release_of, without_group_of


def release(gone):
    """Eighty records in town and twenty in the country; twelve of the country and eight of the town are left out."""
    homes = ["town"] * 80 + ["country"] * 20
    keys = [f"{place:03}" for place in range(100)]
    table = Table.of_rows(Schema.of(quasi=["home", "key"]), {"home": homes, "key": keys})
    candidate = generalize_groups(table, Partition.of_labels(np.arange(100, dtype=np.int32)), sets=True)
    place = np.array([int(table.domain("key").texts[code]) for code in table.codes["key"]])
    return release_of(candidate.suppressing(np.isin(place, gone)), KAnonymity(k=1))


def test_values_that_are_over_represented_come_first():
    found = suppressed_values(release([*range(8), *range(80, 92)]))
    (country,) = [one for one in found if one.column == "home"]
    assert (country.value, country.share, country.suppressed_share) == ("country", 0.2, 0.6)
    assert country.excess == pytest.approx(0.4)
    assert [one.excess for one in found] == sorted((one.excess for one in found), reverse=True)
    assert "town" not in {one.value for one in found}


def test_values_of_few_records_are_not_shown():
    """Nine suppressed records could be those of few persons, whose values would stand in the report."""
    assert [one for one in suppressed_values(release([*range(80, 89)])) if one.column == "home"] == []


def test_there_is_nothing_to_compare_where_all_or_none_are_suppressed():
    assert suppressed_values(book()) == ()
    assert suppressed_values(without_group_of(7)) == ()


def test_no_value_is_in_the_representation():
    report = Report.of_release(release([*range(8), *range(80, 92)]))
    assert report.suppressed_values
    assert "country" not in repr(report.suppressed_values)
