from __future__ import annotations

import pytest

from sfumato.models import KAnonymity
from sfumato.report.note import homogeneous_share
from sfumato.report.report import Report
from tests.report.releases import book, homogeneous, without_group_of


def texts(release, kind):
    return [note.text for note in Report.of_release(release).notes if note.kind == kind]


def test_a_broken_promise_comes_first():
    assert texts(book(KAnonymity(k=4)), "warning")[0].startswith("The promise k_anonymity(k=4) is broken")


def test_suppressed_records_are_counted():
    assert any(text.startswith("3 of 7 records (42.9%) are left out") for text in texts(without_group_of(3), "warning"))


def test_groups_of_one_sensitive_value_are_warned_of():
    """Engineers (2), dancers (2) and the lawyer each share their disease with their whole group."""
    assert homogeneous_share(homogeneous(), "Disease") == pytest.approx(5 / 7)
    assert any("71.4% of the published records lie in groups" in text for text in texts(homogeneous(), "warning"))


def test_table_2_4_has_no_homogeneous_group():
    assert homogeneous_share(book(), "Disease") == 0
    assert not any("same value" in text for text in texts(book(), "warning"))


def test_a_column_that_says_nothing_is_warned_of():
    assert any(text.startswith("Column 'Sex' has lost 100%") for text in texts(homogeneous(), "warning"))


def test_records_above_the_threshold_are_warned_of():
    assert any("more than 20%" in text for text in texts(book(), "warning"))


def test_unchanged_sensitive_values_are_explained_as_intended():
    assert any("'Disease'" in text and "intended" in text for text in texts(book(), "note"))


def test_an_empty_release_is_homogeneous_nowhere():
    assert homogeneous_share(without_group_of(7), "Disease") == 0
