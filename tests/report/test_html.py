from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from sfumato.models import KAnonymity
from sfumato.report.html import draw_html
from sfumato.report.report import Report
from tests.report.releases import ATTACKS, book, bucketized, nasty, release_of, without_group_of

LOADS = re.compile(
    r"https?:|//[a-z]|\bsrc\s*=|\bhref\s*=|@import|url\((?!#)|<script|<link|<iframe|<object|<embed", re.I
)
VOID = {"meta", "br", "hr", "img"}


class Outline(HTMLParser):
    """Remembers open tags, and what was closed that was not open."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.seen = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def outline(page: str) -> Outline:
    found = Outline()
    found.feed(page)
    return found


@pytest.mark.parametrize("release", [book(), nasty(), without_group_of(3), without_group_of(7)])
def test_the_page_loads_nothing(release):
    assert LOADS.findall(draw_html(Report.of_release(release))) == []


@pytest.mark.parametrize("release", [book(), nasty(), without_group_of(7)])
def test_every_tag_is_closed(release):
    found = outline(draw_html(Report.of_release(release)))
    assert (found.open, found.wrong) == ([], [])


def test_every_picture_is_there_and_has_a_text():
    pictures = [attrs for tag, attrs in outline(draw_html(Report.of_release(book()))).seen if tag == "svg"]
    assert len(pictures) == 2 * 3 + 3, "the wide ones once more for narrow screens"
    assert all(attrs["role"] == "img" and attrs["aria-label"] for attrs in pictures)


def test_a_picture_that_is_drawn_twice_is_shown_once():
    page = draw_html(Report.of_release(book()))
    assert ".narrow { display: none; }" in page
    assert "@media screen and (max-width: 720px) { .wide { display: none; } .narrow { display: block; } }" in page
    assert page.count('<div class="wide">') == page.count('<div class="narrow">') == 3


def test_there_are_no_ids_that_could_meet():
    assert [tag for tag, attrs in outline(draw_html(Report.of_release(book()))).seen if "id" in attrs] == []


def test_the_verdict_stands_at_the_top():
    assert "Every privacy model holds" in draw_html(Report.of_release(book()))
    broken = draw_html(Report.of_release(book(KAnonymity(k=4))))
    assert "A privacy model fails: do not publish" in broken
    assert "Every privacy model holds" not in broken


def test_a_release_without_models_does_not_claim_to_keep_any():
    page = draw_html(Report.of_release(release_of(book().candidate)))
    assert "No privacy model was required" in page
    assert "Every privacy model holds" not in page


def test_the_page_says_what_a_number_means():
    page = " ".join(draw_html(Report.of_release(book())).split())
    for said in ("records that agree", "highest probability of re-identification", "Knows a person", "detail lost"):
        assert said in page


def test_people_of_a_bucket_are_not_said_to_look_alike():
    page = " ".join(draw_html(Report.of_release(bucketized())).split())
    assert "records share a bucket, at least" in page
    assert "were generalized" not in page
    assert "look alike</h2>" not in page
    assert "persons share a bucket" not in draw_html(Report.of_release(book()))


def test_attacks_are_told_with_a_picture_where_there_are_any():
    page = draw_html(Report.of_release(book(), attacks=ATTACKS))
    found = outline(page)
    assert (found.open, found.wrong) == ([], [])
    assert LOADS.findall(page) == []
    for said in ("What attacks achieve", "one()", "50%", "25% to 75%", "20%", "10%", "whose record it is", "–"):
        assert said in page
    assert len([tag for tag, _ in found.seen if tag == "svg"]) == 2 * 4 + 3
    assert "What attacks achieve" not in draw_html(Report.of_release(book()))
