from __future__ import annotations

from dataclasses import replace

from sfumato.audit.plain_columns import PlainColumns
from sfumato.models import ConfidenceBounding, DistinctLDiversity, KAnonymity
from sfumato.report.cost import Cost, Scale
from sfumato.report.html import draw_html
from sfumato.report.report import Report
from sfumato.report.summary import (
    MOST_SENSITIVE,
    SHORT,
    attacked_of,
    cost_of,
    in_short,
    left_of,
    left_risks,
    promised,
    to_whom,
    warnings_of,
)
from sfumato.report.text import draw_text
from tests.report.releases import ATTACKS, book, bucketized, homogeneous, visits, without_group_of


def test_attacks_count_records_where_models_count_persons() -> None:
    assert attacked_of(Report.of_release(book(), attacks=ATTACKS)) == ""
    report = Report.of_release(visits(), attacks=ATTACKS)
    said = attacked_of(report)
    assert said.startswith("Models count persons here, attacks count records")
    for drawn in (draw_text(report, width=400), draw_html(report)):
        assert said in " ".join(drawn.split())


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


def test_models_of_one_kind_are_told_together() -> None:
    """Groups of 3 and 4, of which HIV is 1/3 and 3/4, Flu nothing and 1/4, Hepatitis 2/3 and nothing."""
    models = [ConfidenceBounding(h=0.9, value=value) for value in ("HIV", "Flu", "Hepatitis")]
    found = promised(Report.of_release(book(KAnonymity(k=3), *models)))
    assert [len(one.described) for one in found] == [1, 3]
    assert found[0].finding == "Holds: at least 3 is required, and the weakest of 2 groups reaches 3."
    assert found[1].described[0] == "confidence_bounding(h=0.9, value=HIV)"
    assert found[1].finding == "All 3 hold: their weakest groups reach 0.75, 0.25, 0.6667, in this order."


def test_a_model_that_fails_is_told_by_itself() -> None:
    models = [ConfidenceBounding(h=0.5, value=value) for value in ("HIV", "Flu", "Hepatitis")]
    found = promised(Report.of_release(book(*models)))
    assert [(one.holds, len(one.described)) for one in found] == [(False, 1), (True, 1), (False, 1)]


def test_long_texts_end_with_a_sentence_or_a_word() -> None:
    text = "A first sentence. " + "word " * 60 + "end. A last sentence."
    assert in_short(text, 200) == "A first sentence. …"
    assert in_short("word " * 60, 199) == "word " * 38 + "word…"
    assert in_short("word, " * 60, 20) == "word, word, word…"
    assert in_short("x" * 300, 10) == "x" * 9 + "…"


def test_a_warning_that_is_shortened_is_whole_among_the_notes() -> None:
    release = book()
    long = "First words of a warning. " + "More words " * 40 + "and its end."
    page = draw_html(Report.of_release(replace(release, provenance={**release.provenance, "warnings": [long]})))
    assert len(long) > SHORT
    assert '<li class="warning">First words of a warning. …</li>' in page
    assert 'are whole among the <a href="#notes">notes</a>' in page
    assert page.count(long) == 1
    short = replace(release, provenance={**release.provenance, "warnings": ["All is said."]})
    assert "are whole among the" not in draw_html(Report.of_release(short))
