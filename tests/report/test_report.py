from __future__ import annotations

import pytest

from sfumato.algorithms.mondrian.mondrian import Mondrian
from sfumato.datasets import hospital
from sfumato.models import KAnonymity
from sfumato.report.report import Report
from tests.report.releases import SECRETS, book, nasty, without_group_of


def test_the_detail_lost_is_that_of_the_certainty_penalty():
    for release in (book(), nasty(), without_group_of(3)):
        report = Report.of_release(release)
        assert report.detail_lost == pytest.approx(report.cost("ncp"), rel=0.005)  # of three digits


def test_table_2_4():
    report = Report.of_release(book())
    assert report.holds
    assert (report.records, report.published_records, report.suppressed_records) == (7, 7, 0)
    assert [(column.name, column.role) for column in report.columns] == [
        ("Job", "quasi"),
        ("Sex", "quasi"),
        ("Age", "quasi"),
        ("Disease", "sensitive"),
    ]
    assert report.risk.prosecutor.highest == 1 / 3
    assert report.homogeneous == {"Disease": 0.0}
    assert report.cost("discernibility") == 25


def test_losses_of_the_columns_average_to_the_ncp():
    report = Report.of_release(book())
    assert sum(column.loss for column in report.quasi) / 3 == pytest.approx(report.cost("ncp"), rel=0.005)


def test_a_broken_promise_makes_the_report_say_so():
    assert not Report.of_release(book(KAnonymity(k=4))).holds


def test_origins_are_readable():
    origins = dict(Report.of_release(book()).origins())
    assert origins == {"algorithm": "by_hand(levels=1, 0, 1)", "seed": "7", "versions": "sfumato 0"}


def test_a_release_offers_its_report():
    release = Mondrian().anonymize(hospital(), KAnonymity(k=3))
    assert release.report().promises[0].described == "k_anonymity(k=3)"


@pytest.mark.parametrize("drawn", ["text", "json", "html"])
def test_no_sensitive_value_is_ever_drawn(drawn):
    page = getattr(Report.of_release(book()), drawn)()
    assert [secret for secret in SECRETS if secret in page] == []
    assert "Professional" in page


@pytest.mark.parametrize("drawn", ["text", "json", "html"])
@pytest.mark.parametrize("release", [without_group_of(3), without_group_of(7), nasty()], ids=["some", "all", "nasty"])
def test_odd_releases_can_be_drawn(release, drawn):
    assert "Release report" in getattr(Report.of_release(release), drawn)()
