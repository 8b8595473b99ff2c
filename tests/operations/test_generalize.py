"""Generalizing: every label is true, as small as it can be, and the same for everybody in a group."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.partition import Partition
from sfumato.datasets import hospital
from sfumato.operations.generalize import generalize_groups, generalize_levels
from sfumato.releases.table_candidate import TableCandidate
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
