from __future__ import annotations

from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Mdav
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import ParameterError
from sfumato.models import KAnonymity
from sfumato.operations.microaggregate import microaggregate
from sfumato.recodings.recoding import Recoding
from sfumato.taxonomies import Ordered

GROUPS = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)


def told(table: Table, parts: list[tuple[list[str], np.ndarray]], **how: object) -> dict[str, list[str | None]]:
    """What every record publishes, in the order of the rows."""
    row = np.repeat(np.arange(len(table)), table.counts)
    candidate = microaggregate(table, row, parts, **how)  # type: ignore[arg-type]
    order = np.repeat(np.argsort(candidate.origin, kind="stable"), 1)
    published = candidate.published
    return {
        name: [labels.texts[code] for code in published.codes[name][order]]
        for name, labels in candidate.recoding.labels.items()
    }


def ages(values: list[str | None]) -> Table:
    return Table.of_rows(Schema.of(quasi=["age"], kinds={"age": "number"}), {"age": values})


def test_every_record_of_a_group_publishes_its_mean_or_median() -> None:
    table = ages(["20", "21", "28", "40", "45", "47"])
    assert told(table, [(["age"], GROUPS)])["age"] == ["23"] * 3 + ["44"] * 3
    assert told(table, [(["age"], GROUPS)], centroid="median")["age"] == ["21"] * 3 + ["45"] * 3
    assert told(table, [(["age"], GROUPS)], centroid=np.max)["age"] == ["28"] * 3 + ["47"] * 3


def test_an_unknown_centroid_is_refused() -> None:
    with pytest.raises(ParameterError, match="geometric_mean"):
        microaggregate(ages(["1", "2"]), np.arange(2), [(["age"], np.zeros(2, dtype=np.int32))], centroid="middle")


def test_a_value_is_missing_where_half_of_the_group_miss_it() -> None:
    table = ages(["20", "22", "40", None, None])
    runs = np.array([0, 1, 2, 3, 3])
    groups = np.array([0, 0, 1, 0, 1], dtype=np.int32)
    candidate = microaggregate(table, runs, [(["age"], groups)])
    labels = candidate.recoding.labels["age"]
    assert sorted(labels.texts, key=str) == ["21", None]
    assert np.isnan(labels.numbers[labels.texts.index(None)])  # type: ignore[index]


def test_dates_publish_a_day() -> None:
    days = [f"2020-01-0{day}" for day in (1, 2, 6)]
    table = Table.of_rows(Schema.of(quasi=["born"]), {"born": days})
    assert told(table, [(["born"], np.zeros(3, dtype=np.int32))])["born"] == ["2020-01-03"] * 3


def test_categories_publish_the_commonest_and_ordered_ones_the_middle() -> None:
    schema = Schema.of(quasi=["job", "grade"], taxonomies={"grade": Ordered(groups=(("low",), ("mid",), ("high",)))})
    rows = {"job": ["a", "a", "b", "c", "c"], "grade": ["low", "low", "mid", "high", "high"]}
    table = Table.of_rows(schema, rows)
    row = np.repeat(np.arange(len(table)), table.counts)
    candidate = microaggregate(table, row, [(["job", "grade"], np.zeros(5, dtype=np.int32))])
    assert candidate.recoding.labels["job"].texts == ("a",)
    assert candidate.recoding.labels["grade"].texts == ("mid",)
    assert candidate.recoding.labels["job"].covers(0).tolist() == [0, 1, 2]


def test_columns_of_different_parts_are_grouped_apart() -> None:
    table = Table.of_rows(Schema.of(quasi=["x", "y"]), {"x": ["1", "2", "3", "4"], "y": ["1", "9", "2", "10"]})
    parts = [(["x"], np.array([0, 0, 1, 1], dtype=np.int32)), (["y"], np.array([0, 1, 0, 1], dtype=np.int32))]
    assert told(table, parts) == {"x": ["1.5", "1.5", "3.5", "3.5"], "y": ["1.5", "9.5", "1.5", "9.5"]}


