from __future__ import annotations

import numpy as np
import pytest

from sfumato.algorithms.microaggregation.embedding import embed
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import DataError
from sfumato.taxonomies import Ordered, Tree

JOBS = Tree(branches={"ANY": {"professional": ["engineer", "lawyer"], "artist": ["dancer", "writer"]}})


def squared(points: np.ndarray, one: int, other: int) -> float:
    return float(((points[one] - points[other]) ** 2).sum())


def test_standardized_numbers_have_mean_0_and_variance_1_over_the_records() -> None:
    table = Table.of_rows(Schema.of(quasi=["x"]), {"x": ["1", "1", "1", "5", "9"]})
    points = embed(table, ["x"], standardize=True)[np.repeat(np.arange(len(table)), table.counts)]
    assert points.mean() == pytest.approx(0)
    assert points.var() == pytest.approx(1)
    raw = embed(table, ["x"], standardize=False)
    assert np.diff(raw[:, 0]).tolist() == [4.0, 4.0]


def test_categories_are_the_nearer_the_lower_they_meet() -> None:
    table = Table.of_rows(
        Schema.of(quasi=["job"], taxonomies={"job": JOBS}), {"job": ["engineer", "lawyer", "dancer", "writer"]}
    )
    points = embed(table, ["job"], standardize=False)
    names = [table.domain("job").texts[code] for code in table.codes["job"]]
    engineer, lawyer, dancer = (names.index(name) for name in ("engineer", "lawyer", "dancer"))
    assert squared(points, engineer, dancer) == pytest.approx(1)
    assert squared(points, engineer, lawyer) == pytest.approx(0.5)


def test_columns_count_alike_when_standardized() -> None:
    """Averaged over all ordered pairs of records, a column of variance 1 contributes 2 to the squared distance."""
    rows = {"x": ["1", "2", "30", "4"], "job": ["a", "b", "c", "a"], "grade": ["low", "high", "low", "mid"]}
    schema = Schema.of(quasi=list(rows), taxonomies={"grade": Ordered(groups=(("low",), ("mid",), ("high",)))})
    table = Table.of_rows(schema, rows)
    for name in rows:
        points = embed(table, [name], standardize=True)
        apart = [squared(points, one, other) for one in range(4) for other in range(4)]
        assert np.mean(apart) == pytest.approx(2)


def test_ordered_categories_lie_on_a_line() -> None:
    schema = Schema.of(quasi=["g"], taxonomies={"g": Ordered(groups=(("low",), ("mid",), ("high",)))})
    table = Table.of_rows(schema, {"g": ["high", "low", "mid"]})
    assert embed(table, ["g"], standardize=False)[:, 0].tolist() == [0.0, 1.0, 2.0]


def test_missing_numbers_are_near_each_other_and_nobody_else() -> None:
    table = Table.of_rows(Schema.of(quasi=["x", "y"]), {"x": ["1", "3", None, None], "y": ["1", "2", "3", "4"]})
    points = embed(table, ["x"], standardize=True)
    missing = np.flatnonzero(table.codes["x"] == 2)
    others = np.flatnonzero(table.codes["x"] < 2)
    assert squared(points, *missing.tolist()) == 0
    assert min(squared(points, missing[0], other) for other in others.tolist()) > 1


def test_many_categories_stay_about_equally_far_apart() -> None:
    table = Table.of_rows(Schema.of(quasi=["zip"], kinds={"zip": "text"}), {"zip": [str(code) for code in range(500)]})
    points = embed(table, ["zip"], standardize=False)
    assert points.shape == (500, 64)
    apart = [
        squared(points, one, other)
        for one, other in np.random.default_rng(1).integers(0, 500, (200, 2))
        if one != other
    ]
    assert np.mean(apart) == pytest.approx(1, rel=0.1)
    assert min(apart) > 0.3


@pytest.mark.parametrize("standardize", [True, False])
def test_numbers_too_large_to_square_are_refused(standardize: bool) -> None:
    """Kernels would compare infinities with each other."""
    table = Table.of_rows(Schema.of(quasi=["x"]), {"x": ["1", "2", "1.7976931348623157e308"]})
    with pytest.raises(DataError, match="'x' has numbers beyond"):
        embed(table, ["x"], standardize=standardize)


def test_a_constant_column_says_nothing() -> None:
    table = Table.of_rows(Schema.of(quasi=["x", "y"]), {"x": ["1", "1"], "y": ["1", "2"]})
    assert embed(table, ["x"], standardize=True).tolist() == [[0.0], [0.0]]
