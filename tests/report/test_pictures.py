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
    AFTER,
    BEFORE,
    attacks_picture,
    distribution_picture,
    group_sizes_picture,
    loss_picture,
    risk_picture,
)
from sfumato.report.published_column import Distribution
from sfumato.report.report import Report
from sfumato.report.svg import INK
from tests.report.releases import ATTACKS, book, homogeneous, nasty, without_group_of

ROOT = Path(__file__).parents[2]
DRAW = """
from sfumato.report.report import Report
from tests.report.releases import book
import sys
sys.stdout.buffer.write(Report.of_release(book()).html().encode())
"""
WHOLE = [group_sizes_picture, loss_picture, risk_picture]


def pictures_of(drawn: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(found) for found in re.findall(r"<svg.*?</svg>", drawn)]


def drawn_of(column, **changes):
    return distribution_picture(column, replace(column.distribution, **changes))


def column_of(release, name):
    return next(column for column in Report.of_release(release).quasi if column.name == name)


@pytest.mark.parametrize("draw", WHOLE)
def test_a_picture_is_drawn_wide_and_narrow_with_a_text_for_who_cannot_see_it(draw):
    drawn = draw(Report.of_release(book()))
    wide, narrow = pictures_of(drawn)
    assert wide.get("viewBox").startswith("0 0 900 ")
    assert narrow.get("viewBox").startswith("0 0 440 ")
    assert wide.get("aria-label") == narrow.get("aria-label")
    assert wide.get("aria-label").startswith("Bar chart of")
    assert "http" not in drawn


def test_the_risk_is_told_in_words():
    drawn = risk_picture(Report.of_release(book()))
    assert "prosecutor, worst case 33.3%" in drawn
    assert "Threshold 20%" in drawn


def test_group_sizes_are_those_of_the_book():
    """Table 2.4 of the book: one group of 3 records and one of 4."""
    picture = pictures_of(group_sizes_picture(Report.of_release(book())))[0]
    assert [title.text for title in picture.iter("title")] == ["3, records: 3", "4, records: 4"]
    low, high = [float(mark.get("height")) for mark in picture.iter("rect")]
    assert low / high == pytest.approx(3 / 4, abs=0.001)


@pytest.mark.parametrize("draw", WHOLE)
@pytest.mark.parametrize("release", [book(), homogeneous(), nasty(), without_group_of(3), without_group_of(7)])
def test_there_is_a_picture_of_every_release(draw, release):
    for picture in pictures_of(draw(Report.of_release(release))):
        texts = "".join(picture.itertext()) + picture.get("aria-label") + picture.get("viewBox")
        assert not re.search(r"\b(nan|inf|None)\b", texts)


def test_before_and_after_have_the_colours_of_the_key():
    column = column_of(book(), "Age")
    (picture,) = pictures_of(distribution_picture(column, column.distribution))
    places = len(column.distribution.places)
    assert [mark.get("fill") for mark in picture.iter("rect")] == [BEFORE] * places + [AFTER] * places


def test_ordered_columns_stand_and_others_lie():
    column = column_of(book(), "Age")
    stands, lies = (pictures_of(drawn_of(column, ordered=ordered))[0] for ordered in (True, False))
    assert len({mark.get("width") for mark in stands.iter("rect")}) == 1
    assert len({mark.get("height") for mark in lies.iter("rect")}) == 1


def test_rarer_values_are_told_but_not_drawn():
    found = Distribution(("a", "b", "9 others"), (0.3, 0.2, 0.5), (0.3, 0.3, 0.4), False, 9, (), 0)
    drawn = distribution_picture(column_of(book(), "Job"), found)
    assert "others" not in drawn
    assert drawn.count("<rect") == 4


def test_ticks_of_small_shares_say_where_they_stand():
    found = Distribution(("a", "b"), (0.000004, 0.00001), (0.00001, 0.000004), True, 0, (), 0)
    (picture,) = pictures_of(distribution_picture(column_of(book(), "Age"), found))
    shown = [mark.text for mark in picture.iter("text") if mark.text.endswith("%")]
    assert shown == ["0%", "0.0002%", "0.0004%", "0.0006%", "0.0008%", "0.001%"]


def test_drawing_twice_gives_the_same_picture():
    report = Report.of_release(book())
    assert group_sizes_picture(report) == group_sizes_picture(report)


def test_names_are_text_and_nothing_else():
    report = Report.of_release(nasty())
    drawn = loss_picture(report) + "".join(drawn_of(column) for column in report.quasi)
    assert "<script" not in drawn
    assert len(pictures_of(drawn)) == 4


def test_fresh_processes_draw_the_same_bytes():
    def drawn(seed: str) -> bytes:
        command = [sys.executable, "-W", "error", "-c", DRAW]
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True).stdout

    assert drawn("1") == drawn("2") == Report.of_release(book()).html().encode()


def test_attacks_have_a_bar_a_baseline_and_an_interval():
    drawn = attacks_picture(Report.of_release(book(), attacks=ATTACKS))
    wide, narrow = pictures_of(drawn)
    assert wide.get("aria-label") == "Bar chart of the success rates of attacks: one() 50%; two() 0%."
    assert narrow.get("viewBox").startswith("0 0 440 ")
    rate, _, baseline, _ = [float(mark.get("width")) for mark in wide.iter("rect")]
    assert rate / baseline == pytest.approx(0.5 / 0.2, abs=0.01)
    left = float(next(wide.iter("rect")).get("x"))
    steps = [path.get("d") for path in wide.iter("path") if path.get("stroke") == INK]
    assert len(steps) == 2
    low, high = map(float, re.match(r"M([\d.]+) [\d.]+H([\d.]+)", steps[0]).groups())
    assert ((low - left) / rate, (high - left) / rate) == pytest.approx((0.5, 1.5), abs=0.01)
