from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.errors import ParameterError, TaxonomyError
from sfumato.taxonomies import Intervals
from sfumato.taxonomies.taxonomy import interval_bounds

IN_PLANS = [
    ({"intervals": [0, 20, 40, 60]}, Intervals(breaks=(0, 20, 40, 60))),
    ({"width": 5}, Intervals(width=5)),
    ({"width": 0.5}, Intervals(width=0.5)),
    ({"quantiles": 4}, Intervals(quantiles=4)),
]
NUMBERS = st.one_of(
    st.integers(-1000, 1000).map(float),
    st.integers(-1000, 1000).map(lambda tenths: tenths / 10),
    st.floats(-1e9, 1e9, allow_subnormal=False),
)
WIDTHS = st.one_of(
    st.integers(1, 100), st.sampled_from([0.1, 0.2, 0.3, 0.7, 0.01, 1.1, 2.5, 1e-3]), st.floats(1e-3, 1e6)
)


def rows(builder: Intervals, *values: float | str) -> list[list[str]]:
    return builder.grow(Domain.of("x", [str(value) for value in values])[0])[0].level_rows()


def bounds_of(label: str) -> tuple[float, bool, float, bool]:
    found = interval_bounds(label, Kind.NUMBER)
    assert found is not None, label
    return found


def check_labels(found: list[list[str]]) -> None:
    """Every label contains its value, and lies inside the label above it."""
    for value, *labels, root in found:
        outer = (float(value), True, float(value), True)
        for label in labels:
            low, low_in, high, high_in = bounds_of(label)
            assert low < float(value) < high or (low_in and low == float(value)) or (high_in and high == float(value))
            assert low <= outer[0]
            assert outer[2] <= high
            assert low_in
            outer = low, low_in, high, high_in
        assert root == "*"


def test_breaks() -> None:
    assert rows(Intervals(breaks=[0, 20, 40, 60]), 0, 19.5, 20, 40, 60) == [
        ["0", "[0, 20)", "[0, 40)", "[0, 60]", "*"],
        ["19.5", "[0, 20)", "[0, 40)", "[0, 60]", "*"],
        ["20", "[20, 40)", "[0, 40)", "[0, 60]", "*"],
        ["40", "[40, 60]", "[40, 60]", "[0, 60]", "*"],
        ["60", "[40, 60]", "[40, 60]", "[0, 60]", "*"],
    ]


def test_one_interval() -> None:
    assert rows(Intervals(breaks=(0, 1)), 0, 1) == [["0", "[0, 1]", "*"], ["1", "[0, 1]", "*"]]


def test_width_is_aligned_and_doubles() -> None:
    assert rows(Intervals(width=5), 17, 20, 39) == [
        ["17", "[15, 20)", "[10, 20)", "[0, 20)", "[0, 40)", "*"],
        ["20", "[20, 25)", "[20, 30)", "[20, 40)", "[0, 40)", "*"],
        ["39", "[35, 40)", "[30, 40)", "[20, 40)", "[0, 40)", "*"],
    ]


def test_the_two_sides_of_zero_join_last() -> None:
    assert rows(Intervals(width=10), -5, 0, 15) == [
        ["-5", "[-10, 0)", "[-20, 0)", "[-20, 20)", "*"],
        ["0", "[0, 10)", "[0, 20)", "[-20, 20)", "*"],
        ["15", "[10, 20)", "[0, 20)", "[-20, 20)", "*"],
    ]


@pytest.mark.parametrize(
    ("value", "label"),
    [(0.3, "[0.3, 0.4)"), (0.6, "[0.6, 0.7)"), (0.7, "[0.7, 0.8)"), (-0.3, "[-0.3, -0.2)"), (0.29, "[0.2, 0.3)")],
)
def test_tenths_lie_in_the_interval_whose_label_says_so(value: float, label: str) -> None:
    """0.3 // 0.1 is 2 in floats; 0.1 is counted as written."""
    assert rows(Intervals(width=0.1), value)[0][1] == label


def test_quantiles_break_at_values() -> None:
    assert [row[1] for row in rows(Intervals(quantiles=2), 1, 2, 10, 1000)] == ["[1, 10)", "[1, 10)"] + [
        "[10, 1000]"
    ] * 2
    assert rows(Intervals(quantiles=4), 1, 2) == [["1", "[1, 2]", "*"], ["2", "[1, 2]", "*"]]
    assert rows(Intervals(quantiles=4), 7) == [["7", "*"]]


@given(st.lists(NUMBERS, min_size=2, max_size=8, unique=True), st.data())
def test_breaks_contain_their_values_at_every_boundary(breaks: list[float], data: st.DataObject) -> None:
    breaks = sorted(breaks)
    inner = data.draw(st.lists(st.floats(breaks[0], breaks[-1]), max_size=6))
    found = rows(Intervals(breaks=tuple(breaks)), *breaks, *inner)
    check_labels(found)
    starts = {bounds_of(row[1])[0] for row in found}
    assert starts == set(breaks[:-1])
    assert len({row[-2] for row in found}) == 1


