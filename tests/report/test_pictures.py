from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sfumato.report.pictures import (
    MOST_BARS,
    attacks_picture,
    confidence_picture,
    distribution_picture,
    group_sizes_picture,
    loss_picture,
    pictures_of,
    risk_bands_picture,
    risk_picture,
    scale_picture,
    suppressed_picture,
)
from sfumato.report.published_column import Distribution
from sfumato.report.report import Report
from sfumato.report.suppressed_values import SuppressedValue
from sfumato.report.svg import AFTER, BEFORE, INK
from tests.report.releases import ATTACKS, book, bucketized, homogeneous, nasty, without_group_of

ROOT = Path(__file__).parents[2]
DRAW = """
from sfumato.report.report import Report
from tests.report.releases import book
import sys
sys.stdout.buffer.write(Report.of_release(book()).html().encode())
"""
WHOLE = [group_sizes_picture, loss_picture, risk_picture, risk_bands_picture]


def parsed(drawn) -> list[ElementTree.Element]:
    """The pictures of one drawing, wide and narrow, or of some markup."""
    text = drawn if isinstance(drawn, str) else "".join(drawn)
    return [ElementTree.fromstring(found) for found in re.findall(r"<svg.*?</svg>", text)]


def words_of(picture):
    return picture.findtext("title"), picture.findtext("desc")


def tooltips_of(picture):
    return [mark.findtext("title") for mark in picture.iter("rect")]


def drawn_of(column, **changes):
    return distribution_picture(column, replace(column.distribution, **changes))


def column_of(release, name):
    return next(column for column in Report.of_release(release).quasi if column.name == name)


@pytest.mark.parametrize("draw", WHOLE)
def test_a_picture_is_drawn_wide_and_narrow_with_a_text_for_who_cannot_see_it(draw):
    drawn = draw(Report.of_release(book()))
    wide, narrow = parsed(drawn)
    assert wide.get("viewBox").startswith("0 0 900 ")
    assert narrow.get("viewBox").startswith("0 0 340 ")
    assert words_of(wide) == words_of(narrow)
    assert wide.findtext("title")
    assert wide.findtext("desc").startswith("Bar chart of")
    assert "http" not in drawn.wide + drawn.narrow


def test_the_risk_is_told_in_words():
    """The seven patients have five combinations of job, sex and age; 5 / 7 is 71.43 %, rounded up to three digits."""
    said = parsed(risk_picture(Report.of_release(book())))[0].findtext("desc")
    assert "Original: prosecutor, worst 100%; prosecutor, average 71.5%" in said
    assert "release: prosecutor, worst 33.3%; prosecutor, average 28.6%" in said
    assert "Threshold 20%" in said


def test_group_sizes_are_those_of_the_book():
    """Table 2.4 of the book: one group of 3 records and one of 4."""
    picture = parsed(group_sizes_picture(Report.of_release(book())))[0]
    assert tooltips_of(picture) == ["3, records: 3", "4, records: 4"]
    low, high = [float(mark.get("height")) for mark in picture.iter("rect")]
    assert low / high == pytest.approx(3 / 4, abs=0.001)


@pytest.mark.parametrize("draw", WHOLE)
@pytest.mark.parametrize("release", [book(), homogeneous(), nasty(), without_group_of(3), without_group_of(7)])
def test_there_is_a_picture_of_every_release(draw, release):
    for picture in parsed(draw(Report.of_release(release))):
        texts = "".join(picture.itertext()) + picture.get("viewBox")
        assert not re.search(r"\b(nan|inf|None)\b", texts)


def test_before_and_after_have_the_colours_of_the_key():
    column = column_of(book(), "Age")
    (picture,) = parsed(distribution_picture(column, column.distribution))
    places = len(column.distribution.places)
    assert [mark.get("fill") for mark in picture.iter("rect")] == [BEFORE] * places + [AFTER] * places


def test_ordered_columns_stand_and_others_lie():
    column = column_of(book(), "Age")
    stands, lies = (parsed(drawn_of(column, ordered=ordered))[0] for ordered in (True, False))
    assert len({mark.get("width") for mark in stands.iter("rect")}) == 1
    assert len({mark.get("height") for mark in lies.iter("rect")}) == 1


def test_rarer_values_are_told_but_not_drawn():
    found = Distribution(("a", "b", "9 others"), (0.3, 0.2, 0.5), (0.3, 0.3, 0.4), False, 9, (), 0)
    drawn = distribution_picture(column_of(book(), "Job"), found)
    assert "others" not in drawn
    assert drawn.count("<rect") == 4


def test_ticks_of_small_shares_say_where_they_stand():
    found = Distribution(("a", "b"), (0.000004, 0.00001), (0.00001, 0.000004), True, 0, (), 0)
    (picture,) = parsed(distribution_picture(column_of(book(), "Age"), found))
    shown = [mark.text for mark in picture.iter("text") if mark.text.endswith("%")]
    assert shown == ["0%", "0.0002%", "0.0004%", "0.0006%", "0.0008%", "0.001%"]


