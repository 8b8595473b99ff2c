"""Generalizing: every label is true, as small as it can be, and the same for everybody in a group."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.errors import SchemaError
from sfumato.operations.generalize import generalize_groups, generalize_levels, generalize_values
from sfumato.releases.table_candidate import TableCandidate
from sfumato.releases.table_release import TableRelease
from sfumato.taxonomies import Intervals, Masking
from tests.strategies import grouped_tables, small_tables


def texts(candidate: TableCandidate, column: str) -> list[str | None]:
    """The published text of every record, in the order of rows."""
    labels, codes = candidate.published.domains[column], candidate.published.codes[column]
    return [
        labels.texts[code] for code, often in zip(codes, candidate.published.counts, strict=True) for _ in range(often)
    ]


def test_the_book_generalizes_the_patients() -> None:
    """Book, Tables 2.2 and 2.4: jobs to Professional and Artist, ages to five years, sexes as they are."""
    candidate = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1})
    columns = [texts(candidate, name) for name in ("Job", "Sex", "Age")]
    assert sorted(zip(*columns, strict=True)) == [
        *[("Artist", "Female", "[30, 35)")] * 4,
        *[("Professional", "Male", "[35, 40)")] * 3,
    ]


@given(small_tables(taxonomies=True), st.data())
def test_a_level_maps_every_value_to_its_node(table, data) -> None:
    levels = {name: data.draw(st.integers(0, table.taxonomies[name].height)) for name in table.schema.quasi}
    candidate = generalize_levels(table, levels)
    for name, level in levels.items():
        taxonomy, labels = table.taxonomies[name], candidate.recoding.labels[name]
        for code, label in zip(table.codes[name], candidate.published.codes[name], strict=True):
            node = taxonomy.nodes[level][code]
            assert labels.covers(int(label)).tolist() == list(range(taxonomy.lo[node], taxonomy.hi[node] + 1))


@pytest.mark.parametrize("cuts", [{}, {"age": 0, "zip": 0}, {"age": 0, "zip": 1}])
def test_a_release_suppresses_the_records_that_its_candidate_does(cuts: dict[str, int]) -> None:
    """Without levels, columns keep their values, and tell records apart when one of them is suppressed."""
    frame = pa.table({"age": [20, 21, 20, 33], "zip": list("abca"), "ill": list("xyxz")})
    taxonomies = {"age": Intervals(width=10), "zip": Masking(side="right")}
    table = Table.from_frame(frame, Schema.of(quasi=["age", "zip"], sensitive=["ill"], taxonomies=taxonomies))
    candidate = generalize_levels(table, cuts)
    assert set(candidate.recoding.labels) == {"age", "zip"}
    everything = TableRelease(candidate, (), {}).frame()
    assert [name for name in ("age", "zip") if everything[name].equals(frame[name])] == [
        name for name in ("age", "zip") if not cuts.get(name)
    ]
    gone = candidate.published.codes["ill"] == table.domain("ill").texts.index("y")
    release = TableRelease(candidate.suppressing(gone), (), {})
    assert release.suppressed_records == 1
    expected = [dict.fromkeys(row) if place == 1 else row for place, row in enumerate(everything.to_pylist())]
    assert release.frame().to_pylist() == expected


def test_records_without_a_quasi_column_cannot_be_suppressed() -> None:
    table = Table.from_frame(pa.table({"ill": ["x", "y"]}), Schema.of(sensitive=["ill"]))
    with pytest.raises(SchemaError, match="give the role quasi to a column"):
        generalize_values(table, {}).suppressing(np.array([True, False]))


@given(grouped_tables(), st.booleans())
def test_a_group_publishes_the_smallest_true_label(grouped, sets) -> None:
    table, labels = grouped
    candidate = generalize_groups(table, Partition.of_labels(labels), sets=sets)
    for name in table.schema.quasi:
        for group in np.unique(labels):
            inside = labels == group
            (label,) = np.unique(candidate.published.codes[name][inside])
            covered, had = candidate.recoding.labels[name].covers(int(label)), np.unique(table.codes[name][inside])
            assert np.isin(had, covered).all()
            if table.domain(name).ordered and had[-1] < table.domain(name).present:
                assert (covered[0], covered[-1]) == (had[0], had[-1])
            if not table.domain(name).ordered and sets:
                assert covered.tolist() == had.tolist()


@given(grouped_tables())
def test_the_original_is_left_alone_and_nobody_is_lost(grouped) -> None:
    table, labels = grouped
    before = {name: codes.copy() for name, codes in table.codes.items()}
    candidate = generalize_groups(table, Partition.of_labels(labels), sets=True)
    assert all(np.array_equal(before[name], table.codes[name]) for name in before)
    assert candidate.published.records == table.records
    assert not candidate.suppressed.any()
