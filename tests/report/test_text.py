from __future__ import annotations

from sfumato.models import KAnonymity
from sfumato.report.report import Report
from sfumato.report.text import draw_text
from tests.report.releases import ATTACKS, NASTY, book, bucketized, nasty


def test_it_says_what_was_promised_found_and_paid():
    drawn = draw_text(Report.of_release(book()), width=200)
    for said in (
        "every model holds",
        "k_anonymity(k=3)",
        "the weakest of 2 groups",
        "discernibility",
        "prosecutor",
        "33.3%",
    ):
        assert said in " ".join(drawn.split())


def test_a_broken_promise_is_shouted():
    assert "A MODEL FAILS" in draw_text(Report.of_release(book(KAnonymity(k=4))))


def test_it_is_plain_text_within_the_width():
    drawn = draw_text(Report.of_release(book()), width=90)
    assert "\x1b" not in drawn
    assert max(len(line) for line in drawn.splitlines()) <= 90


def test_names_in_brackets_are_taken_literally():
    drawn = draw_text(Report.of_release(nasty()), width=200)
    assert "[bold]b" in drawn
    assert "[red]x[/red]" in drawn
    assert NASTY in drawn


def test_the_same_report_gives_the_same_text():
    assert draw_text(Report.of_release(book())) == draw_text(Report.of_release(book()))


def test_people_of_a_bucket_are_not_said_to_look_alike():
    drawn = " ".join(draw_text(Report.of_release(bucketized()), width=200).split())
    assert "How many share a bucket: 3 buckets of 3 to 3 records" in drawn


def test_attacks_are_told_where_there_are_any():
    drawn = " ".join(draw_text(Report.of_release(book(), attacks=ATTACKS), width=200).split())
    assert "one() 7 50% 25% to 75% 20% 10% the secret" in drawn
    assert "two() 7 0% 0% to 40% 10% whose record it is" in drawn
    assert "What attacks achieve" not in draw_text(Report.of_release(book()))
