from __future__ import annotations

from dataclasses import replace

from sfumato.audit.plain_columns import PlainColumns
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.report.cost import Cost, Scale
from sfumato.report.report import Report
from sfumato.report.summary import MOST_SENSITIVE, cost_of, left_of, left_risks, to_whom, warnings_of
from tests.report.releases import book, bucketized, homogeneous, without_group_of


def test_every_attacker_is_named_once():
    report = Report.of_release(book(KAnonymity(k=3), DistinctLDiversity(l=2)))
    assert to_whom(report) == ("An attacker may know all 3 quasi columns of a person: Job, Sex, Age.",)


def test_the_cost_is_told_with_its_scale():
    """Table 2.4: two jobs of four in each group, exact sexes or both, and ages of 30 or of 35 and 38."""
    report = Report.of_release(book())
    said = cost_of(report)
    assert said[0] == "All records are published."
    assert (
        "of the detail was lost (0% means that all values are unchanged, 100% that all records are one group)"
        in said[1]
    )


def test_suppressed_records_are_part_of_the_cost():
    assert cost_of(Report.of_release(without_group_of(3)))[0] == "4 of 7 records are published; 3 (42.9%) are not."
    assert "nothing can be learned" in cost_of(Report.of_release(without_group_of(7)))[1]


def test_a_bucketized_release_costs_links_and_no_detail():
    said = " ".join(cost_of(Report.of_release(bucketized())))
    assert "What is lost is the link" in said
    assert "buckets of 3 records on average" in said
    assert "detail" not in said


def test_columns_that_lost_nothing_are_named():
    report = Report.of_release(homogeneous())
    assert "Columns that lost nothing: Job." in cost_of(report)


def test_being_worse_than_one_group_is_said():
    cost = Cost("ncp", "ncp", 0.7, "lower", (0.0, 1.0), "", scale=Scale(0.0, 0.6))
    assert "Worse than all records as one group by ncp." in cost_of(replace(Report.of_release(book()), costs=(cost,)))


def test_masked_columns_are_named_as_changed_before():
    report = Report.of_release(book())
    masked = replace(report, provenance={"masks": [{"name": "noise", "columns": ["Age"]}]})
    assert "Masks changed Age before; that is not included." in cost_of(masked)


def test_what_is_left_of_table_2_4():
    """Groups of 3 and 4 of seven patients with five combinations; HIV is certain to at most 3 of 4."""
    found = {one.name: (one.before, one.after) for one in left_risks(Report.of_release(book()))}
    assert found["highest chance of finding a record"] == (1.0, 1 / 3)
    assert found["average chance of finding a record"] == (0.715, 2 / 7)
    assert found["records with a chance above 20%"] == (1.0, 1.0)
    assert found["highest confidence in Disease"] == (1.0, 3 / 4)


def test_what_models_limit_comes_first():
    first, *_ = left_risks(Report.of_release(bucketized()))
    assert first.name.startswith("highest confidence in")
    assert left_risks(Report.of_release(book()))[0].name == "highest chance of finding a record"


def test_of_many_sensitive_columns_those_at_highest_risk_are_in_the_summary():
    report = Report.of_release(book())
    (found,) = report.confidences
    many = tuple(replace(found, column=f"s{place}", highest=place / 10) for place in range(MOST_SENSITIVE + 2))
    shown = left_risks(replace(report, confidences=many))
    assert "highest confidence in s5" in {one.name for one in shown}
    assert "highest confidence in s0" not in {one.name for one in shown}
    assert "2 more sensitive columns have no higher confidences; they are listed below." in left_of(
        replace(report, confidences=many)
    )


def test_plain_columns_are_said_to_undo_what_models_promise():
    report = Report.of_release(book(), plain=PlainColumns(("zip", "job"), 3, 7, 1))
    assert any(
        "Somebody who also knows zip, job finds 3 of 7 published records for sure (42.9%)" in one
        for one in left_of(report)
    )


def test_a_warning_is_not_said_twice():
    plain = PlainColumns(("zip",), 3, 7, 1)
    release = book()
    warned = replace(release, provenance={**release.provenance, "warnings": [plain.warning]})
    report = Report.of_release(warned, plain=plain)
    assert len(warnings_of(report)) == len(report.warnings) - 1