def test_drawing_twice_gives_the_same_picture():
    report = Report.of_release(book())
    assert group_sizes_picture(report) == group_sizes_picture(report)


def test_names_are_text_and_nothing_else():
    report = Report.of_release(nasty())
    drawn = "".join(loss_picture(report)) + "".join(drawn_of(column) for column in report.quasi)
    assert "<script" not in drawn
    assert len(parsed(drawn)) == 4


def test_fresh_processes_draw_the_same_bytes():
    def drawn(seed: str) -> bytes:
        command = [sys.executable, "-W", "error", "-c", DRAW]
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True).stdout

    assert drawn("1") == drawn("2") == Report.of_release(book()).html().encode()


def test_attacks_have_a_bar_a_baseline_and_an_interval():
    drawn = attacks_picture(Report.of_release(book(), attacks=ATTACKS))
    wide, narrow = parsed(drawn)
    assert wide.findtext("desc") == "Bar chart of the success rates of attacks: one() 50%; two() 0%."
    assert narrow.get("viewBox").startswith("0 0 340 ")
    rate, _, baseline, _ = [float(mark.get("width")) for mark in wide.iter("rect")]
    assert rate / baseline == pytest.approx(0.5 / 0.2, abs=0.01)
    left = float(next(wide.iter("rect")).get("x"))
    steps = [path.get("d") for path in wide.iter("path") if path.get("stroke") == INK]
    assert len(steps) == 2
    low, high = map(float, re.match(r"M([\d.]+) [\d.]+H([\d.]+)", steps[0]).groups())
    assert ((low - left) / rate, (high - left) / rate) == pytest.approx((0.5, 1.5), abs=0.01)


def test_the_risk_before_and_after_is_that_of_the_book():
    """Three of the seven patients are alone and two pairs are alike; groups of 3 and 4 are one band."""
    picture = parsed(risk_bands_picture(Report.of_release(book())))[0]
    before, after = tooltips_of(picture)[:3], tooltips_of(picture)[7:10]
    assert before == ["1 (100%), original: 42.9%", "2 (50%), original: 57.1%", "3–4 (25–33%), original: 0%"]
    assert after == ["1 (100%), release: 0%", "2 (50%), release: 0%", "3–4 (25–33%), release: 100%"]


def test_confidence_is_drawn_where_there_are_sensitive_columns():
    """Nine patients in three buckets of three different diseases."""
    release = bucketized()
    (name,) = release.original.schema.sensitive
    said = parsed(confidence_picture(Report.of_release(release)))[0].findtext("desc")
    assert said.endswith(f"release: {name}, highest 33.3%; {name}, average 33.3%.")
    assert confidence_picture(replace(Report.of_release(book()), confidences=())) is None


def test_values_that_suppression_hit_are_drawn_beside_all_records():
    report = replace(Report.of_release(book()), suppressed_values=(SuppressedValue("Age", "35 to 40", 0.1, 0.6),))
    said = parsed(suppressed_picture(report))[0].findtext("desc")
    assert said == "Bar chart of values that are over-represented among suppressed records: Age: 35 to 40 60%."
    assert suppressed_picture(Report.of_release(book())) is None


def test_the_scale_runs_from_unchanged_to_one_group():
    report = Report.of_release(book())
    (bar,) = parsed(scale_picture(report))[0].iter("rect")
    whole = [
        float(mark.get("x")) for mark in parsed(scale_picture(report))[0].iter("text") if mark.text in ("0%", "100%")
    ]
    assert float(bar.get("width")) / (whole[1] - whole[0]) == pytest.approx(report.detail_lost, abs=0.001)
    assert scale_picture(Report.of_release(bucketized())) is None


def test_of_many_columns_those_that_lost_most_are_drawn():
    report = Report.of_release(book())
    (first, *_) = report.quasi
    many = tuple(replace(first, name=f"column {place}", loss=place / 100) for place in range(MOST_BARS + 5))
    drawn = parsed(loss_picture(replace(report, columns=many)))[0]
    names = [mark.text for mark in drawn.iter("text") if (mark.text or "").startswith("column")]
    assert names == [f"column {place}" for place in range(5, MOST_BARS + 5)]


def test_pictures_can_be_used_alone():
    report = Report.of_release(book(), attacks=ATTACKS)
    drawn = report.pictures()
    assert drawn == pictures_of(report)
    assert list(drawn) == [
        "scale", "group_sizes", "risk", "risk_bands", "confidence", "attacks", "loss",
        "column Job", "column Sex", "column Age",
    ]  # fmt: skip
    for picture in drawn.values():
        root = ElementTree.fromstring(picture)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert "style" not in picture
