from __future__ import annotations

from dataclasses import fields

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sfumato.errors import DataError, ParameterError, SchemaError, UsageError
from sfumato.evaluation.clusterers import KMeans
from sfumato.evaluation.workloads.agreement import match_point
from sfumato.evaluation.workloads.drbt import Drbt, DrbtResult
from sfumato.evaluation.workloads.stress import stress

NAMES = [f"x{number}" for number in range(12)]


def people(rows: int = 150) -> pd.DataFrame:
    """Three kinds of people in twelve measurements on very different scales, and who they are."""
    random = np.random.default_rng(11)
    kinds = np.arange(rows) % 3
    points = random.normal(size=(rows, 12)) + 8 * random.normal(size=(3, 12))[kinds]
    frame = pd.DataFrame(points * 10.0 ** np.arange(-3, 9), columns=NAMES, index=[f"r{row}" for row in range(rows)])
    return frame.assign(name=[f"person {row}" for row in range(rows)], kind=kinds)


def standardized(frame: pd.DataFrame) -> np.ndarray:
    points = frame[NAMES].to_numpy()
    return (points - points.mean(axis=0)) / points.std(axis=0)


@pytest.mark.parametrize("matrix", ["gaussian", "sparse"])
def test_only_mixtures_are_published_in_row_order(matrix):
    frame = people()
    before = frame.copy()
    found = Drbt(dimensions=4, matrix=matrix, seed=1).transform(frame, NAMES)
    assert list(found.frame.columns) == ["c1", "c2", "c3", "c4"]
    assert list(found.frame.index) == list(frame.index)
    assert found.frame.dtypes.eq("float64").all()
    pd.testing.assert_frame_equal(frame, before)
    assert found.stress == pytest.approx(stress(standardized(frame), found.frame.to_numpy()))


def test_clusters_are_found_again():
    frame = people()
    found = Drbt(dimensions=6, seed=2).transform(frame, NAMES).frame.to_numpy()
    clusters = KMeans(clusters=3).labels(found)
    assert match_point(frame["kind"].to_numpy(), clusters) == 1


def test_a_seed_gives_the_same_columns_and_none_others_each_time():
    frame = people()
    one, two = (Drbt(dimensions=3, seed=5).transform(frame, NAMES).frame for _ in range(2))
    pd.testing.assert_frame_equal(one, two)
    other, another = (Drbt(dimensions=3).transform(frame, NAMES).frame for _ in range(2))
    assert not np.allclose(other, another)
    assert not np.allclose(one, other)


def test_more_dimensions_change_distances_less():
    frame = people()
    mean = [np.mean([Drbt(dimensions=r, seed=s).transform(frame, NAMES).stress for s in range(15)]) for r in (1, 4, 11)]
    assert mean[0] > mean[1] > mean[2]


def test_scales_do_not_matter_and_constants_say_nothing():
    frame = people()
    plain = Drbt(dimensions=3, seed=5).transform(frame, NAMES).frame
    scaled = Drbt(dimensions=3, seed=5).transform(frame.assign(x0=frame["x0"] * 1000 + 4), NAMES).frame
    np.testing.assert_allclose(plain, scaled)
    constant = frame.assign(x0=0.1)
    assert np.isfinite(Drbt(dimensions=3, seed=5).transform(constant, NAMES).frame.to_numpy()).all()


def test_the_same_kind_of_frame_comes_back():
    frame = people()[NAMES]
    expected = Drbt(dimensions=2, seed=3).transform(frame, NAMES).frame.to_numpy()
    arrow, polars = pa.Table.from_pandas(frame, preserve_index=False), pl.from_pandas(frame)
    for given, kind in ((arrow, pa.Table), (polars, pl.DataFrame)):
        found = Drbt(dimensions=2, seed=3).transform(given, NAMES).frame
        assert isinstance(found, kind)
        np.testing.assert_allclose(np.column_stack([found["c1"].to_numpy(), found["c2"].to_numpy()]), expected)


def test_neither_the_matrix_nor_the_seed_is_handed_out():
    drbt = Drbt(dimensions=2, seed=987654)
    assert [item.name for item in fields(DrbtResult)] == ["frame", "stress"]
    assert "987654" not in f"{drbt!r} {drbt} {drbt.to_dict()}"
    with pytest.raises(ParameterError) as refused:
        Drbt(dimensions=2, seed=-987654)
    assert "987654" not in str(refused.value)


@pytest.mark.parametrize("dimensions", [12, 13])
def test_as_many_dimensions_as_columns_would_hide_nothing(dimensions):
    with pytest.raises(UsageError, match="fewer dimensions"):
        Drbt(dimensions=dimensions).transform(people(), NAMES)


def test_what_is_no_number_or_missing_is_refused_without_showing_it():
    frame = people(6)
    with pytest.raises(DataError, match="'name' holds") as refused:
        Drbt(dimensions=1).transform(frame, ["x0", "name"])
    assert "person" not in str(refused.value)
    for gone in (np.nan, np.inf):
        holed = frame.assign(x1=[gone, *frame["x1"][1:]])
        with pytest.raises(DataError, match="in 1 of 6 records"):
            Drbt(dimensions=1).transform(holed, ["x0", "x1"])
    with pytest.raises(SchemaError, match="did you mean 'x1'"):
        Drbt(dimensions=1).transform(frame, ["x0", "x1_"])
    with pytest.raises(DataError, match="at least two records"):
        Drbt(dimensions=1).transform(frame[:1], ["x0", "x1"])


def test_columns_are_a_list_of_different_names():
    with pytest.raises(UsageError, match="different names"):
        Drbt(dimensions=1).transform(people(6), ["x0", "x0"])
    with pytest.raises(UsageError, match="a text"):
        Drbt(dimensions=1).transform(people(6), "ab")
    with pytest.raises(ParameterError, match="'dimensions'"):
        Drbt(dimensions=0)
