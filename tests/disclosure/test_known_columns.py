"""Groupings: every choice of columns once, counted through larger ones."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.known_columns import KnownColumns
from sfumato.disclosure.table_view import TableView


@given(st.integers(1, 9), st.integers(1, 6))
def test_every_choice_is_covered_once(columns: int, at_most: int) -> None:
    known = KnownColumns(tuple(f"c{at}" for at in range(columns)), at_most)
    found = [chosen for around, inside in known.covering_sets() for chosen in inside]
    assert sorted(found) == sorted(known)
    assert len(found) == len(known)
    for around, inside in known.covering_sets():
        assert all(set(chosen) <= set(around) for chosen in inside)


def test_nobody_knows_more_columns_than_there_are() -> None:
    assert list(KnownColumns(("a", "b"), 5)) == [("a", "b")]
    assert len(KnownColumns((), 3)) == 1


@given(st.integers(0, 2**32 - 1))
def test_groups_by_every_choice(seed: int) -> None:
    random = np.random.default_rng(seed)
    names = [f"q{at}" for at in range(6)]
    rows = {name: [str(value) for value in random.integers(0, 2 + at % 2, 40)] for at, name in enumerate(names)}
    rows["q5"] = ["1"] * 40
    rows["s"] = [str(value) for value in random.integers(0, 3, 40)]
    table = Table.of_rows(Schema.of(quasi=names, sensitive=["s"]), rows)
    found = list(KnownColumns(tuple(names), 3).groupings(TableView(table=table), ("s",)))
    choices = list(combinations(names[:5], 3))
    assert len(found) == len(choices), "a column that shows nothing is left out"
    expected = sorted(tuple(sorted(Groups.of(table, columns).sizes.tolist())) for columns in choices)
    assert sorted(tuple(sorted(one.groups.sizes.tolist())) for one in found) == expected
    for one in found:
        assert np.bincount(one.labels, weights=table.counts).astype(int).tolist() == one.groups.sizes.tolist()
        assert one.groups.histogram("s").counts.sum() == 40