def test_a_median_that_is_the_least_value_is_not_taken_for_the_original() -> None:
    """All labels are then written like the first value they stand for, and yet they are no originals."""
    frame = pd.DataFrame({"x": [1, 1, 1, 2], "other": list("abcd")})
    table = Table.from_frame(frame, Schema.of(quasi=["x"]))
    release = Mdav(centroid="median").anonymize(table, KAnonymity(k=4))
    assert release.frame()["x"].tolist() == [1, 1, 1, 1]
    assert release.frame()["other"].tolist() == list("abcd")


@pytest.mark.parametrize(("values", "kind"), [([1, 2, 4, 9], pa.float64()), ([1, 3, 5, 9], pa.int64())])
def test_numbers_stay_numbers(values: list[int], kind: pa.DataType) -> None:
    table = Table.from_frame(pa.table({"x": values}), Schema.of(quasi=["x"]))
    found = Mdav().anonymize(table, KAnonymity(k=2)).frame()
    assert found["x"].type == kind
    assert found["x"].to_pylist() == [sum(values[:2]) / 2] * 2 + [sum(values[2:]) / 2] * 2


def test_days_stay_days() -> None:
    frame = pa.table({"born": [date(2000, 1, 1), date(2000, 1, 3), date(2001, 5, 1), date(2001, 5, 2)]})
    found = Mdav().anonymize(Table.from_frame(frame, Schema.of(quasi=["born"])), KAnonymity(k=2)).frame()
    assert found["born"].type == pa.date32()
    assert found["born"].to_pylist()[:2] == [date(2000, 1, 2)] * 2


def test_moments_of_a_time_zone_stay_in_it() -> None:
    kind = pa.timestamp("us", tz="Europe/Rome")
    moments = [datetime(2024, 1, day, 10, tzinfo=UTC) for day in (1, 3, 11, 13)]
    frame = pa.table({"t": pa.array(moments, kind)})
    found = Mdav().anonymize(Table.from_frame(frame, Schema.of(quasi=["t"])), KAnonymity(k=2)).frame()
    assert found["t"].type.tz is not None
    assert found["t"].to_pylist()[0] == datetime(2024, 1, 2, 10, tzinfo=UTC)


@pytest.mark.parametrize("values", [[1700000000123, 1700000000127], [1.525675566447526, 1.525675566447529]])
def test_who_is_alone_is_published_to_the_last_digit(values: list[float]) -> None:
    table = Table.from_frame(pa.table({"x": values}), Schema.of(quasi=["x"]))
    assert Mdav().anonymize(table, KAnonymity(k=1)).frame()["x"].to_pylist() == values


@given(st.lists(st.integers(-99, 99), min_size=2, max_size=12), st.integers(0, 2**31))
def test_means_keep_the_total(values: list[int], seed: int) -> None:
    table = Table.of_rows(Schema.of(quasi=["x"]), {"x": [str(value) for value in values]})
    row = np.repeat(np.arange(len(table)), table.counts)
    groups = np.unique(np.random.default_rng(seed).integers(0, 3, len(row)), return_inverse=True)[1].astype(np.int32)
    candidate = microaggregate(table, row, [(["x"], groups)])
    labels = candidate.recoding.labels["x"]
    assert labels.numbers is not None
    assert labels.numbers[candidate.published.codes["x"]] @ candidate.published.counts == pytest.approx(sum(values))


def test_the_recoding_comes_back_from_its_file(tmp_path) -> None:
    table = ages(["20", "21", "28", "40", "45", None])
    made = microaggregate(table, np.arange(6), [(["age"], GROUPS)]).recoding
    again = Recoding.load(made.save(tmp_path / "recoding.json"))
    assert again.labels["age"].texts == made.labels["age"].texts
    assert np.array_equal(again.labels["age"].numbers, made.labels["age"].numbers, equal_nan=True)  # type: ignore[arg-type]
