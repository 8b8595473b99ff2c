"""Figures: what is written, that all are found, and small ones measured on real records."""

from __future__ import annotations

import csv
import json
from xml.etree import ElementTree

import pytest
from benchmarks.figures.__main__ import found, write_json
from benchmarks.figures.data_sets import adult, crx
from benchmarks.figures.figure import Claim, Figure
from benchmarks.figures.masked_errors import MaskedErrors, near, worst
from benchmarks.figures.plot import Scale, round_numbers
from benchmarks.figures.tdr_7 import walk
from benchmarks.figures.tdr_8 import pair, requirements
from benchmarks.figures.tdr_10 import university_apart
from benchmarks.figures.top_n import ranking

from sfumato.datasets.adult_trees import BRANCHES

SVG = "{http://www.w3.org/2000/svg}"
COLUMNS = tuple(f"c{place}" for place in range(14))


@pytest.fixture
def crx_here(data_folder):
    if not (data_folder / "crx").is_dir():
        pytest.skip("the CRX file is not here")
    return crx()


def drawn(**given):
    lines = {"BE": [(20, 14.7), (1000, 14.7)], "AE <k>": [(20, 15.0), (100, 15.5), (1000, 17.25)]}
    claims = [Claim("BE is 14.7 %", "14.77 %", True), Claim("AE is low", "17.25 %", False)]
    return Figure("some", "Some & more", "k", "error, %", lines, claims, **given)


def marks(folder, name, kind):
    return list(ElementTree.parse(folder / f"{name}.svg").getroot().iter(f"{SVG}{kind}"))


def test_points_are_written_in_long_form(tmp_path):
    drawn().write(tmp_path / "deep" / "er")
    written = (tmp_path / "deep" / "er" / "some.csv").read_text(encoding="utf-8")
    rows = list(csv.reader(written.splitlines()))
    assert rows[0] == ["line", "x", "y"]
    assert rows[1:3] == [["BE", "20", "14.7"], ["BE", "1000", "14.7"]]
    assert rows[3:] == [["AE <k>", "20", "15.0"], ["AE <k>", "100", "15.5"], ["AE <k>", "1000", "17.25"]]


@pytest.mark.parametrize("spacing", ["scale", "log", "even"])
def test_the_picture_is_whole_and_loads_nothing(tmp_path, spacing):
    drawn(spacing=spacing).write(tmp_path)
    words = [mark.text for mark in marks(tmp_path, "some", "text")]
    assert {"Some & more", "k", "error, %", "BE", "AE <k>", "1,000"} <= set(words)
    assert "href" not in (tmp_path / "some.svg").read_text(encoding="utf-8")
    dots = [float(mark.get("cx")) for mark in marks(tmp_path, "some", "circle")]
    assert len(dots) == 5 + 2  # points, and a sample of each line
    assert all(0 <= x <= 760 for x in dots)


def test_even_spacing_puts_every_x_as_far_from_the_next(tmp_path):
    drawn(spacing="even").write(tmp_path)
    first, second, third = (float(mark.get("cx")) for mark in marks(tmp_path, "some", "circle")[2:5])
    assert third - second == pytest.approx(second - first, abs=0.02)


def test_higher_values_lie_higher(tmp_path):
    drawn().write(tmp_path)
    heights = [float(mark.get("cy")) for mark in marks(tmp_path, "some", "circle")[2:5]]
    assert heights == sorted(heights, reverse=True)


def test_points_are_not_joined_but_guides_are(tmp_path):
    drawn(drawn="points").write(tmp_path)
    without = len(marks(tmp_path, "some", "path"))
    drawn(drawn="points", guides=("BE",)).write(tmp_path)
    assert len(marks(tmp_path, "some", "path")) == without + 2  # the line and its sample
    assert len(marks(tmp_path, "some", "circle")) == 3 + 1


def test_names_stand_in_for_numbers(tmp_path):
    drawn(x_names={20: "few", 100: "some", 1000: "many"}).write(tmp_path)
    assert {"few", "some", "many"} <= {mark.text for mark in marks(tmp_path, "some", "text")}


@pytest.mark.parametrize(("low", "high"), [(14.7, 21.5), (0, 0), (3, 3), (-2, 0), (0.01, 0.012), (20, 1000)])
def test_ticks_are_round_and_reach_around_all_values(low, high):
    at = round_numbers(low, high, 8)
    assert at[0] <= low
    assert at[-1] >= high
    assert 2 <= len(at) <= 10


