"""A model in every part of a group, beside asking about each part."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.every_part import EveryPart
from sfumato.datasets import hospital
from sfumato.disclosure.groups import Groups
from sfumato.models import ConfidenceBounding, DistinctLDiversity
from tests.strategies import grouped_tables

MODELS = (DistinctLDiversity(l=2), ConfidenceBounding(h=0.5))


@given(grouped_tables(max_repeats=3, max_quasi=2, max_sensitive=1), st.sampled_from(MODELS), st.booleans())
def test_like_asking_about_each_part(pair, model, dense):
    table, labels = pair
    part = table.agreeing(("q0",))
    asked, wider = EveryPart.of(model, table, "s0", ("q0",))
    expected, room = [], []
    for group in range(labels.max() + 1):
        inside = [np.flatnonzero((labels == group) & (part == one)) for one in np.unique(part[labels == group])]
        parts = [Groups.of_labels(table.rows_at(rows), np.zeros(len(rows), dtype=np.int32)) for rows in inside]
        expected.append(all(model.holds(one).all() for one in parts))
        room.append(sum(model.room(one, 1)[0] for one in parts))
    groups = Groups.of_labels(wider, labels)
    if dense:  # as a search makes them
        matrix = groups.histogram(asked.column).dense(0, len(groups))
        groups = Groups.of_matrices(wider, groups.sizes, {asked.column: matrix})
    assert asked.holds(groups).tolist() == expected
    assert np.allclose(asked.room(groups, 1), room)
    assert asked.least_size() == model.least_size()


def test_no_groups_have_no_parts():
    asked, table = EveryPart.of(DistinctLDiversity(l=2), hospital(), "Disease", ("Sex",))
    none = Groups.of_labels(table.rows_at(np.zeros(0, dtype=np.int64)), np.zeros(0, dtype=np.int32))
    assert asked.holds(none).tolist() == []
    assert asked.room(none, 2).tolist() == []


def test_the_column_has_a_name_of_its_own():
    one, table = EveryPart.of(DistinctLDiversity(l=2), hospital(), "Disease", ("Sex",))
    other, _ = EveryPart.of(DistinctLDiversity(l=2), table, "Disease", ("Job",))
    assert one.column != other.column
    assert one.sensitive_columns(table.schema) == (one.column,)