@given(st.lists(NUMBERS, min_size=1, max_size=8), WIDTHS)
@example([0.3, 0.6, 0.7, 0.8, 0.9], 0.1)
@example([-0.1, 0.1, -0.3], 0.1)
@example([0.6000000000000001], 0.30000000000000004)
def test_width_contains_its_values_at_every_boundary(values: list[float], width: float) -> None:
    edges = [float(width) * place for place in (-3, -1, 0, 1, 3, 7)]
    found = rows(Intervals(width=width), *values, *edges)
    check_labels(found)
    assert len({row[-2] for row in found}) == 1
    for _, first, *_ in found:
        low, _, high, _ = bounds_of(first)
        assert high - low == pytest.approx(width, rel=1e-3, abs=4 * abs(high) * 2**-52)
        assert low / width == pytest.approx(round(low / width), rel=1e-12, abs=1e-9)


@given(st.lists(st.integers(-10_000, 10_000), min_size=1, max_size=8), st.integers(1, 500))
def test_width_agrees_with_whole_number_division(values: list[int], width: int) -> None:
    for value, first, *_ in rows(Intervals(width=width), *values):
        start = int(value) // width * width
        assert first == f"[{start}, {start + width})"


@given(st.lists(NUMBERS, min_size=1, max_size=20), st.integers(2, 9))
def test_quantiles_contain_their_values(values: list[float], count: int) -> None:
    found = rows(Intervals(quantiles=count), *values)
    check_labels(found)
    distinct = {float(row[0]) for row in found}
    for _, *labels, _ in found:
        for label in labels:
            assert {bounds_of(label)[0], bounds_of(label)[2]} <= distinct
    assert len({row[1] for row in found}) <= count


def test_values_outside_the_breaks_are_listed() -> None:
    with pytest.raises(TaxonomyError, match=r"reach from 0 to 60 and do not cover 2 values: '-1', '60.5'"):
        rows(Intervals(breaks=(0, 30, 60)), -1, 5, 60.5)


@pytest.mark.parametrize(("values", "way_out"), [(["a"], "a tree"), (["2020-01-01"], "dates = true")])
def test_other_kinds_are_refused(values: list[str], way_out: str) -> None:
    with pytest.raises(TaxonomyError, match=rf"column 'x' holds (text|date) values, .*{way_out}"):
        rows(Intervals(width=1), *values)


def test_a_width_lost_in_rounding_is_refused() -> None:
    with pytest.raises(TaxonomyError, match=r"intervals of width 0.1 do not fit the values of 'x'"):
        rows(Intervals(width=0.1), 1e17)
    with pytest.raises(TaxonomyError, match="do not fit"):
        rows(Intervals(width=1e308), 1.7e308)


def test_missing_values_do_not_count() -> None:
    domain, _ = Domain.of("x", ["1", None])
    for builder in (Intervals(width=5), Intervals(breaks=(0, 5)), Intervals(quantiles=2)):
        last = builder.grow(domain)[0].level_rows()[-1]
        assert last == ["missing"] * (len(last) - 1) + ["*"]
    nothing, _ = Domain.of("x", [None], kind=Kind.NUMBER)
    for builder in (Intervals(width=5), Intervals(breaks=(0, 5)), Intervals(quantiles=2)):
        assert builder.grow(nothing)[0].level_rows()[0][-1] == "*"


@pytest.mark.parametrize("given_settings", [{}, {"width": 5, "quantiles": 4}, {"breaks": (0, 1), "width": 1}])
def test_exactly_one_setting(given_settings: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="takes exactly one of breaks, width, quantiles; got"):
        Intervals(**given_settings)


@pytest.mark.parametrize(
    "breaks", [(), (1,), (1, 1), (2, 1), (0, inf), (nan, 1), (10**400, 10**401), (2**53, 2**53 + 1)]
)
def test_breaks_must_ascend(breaks: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError, match="'breaks' of Intervals must be"):
        Intervals(breaks=breaks)


@pytest.mark.parametrize("width", [0, -1, inf, nan, True, "5"])
def test_width_must_be_a_finite_number_above_zero(width: object) -> None:
    with pytest.raises(ParameterError, match="'width' of Intervals must be"):
        Intervals(width=width)  # type: ignore[arg-type]


@pytest.mark.parametrize("quantiles", [1, 2.0, True])
def test_quantiles_must_be_a_whole_number(quantiles: object) -> None:
    with pytest.raises(ParameterError, match="'quantiles' of Intervals must be int >= 2; got"):
        Intervals(quantiles=quantiles)  # type: ignore[arg-type]
