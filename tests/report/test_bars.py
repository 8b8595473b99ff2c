from __future__ import annotations

import re
from itertools import pairwise
from math import cos, log10, radians, sin
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.report.bars import Bars, Series, ticks
from sfumato.report.svg import ALARM, MUTED, width_of

LONG = "a very long name of a value, which nobody will read to its end"


def bars_of(names, *rows, **settings):
    series = [Series(f"series {number}", f"#00000{number}", values) for number, values in enumerate(rows)]
    written = settings.pop("written", lambda value: f"{value:,.6f}".rstrip("0").rstrip("."))
    return Bars(
        heading="heading",
        description="description",
        names=names,
        series=series,
        title="value",
        tick=written,
        number=written,
        **settings,
    )


def ways(bars):
    return [
        ElementTree.fromstring(drawn)
        for drawn in (bars.vertical(440, 190), bars.vertical(900, 220), bars.horizontal(440))
    ]


def size_of(picture):
    return tuple(float(part) for part in picture.get("viewBox").split()[2:])


def numbers_of(mark, *names):
    return tuple(float(mark.get(name)) for name in names)


def corners_of(mark):
    """All corners of a text with 9 above and 3 below its line, at the width the picture was planned with."""
    x, y = numbers_of(mark, "x", "y")
    wide = width_of(mark.text or "")
    start = {"start": 0.0, "middle": -wide / 2, "end": -wide}[mark.get("text-anchor", "start")]
    found = re.match(r"rotate\((-?[\d.]+)", mark.get("transform", ""))
    turn = radians(float(found[1])) if found else 0.0
    for dx in (start, start + wide):
        for dy in (-9, 3):
            yield x + dx * cos(turn) - dy * sin(turn), y + dx * sin(turn) + dy * cos(turn)


def points_of(picture):
    """Every point that anything drawn reaches."""
    for mark in picture.iter():
        if mark.tag == "text":
            yield from corners_of(mark)
        elif mark.tag == "rect":
            x, y, width, height = numbers_of(mark, "x", "y", "width", "height")
            yield from ((x, y), (x + width, y + height))
        elif mark.tag == "path":
            for x, y, way, end in re.findall(r"M([\d.-]+) ([\d.-]+)([HV])([\d.-]+)", mark.get("d")):
                yield float(x), float(y)
                yield (float(end), float(y)) if way == "H" else (float(x), float(end))


def assert_inside(picture):
    width, height = size_of(picture)
    outside = [(x, y) for x, y in points_of(picture) if not (-0.1 <= x <= width + 0.1 and -0.1 <= y <= height + 0.1)]
    assert outside == []


@given(st.floats(1e-8, 1e15), st.integers(2, 9))
def test_ticks_are_round_and_reach_the_most(most, count):
    found = ticks(most, count)
    step = found[1]
    lead = step / 10 ** round(log10(step) - 0.35)
    assert min(abs(lead - round_one) for round_one in (0.5, 1, 2, 5, 10)) < 1e-6
    assert found[0] == 0
    assert len(found) - 1 <= count
    assert found[-1] >= most * (1 - 1e-8)
    assert found[-2] < most
    assert found == pytest.approx([step * at for at in range(len(found))], rel=1e-6)


def test_ticks_of_counts_are_whole():
    assert ticks(2, 7, min_step=1) == (0, 1, 2)
    assert ticks(0, 7, min_step=1) == (0, 1)


@pytest.mark.parametrize("most", [0.0, -1.0, 5e-324])
def test_there_are_ticks_where_there_is_nothing(most):
    assert ticks(most, 5) == (0, 0.2, 0.4, 0.6, 0.8, 1)


def test_a_sum_a_hair_above_one_needs_no_further_tick():
    assert ticks(1.0000000000000002, 5)[-1] == 1


some_names = st.lists(st.text(max_size=60) | st.just(LONG), max_size=14)
some_value = st.floats(0, 1) | st.integers(0, 10**15) | st.just(0)


@given(some_names, st.integers(1, 2), st.data())
def test_bars_are_as_long_as_their_values_and_nothing_leaves_the_picture(names, many, data):
    rows = [data.draw(st.lists(some_value, min_size=len(names), max_size=len(names))) for _ in range(many)]
    values = [value for row in rows for value in row]
    bars = bars_of(names, *rows, names_title="names", show_numbers=data.draw(st.booleans()))
    for picture, side in zip(ways(bars), ("height", "height", "width"), strict=True):
        assert_inside(picture)
        lengths = [float(mark.get(side)) for mark in picture.iter("rect")]
        assert len(lengths) == len(values)
        longest, largest = max(lengths, default=0), max(values, default=0)
        if largest > 1e-9:
            assert lengths == pytest.approx([longest * value / largest for value in values], abs=0.02)
            assert longest > 60


def test_the_axis_tells_the_length_of_a_bar():
    picture = ElementTree.fromstring(bars_of(["a", "b"], [0.25, 0.5]).horizontal(440))
    half, whole = [float(mark.get("width")) for mark in picture.iter("rect")]
    (left,) = {float(mark.get("x")) for mark in picture.iter("rect")}
    at = {mark.text: float(mark.get("x")) for mark in picture.iter("text") if mark.get("text-anchor") == "middle"}
    assert at["0"] == left
    assert left + whole == pytest.approx(at["0.5"], abs=0.02)
    assert half == pytest.approx(whole / 2, abs=0.01)


