from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.disclosure.groups import Groups, Histogram
from tests.golden import book
from tests.oracles.models_oracle import groups_of, records_of
from tests.strategies import grouped_tables, small_tables


def test_the_groups_of_table_2_4():
    groups = book.patients_3anon()
    assert (len(groups), groups.records, groups.sizes.tolist()) == (2, 7, [4, 3])
    assert groups.histogram("Disease").dense(0, 2).tolist() == [[1, 3, 0], [0, 1, 2]]


def test_no_columns_is_one_group():
    assert Groups.of(hospital(), []).sizes.tolist() == [7]


def test_a_missing_quasi_value_is_a_value():
    table = Table.of_rows(Schema.of(quasi=["a"], missing=["?"]), {"a": ["x", None, "?", "x", None]})
    assert Groups.of(table, ["a"]).sizes.tolist() == [2, 3]


def test_no_rows_no_groups():
    table = hospital()
    none = Groups.of(table.rows_where(np.zeros(len(table), dtype=bool)), ["Job"])
    histogram = none.histogram("Disease")
    assert (len(none), none.records) == (0, 0)
    assert [len(histogram.sum(histogram.counts)), len(histogram.largest()), len(histogram.distinct)] == [0, 0, 0]


def test_the_whole_is_the_table_that_was_given():
    table = hospital()
    assert Groups.of(table, ["Sex"]).whole("Disease").tolist() == [1, 4, 2]
    women = table.rows_where(table.codes["Sex"] == table.domain("Sex").code_of("Female"))
    assert Groups.of(women, ["Sex"]).whole("Disease").tolist() == [1, 3, 0]


def test_candidate_groups_need_not_be_a_partition():
    """Counts of two overlapping candidates of a cut, judged against the same table."""
    matrix = np.array([[1, 3, 0], [1, 4, 2]])
    groups = Groups.of_matrices(hospital(), matrix.sum(axis=1), {"Disease": matrix})
    assert groups.histogram("Disease").distinct.tolist() == [2, 3]
    assert groups.histogram("Disease").whole.tolist() == [1, 4, 2]
    assert groups.domain("Disease").texts == ("Flu", "HIV", "Hepatitis")


@pytest.mark.parametrize(("code", "expected"), [(0, [1, 0]), (1, [3, 1]), (2, [0, 2])])
def test_one_value_in_every_group(code, expected):
    assert book.patients_3anon().histogram("Disease").of_value(code).tolist() == expected


@given(small_tables(max_repeats=3))
def test_grouping_is_agreeing_on_every_column(table):
    found = Counter(Groups.of(table, table.schema.quasi).sizes.tolist())
    rows = Counter(tuple(record[name] for name in table.schema.quasi) for record in records_of(table))
    assert found == Counter(rows.values())


@given(grouped_tables(max_repeats=3))
def test_histograms_count_records(pair):
    table, labels = pair
    groups = Groups.of_labels(table, labels)
    histogram = groups.histogram("s0")
    texts = table.domain("s0").texts
    for index, values in enumerate(groups_of(table, labels.tolist(), "s0")):
        cells = slice(histogram.starts[index], histogram.starts[index + 1])
        found = {
            texts[code]: often for code, often in zip(histogram.values[cells], histogram.counts[cells], strict=True)
        }
        assert found == Counter(values)
        assert list(histogram.values[cells]) == sorted(histogram.values[cells])
        assert histogram.sizes[index] == groups.sizes[index] == len(values)
        assert histogram.largest()[index] == max(Counter(values).values())
        assert histogram.descending[cells].tolist() == sorted(Counter(values).values(), reverse=True)
    assert histogram.whole.tolist() == [sum(record["s0"] == text for record in records_of(table)) for text in texts]


@given(grouped_tables(max_repeats=3))
def test_dense_and_sparse_say_the_same(pair):
    histogram = Groups.of_labels(*pair).histogram("s0")
    again = Histogram.of_matrix(histogram.dense(0, len(histogram.sizes)), histogram.whole)
    for name in ("starts", "values", "counts", "sizes", "group"):
        assert np.array_equal(getattr(again, name), getattr(histogram, name)), name
    half = len(histogram.sizes) // 2
    assert np.array_equal(histogram.dense(half, len(histogram.sizes)), histogram.dense(0, len(histogram.sizes))[half:])
