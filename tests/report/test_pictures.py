from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sfumato.errors import UsageError
from sfumato.report.pictures import distribution_picture, group_sizes_picture, loss_picture, risk_picture
from sfumato.report.report import Report
from tests.report.releases import book, nasty

pytest.importorskip("altair", reason="the report extra is not installed")
pytest.importorskip("vl_convert", reason="the report extra is not installed")

ROOT = Path(__file__).parents[2]
DRAW = """
from sfumato.report.report import Report
from tests.report.releases import book
import sys
sys.stdout.write(Report.of_release(book()).html())
"""


@pytest.mark.parametrize("draw", [group_sizes_picture, loss_picture, risk_picture])
def test_a_picture_is_one_svg_with_a_text_for_who_cannot_see_it(draw):
    drawn = draw(Report.of_release(book()))
    assert drawn.startswith('<svg role="img" aria-label="Bar chart of')
    assert drawn.count("<svg") == drawn.count("</svg>") == 1
    assert "http" not in drawn
    assert "viewBox" in drawn


def test_the_risk_is_told_in_words():
    drawn = risk_picture(Report.of_release(book()))
    assert "prosecutor, worst case 33.3%" in drawn
    assert "Threshold 20%" in drawn


def test_drawing_twice_gives_the_same_picture():
    report = Report.of_release(book())
    assert group_sizes_picture(report) == group_sizes_picture(report)


def test_ids_of_two_pictures_never_meet():
    columns = Report.of_release(book()).quasi
    ids = [re.findall(r'\bid="([^"]+)"', distribution_picture(c, c.distribution, n)) for n, c in enumerate(columns)]
    used = [name for found in ids for name in found]
    assert len(used) == len(set(used))


def test_names_are_text_and_nothing_else():
    column = Report.of_release(nasty()).quasi[0]
    assert "<script" not in distribution_picture(column, column.distribution, 0)


def test_fresh_processes_draw_the_same_bytes():
    def drawn(seed: str) -> bytes:
        command = [sys.executable, "-W", "error", "-c", DRAW]
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True).stdout

    assert drawn("1") == drawn("2") == Report.of_release(book()).html().encode()


def test_without_altair_the_way_out_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(UsageError, match=r"pip install sfumato\[report\]"):
        loss_picture(Report.of_release(book()))