def test_bars_of_two_series_stand_side_by_side():
    picture = ElementTree.fromstring(bars_of(["a", "b"], [1, 2], [3, 4]).vertical(440, 190))
    first, second, third, fourth = [numbers_of(mark, "x", "width") for mark in picture.iter("rect")]
    assert first[0] + first[1] == pytest.approx(third[0], abs=0.02)
    assert third[0] + third[1] < second[0]
    assert second[0] + second[1] == pytest.approx(fourth[0], abs=0.02)


def test_bars_of_two_series_lie_below_each_other():
    picture = ElementTree.fromstring(bars_of(["a", "b"], [1, 2], [3, 4]).horizontal(440))
    ends = [(y, y + height) for y, height in (numbers_of(mark, "y", "height") for mark in picture.iter("rect"))]
    assert ends[0][1] == ends[2][0]
    assert ends[2][1] < ends[1][0]
    assert ends[1][1] == ends[3][0]


@pytest.mark.parametrize(("name", "turned"), [("5", False), ("from 2023-01", True)])
def test_names_are_turned_only_where_they_do_not_fit(name, turned):
    picture = ElementTree.fromstring(bars_of([name] * 12, [1] * 12).vertical(440, 190))
    assert [("rotate(-35" in mark.get("transform", "")) for mark in picture.iter("text") if mark.text == name] == [
        turned
    ] * 12


@pytest.mark.parametrize("names", [["5"] * 12, ["711–1,014"] * 5, [LONG] * 2, ["a" * 12] * 4])
def test_names_that_are_not_turned_never_meet(names):
    picture = ElementTree.fromstring(bars_of(names, [1] * len(names)).vertical(440, 190))
    plain = [mark for mark in picture.iter("text") if mark.get("text-anchor") == "middle" and not mark.get("transform")]
    ends = [(float(mark.get("x")), width_of(mark.text) / 2) for mark in plain]
    assert all(x + half < y - other for (x, half), (y, other) in pairwise(ends))


def test_numbers_stand_behind_their_bars():
    picture = ElementTree.fromstring(bars_of(["a", "b"], [0.123, 1], show_numbers=True).horizontal(440))
    ends = [sum(numbers_of(mark, "x", "width")) for mark in picture.iter("rect")]
    behind = {mark.text: float(mark.get("x")) for mark in picture.iter("text") if mark.get("paint-order")}
    assert list(behind) == ["0.123", "1"]
    assert list(behind.values()) == pytest.approx([end + 5 for end in ends], abs=0.02)


def test_the_threshold_is_a_dashed_line_at_its_value():
    picture = ElementTree.fromstring(bars_of(["a"], [0.1], threshold=0.2, most=0.25).horizontal(900))
    (line,) = [mark for mark in picture.iter("path") if mark.get("stroke") == ALARM]
    (place,) = [float(mark.get("x")) for mark in picture.iter("text") if mark.text == "0.2"]
    assert line.get("stroke-dasharray")
    assert float(line.get("d")[1:].split()[0]) == pytest.approx(place, abs=0.5)


def test_a_threshold_beyond_all_bars_is_in_the_picture():
    picture = ElementTree.fromstring(bars_of(["a"], [0.1], threshold=0.9).horizontal(440))
    assert_inside(picture)
    (line,) = [mark for mark in picture.iter("path") if mark.get("stroke") == ALARM]
    ((left, width),) = (numbers_of(bar, "x", "width") for bar in picture.iter("rect"))
    assert float(line.get("d")[1:].split()[0]) == pytest.approx(left + 9 * width, abs=0.5)


def test_a_bar_says_its_number_where_it_is_not_written_behind_it():
    picture = ElementTree.fromstring(bars_of(["a"], [0.1], [0.2]).horizontal(440))
    assert [mark.findtext("title") for mark in picture.iter("rect")] == ["a, series 0: 0.1", "a, series 1: 0.2"]
    assert (
        list(ElementTree.fromstring(bars_of(["a"], [0.1], show_numbers=True).horizontal(440)).iterfind("rect/title"))
        == []
    )


def test_axes_have_titles():
    for picture in ways(bars_of(["a"], [1], names_title="the names")):
        quiet = [mark.text for mark in picture.iter("text") if mark.get("fill") == MUTED]
        assert quiet in (["value"], ["value", "the names"])


def test_nothing_to_draw_still_has_an_axis():
    for picture in ways(bars_of([], [], names_title="names")):
        assert_inside(picture)
        assert "1" in [mark.text for mark in picture.iter("text")]


def test_one_column_is_not_as_wide_as_the_picture():
    (mark,) = ElementTree.fromstring(bars_of(["3"], [7]).vertical(900, 220)).iter("rect")
    assert numbers_of(mark, "width") == (80,)


def test_drawing_twice_gives_the_same_bytes():
    bars = bars_of([LONG, "b"], [1 / 3, 0.1], [0.7, 0.0])
    assert bars.vertical(440, 190) == bars.vertical(440, 190)
    assert bars.horizontal(440) == bars.horizontal(440)