def test_places_between_known_ones_are_in_proportion():
    scale = Scale([], [(0.0, 0.0), (10.0, 0.5), (20.0, 1.0)])
    assert [scale.place(value) for value in (0, 5, 10, 15, 20)] == [0, 0.25, 0.5, 0.75, 1]


def test_claims_are_written_as_data(tmp_path):
    write_json([drawn(notes="a note")], tmp_path / "claims.json")
    (told,) = json.loads((tmp_path / "claims.json").read_text(encoding="utf-8"))["figures"]
    assert (told["name"], told["notes"]) == ("some", "a note")
    assert [claim["agrees"] for claim in told["claims"]] == [True, False]


def test_every_figure_is_found():
    assert {"top_n", "tdr_5", "tdr_6", "tdr_7", "tdr_8", "tdr_9", "tdr_10"} <= found().keys()
    assert not {"figure", "plot", "data_sets", "masked_errors", "__main__"} & found().keys()


def test_a_printed_number_is_met_within_its_tolerance():
    assert near("BE is 14.7 %", 14.7, 14.95, 0.3).agrees
    assert not near("BE is 14.7 %", 14.7, 14.3, 0.3).agrees
    assert near("BE is 14.7 %", 14.7, 14.77, 0.3).measured.startswith("14.77 % (+0.07")


def test_where_masking_costs_most():
    errors = [(20, 15.0), (60, 16.5), (600, 18.0)]
    assert worst(errors, 14.5) == (600, 3.5)
    assert worst(errors, 14.5, upto=300) == (60, 2.0)


def test_a_tree_is_walked_around():
    assert walk([], 0, 8) == [(4, 0)]
    assert walk([4, 2], 0, 8) == [(4, 0), (2, -1), (1, -2), (2, -1), (3, -2), (2, -1), (4, 0), (6, -1), (4, 0)]


def test_requirements_are_drawn_as_the_paper_says():
    drawn = requirements(COLUMNS, count=200, seed=1)
    assert {len(one.quasi) for one in drawn} <= set(range(1, 8))
    assert {len(one.quasi) for one in drawn} >= set(range(3, 8))
    assert {len(quasi) for one in drawn for quasi in one.quasi} == set(range(2, 10))
    for one in drawn:
        assert len({len(quasi) for quasi in one.quasi}) == 1
        assert len(set(one.quasi)) == len(one.quasi)
        assert set(one.united) == {name for quasi in one.quasi for name in quasi}
        assert all(len(set(quasi)) == len(quasi) for quasi in one.quasi)
    assert requirements(COLUMNS, seed=1) == requirements(COLUMNS, seed=1)


def test_the_other_tree_of_education_has_the_same_leaves():
    def leaves(branches):
        inner = branches.items() if isinstance(branches, dict) else ((name, []) for name in branches)
        return [leaf for name, below in inner for leaf in (leaves(below) or [name])]

    apart = university_apart().branches
    assert sorted(leaves(apart)) == sorted(leaves(BRANCHES["education"]))
    (top,) = apart.values()
    assert sorted(leaves(top["University"])) == ["Bachelors", "Doctorate", "Masters", "Prof-school"]


def test_the_best_columns_of_crx_are_those_of_the_paper(crx_here):
    assert ranking(crx_here, 8) == ["A9", "A11", "A10", "A8", "A15", "A7", "A14", "A6"]


def test_crx_rises_where_its_best_column_can_no_longer_be_shown(crx_here):
    """A9 parts 304 records from 349. BE 15.96 and UE 43.09; AE is BE up to k = 300 and UE at k = 400."""
    errors = MaskedErrors(crx_here, crx_here.top[:7])
    assert errors.baseline == pytest.approx(15.96, abs=0.006)
    assert errors.upper == pytest.approx(43.09, abs=0.006)
    assert [error for _, error in errors.masked((60, 300, 400))] == pytest.approx([15.96, 15.96, 43.09], abs=0.006)


def test_one_quasi_identifier_alone_is_its_own_union(data_folder):
    """With a single quasi-identifier both requirements are the same, and so are the errors."""
    if not (data_folder / "adult").is_dir():
        pytest.skip("the Adult files are not here")
    data = adult()
    one = type(requirements(COLUMNS)[0])((("marital-status", "education-num"),))
    several, united = pair(data, one, {})
    assert several == united
