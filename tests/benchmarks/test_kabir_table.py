"""Tables of losses: printed rows beside measured ones, what is said of P-S, and both figures on a few points."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.figures import kabir_table
from benchmarks.figures.__main__ import found
from benchmarks.figures.kabir_methods import METHODS, READINGS
from benchmarks.figures.kabir_table import BOUND, IMPROVED, MDAV, as_line, figures_of, half, row_claim, to_the_digit
from benchmarks.figures.kabir_table import unreachable as bounded

ROW = "16.9326 - 22.4617 33.1923"


def line(*heights):
    return list(zip(kabir_table.SIZES, heights, strict=True))


def test_every_table_is_found_and_what_they_share_is_not():
    assert {"kabir_table_6_1", "kabir_table_6_2", "kabir_table_6_3"} <= found().keys()
    assert not {"kabir_table", "kabir_methods", "kabir_clustering", "kabir_microdata"} & found().keys()


def test_sizes_without_a_printed_figure_are_left_out():
    assert as_line(ROW) == [(3, 16.9326), (5, 22.4617), (10, 33.1923)]


@pytest.mark.parametrize(
    ("figure", "measured", "same"),
    [("5.692186279", 5.6921862794, True), ("5.69", 5.694, True), ("5.69", 5.696, False), ("17.10", 17.2, False)],
)
def test_a_figure_is_met_to_as_many_digits_as_it_has(figure, measured, same):
    assert to_the_digit(figure, measured) is same


def test_a_row_agrees_within_a_hundredth():
    exact = row_claim("MDAV", ROW, line(16.93262, 99.0, 22.46171, 33.19229))
    assert exact.agrees
    assert exact.said == "MDAV 16.9326 / - / 22.4617 / 33.1923"
    assert exact.measured == "16.9326 / 99.0000 / 22.4617 / 33.1923 (to the last digit)"
    near, far = (row_claim("MDAV", ROW, line(16.9326, 0.0, 22.4617, 33.1923 * way)) for way in (0.992, 1.012))
    assert (near.agrees, far.agrees) == (True, False)
    assert near.measured.endswith("(up to 0.8 % off)")
    assert far.measured.endswith("(up to 1.2 % off)")


def test_half_is_judged_against_the_least_of_the_others_at_every_size():
    others = [line(10.0, 20.0, 30.0, 40.0), as_line("12 - 20 30")]
    less = half("as printed", line(4.0, 9.0, 9.0, 14.0), others)
    assert less.agrees
    assert less.measured == "as printed: 40 / 45 / 45 / 47 % of the least of the others"
    assert not half("as printed", line(4.0, 9.0, 9.0, 15.0), others).agrees


def test_what_is_below_the_bound_is_reached_by_no_partition():
    assert bounded("5 6 7 8", [4.9, 6.0, 6.9, 7.9]).agrees
    assert not bounded("5 6 7 8", [4.9, 6.0, 6.9, 8.1]).agrees


@pytest.fixture(scope="module")
def made():
    points = np.random.default_rng(1).normal(size=(60, 3)) * [1, 10, 100]
    printed = {"MDAV-1": "10 20 30 50", "TFRP-1": "10 - 30 50", "P-S": "0.1 0.1 0.1 0.1"}
    return figures_of("x", "made up", points, printed, elsewhere={"TFRP-1": points[:, :2]}, notes="So.", seconds=0.01)


def test_all_ways_are_lines_in_both_figures(made):
    assert [figure.name for figure in made] == ["kabir_table_x", "kabir_table_x_raw"]
    for figure in made:
        assert {*METHODS, *READINGS, MDAV, IMPROVED, BOUND, "P-S, printed"} <= figure.lines.keys()
        assert all([k for k, _ in line] == [3, 4, 5, 10] for line in figure.lines.values())
    assert made[0].notes.endswith("So.")
    assert made[0].lines["TFRP-1"] != made[0].lines["TFRP-1, columns of its row"]


def test_no_way_is_below_the_bound_and_search_is_never_above_its_start(made):
    for figure in made:
        bound = dict(figure.lines[BOUND])
        for name in {*METHODS, *READINGS, MDAV, IMPROVED}:
            assert all(0 < bound[k] <= y <= 100 for k, y in figure.lines[name])
        assert all(y <= dict(figure.lines[MDAV])[k] for k, y in figure.lines[IMPROVED])


def test_claims_on_equal_footing_are_made_of_both_scales(made):
    scaled, raw = ([claim.measured for claim in figure.claims if "half" in claim.said] for figure in made)
    assert [told.split(":")[0] for told in scaled] == [
        "P-S by centroid, all standardized",
        "P-S by seed, all standardized",
        "as printed",
    ]
    assert [told.split(":")[0] for told in raw] == ["P-S by centroid, all raw", "P-S by seed, all raw"]
    (beside,) = (claim for claim in made[0].claims if "beside rows of standardized columns" in claim.said)
    assert not beside.agrees
