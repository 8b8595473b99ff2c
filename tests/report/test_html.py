from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.models import KAnonymity
from sfumato.operations.generalize import generalize_groups
from sfumato.report.html import draw_html
from sfumato.report.report import Report
from tests.report.releases import ATTACKS, book, bucketized, nasty, release_of, without_group_of

LOADS = re.compile(
    r"https?:|//[a-z]|\bsrc\s*=|\bhref\s*=\s*\"[^#]|@import|url\((?!#)|<script|<link|<iframe|<object|<embed", re.I
)
RELEASES = [book(), nasty(), bucketized(), without_group_of(3), without_group_of(7)]
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
    page = draw_html(Report.of_release(book()))
    pictures = [attrs for tag, attrs in outline(page).seen if tag == "svg"]
    assert len(pictures) == 1 + 2 * 5 + 3, "the scale, the wide ones once more for narrow screens, and the columns"
    assert all(attrs["role"] == "img" for attrs in pictures)
    assert len(re.findall(r"<svg [^>]*><title>[^<]+</title><desc>[^<]+</desc>", page)) == len(pictures)


def test_a_picture_that_is_drawn_twice_is_shown_once():
    page = draw_html(Report.of_release(book()))
    assert ".narrow { display: none; }" in page
    assert "@media screen and (max-width: 720px) { .wide { display: none; } .narrow { display: block; } }" in page
    assert page.count('<div class="wide">') == page.count('<div class="narrow">') == 5


@pytest.mark.parametrize("release", RELEASES)
def test_ids_are_of_the_page_alone_and_links_lead_to_them(release):
    seen = outline(draw_html(Report.of_release(release, attacks=ATTACKS))).seen
    ids = [attrs["id"] for _, attrs in seen if "id" in attrs]
    assert len(set(ids)) == len(ids)
    named = {attrs["href"].removeprefix("#") for _, attrs in seen if "href" in attrs}
    named |= {attrs["aria-labelledby"] for _, attrs in seen if "aria-labelledby" in attrs}
    assert named <= set(ids)
    assert len(named) > 10


@pytest.mark.parametrize("release", RELEASES)
def test_the_page_obeys_its_own_strict_policy(release):
    """No style attribute, no script, and one style element with the hash that the policy names."""
    page = draw_html(Report.of_release(release, attacks=ATTACKS))
    seen = outline(page).seen
    assert [(tag, name) for tag, attrs in seen for name in attrs if name == "style" or name.startswith("on")] == []
    tags = [tag for tag, _ in seen]
    assert ("script" in tags, tags.count("style"), "link" in tags) == (False, 1, False)
    (policy,) = [attrs["content"] for tag, attrs in seen if attrs.get("http-equiv") == "Content-Security-Policy"]
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = b64encode(sha256(style.encode("utf-8")).digest()).decode("ascii")
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "unsafe" not in policy


@pytest.mark.parametrize("release", RELEASES)
def test_headings_descend_one_level_at_a_time(release):
    levels = [
        int(tag[1]) for tag, _ in outline(draw_html(Report.of_release(release))).seen if re.fullmatch("h[1-6]", tag)
    ]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(new - old <= 1 for old, new in pairwise(levels))


@pytest.mark.parametrize("release", RELEASES)
def test_tables_are_named_and_their_heads_have_a_scope(release):
    page = draw_html(Report.of_release(release, attacks=ATTACKS))
    seen = outline(page).seen
    assert page.count("<table>") == page.count("<caption>") > 3
    assert all(attrs.get("scope") in ("row", "col") for tag, attrs in seen if tag == "th")
    scrolling = [attrs for _, attrs in seen if attrs.get("class") == "scroll"]
    assert all(attrs["tabindex"] == "0" and attrs["role"] == "group" and attrs["aria-label"] for attrs in scrolling)
    labels = [attrs["aria-label"] for attrs in scrolling]
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("release", RELEASES)
def test_every_row_of_a_table_has_a_cell_below_each_head(release):
    page = draw_html(Report.of_release(release, attacks=ATTACKS))
    tables = re.findall(r"<table>(.*?)</table>", page, re.DOTALL)
    below = 0
    for table in tables:
        head, *rows = [width_of(row) for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)]
        assert set(rows) <= {head}
        below += len(rows)
    assert len(tables) == page.count("<table") == page.count("<thead>")
    assert page.count("<tr") == len(tables) + below > 2 * len(tables)
    assert "rowspan" not in page


def width_of(row: str) -> int:
    """How many columns the cells of a row fill."""
    cells = re.findall(r"<t[hd]([^>]*)>", row)
    return sum(int(found[1]) if (found := re.search(r'colspan="(\d+)"', cell)) else 1 for cell in cells)


def test_the_summary_has_what_was_promised_what_it_cost_and_what_is_left():
    """Table 2.4 of the book: groups of 3 and 4 of seven patients, who had 5 combinations of job, sex and age."""
    page = " ".join(draw_html(Report.of_release(book())).split())
    summary = re.sub(r"<svg.*?</svg>|<[^>]+>", " ", page[page.index('id="summary"') : page.index('id="models"')])
    said = " ".join(summary.split())
    for part in (
        "What was promised k_anonymity(k=3)",
        "Against whom An attacker may know all 3 quasi columns of a person: Job, Sex, Age.",
        "What it cost All records are published.",
        "highest chance of finding a record 100% 33.3%",
        "average chance of finding a record 71.5% 28.6%",
        "records with a chance above 20% 100% 100%",
        "Warnings 100% of the published records can be re-identified with a probability above 20%",
    ):
        assert part in said


def test_many_columns_are_limited_and_counted():
    page = " ".join(draw_html(Report.of_release(wide())).split())
    assert "Shown are the 24 columns whose distributions moved most; 36 more columns are left out." in page
    assert "20 more columns lost no more than these" in page
    assert page.count('<div class="pair">') == 24
    assert len(page.encode()) < 300_000


def test_no_sentence_and_no_name_can_fill_the_page():
    page = draw_html(Report.of_release(wide(name="n" * 3000)))
    assert len(page.encode()) < 300_000
    assert "n" * 1001 not in page


def wide(name="column"):
    """Sixty columns with long names; two groups of two records."""
    names = [f"{name} {place:02}" for place in range(60)]
    rows = {one: [str(place % 3), str(place % 5), str(place % 7 + 9), "4"] for place, one in enumerate(names)}
    table = Table.of_rows(Schema.of(quasi=names), rows)
    groups = Partition.of_labels(np.array([0, 0, 1, 1], dtype=np.int32))
    return release_of(generalize_groups(table, groups, sets=False), KAnonymity(k=2))


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
    for said in ("records that agree", "highest chance of finding a record", "Knows a person", "detail lost"):
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
    assert len([tag for tag, _ in found.seen if tag == "svg"]) == 1 + 2 * 6 + 3
    assert "What attacks achieve" not in draw_html(Report.of_release(book()))
