"""The index against the worked example of its paper, and the claim that it leaves few candidates."""

import numpy as np
import pytest
from hypothesis import given

from sfumato.algorithms.full_domain.anonymity_index import AnonymityIndex
from sfumato.algorithms.full_domain.split_rows import SplitRows
from sfumato.algorithms.full_domain.splits import Splits
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.taxonomies.tree import Tree
from tests.examples import examples
from tests.strategies import small_tables

COLUMNS = ("Relationship", "Race", "Workclass")
QIDS = {
    ("c1", "b2", "a3"): 4,
    ("c1", "b2", "c3"): 4,
    ("c1", "b2", "d3"): 3,
    ("c1", "c2", "a3"): 3,
    ("c1", "c2", "b3"): 4,
    ("d1", "c2", "b3"): 4,
    ("d1", "c2", "e3"): 2,
    ("d1", "d2", "b3"): 3,
    ("d1", "d2", "e3"): 2,
}
"""The qids of the book's Figure 6.9, with counts that agree with every number stated there."""


def figure(k=4):
    trees = {
        "Relationship": Tree(branches={"ANY1": {"f1": ["c1", "d1"]}}),
        "Race": Tree(branches={"ANY2": {"b2": {}, "f2": ["c2", "d2"]}}),
        "Workclass": Tree(branches={"ANY3": {"a3": {}, "b3": {}, "f3": ["c3", "d3"], "e3": {}}}),
    }
    records = [qid for qid, often in QIDS.items() for _ in range(often)]
    rows = {name: [record[place] for record in records] for place, name in enumerate(COLUMNS)}
    table = Table.of_rows(Schema.of(quasi=COLUMNS, taxonomies=trees), rows)
    splits = Splits.of(table, whole=True)
    return table, AnonymityIndex(SplitRows.of_splits(table, splits, KAnonymity(k=k))), named(table, splits)


def named(table, splits):
    """The split of every node, by its label."""
    found = {}
    for split in range(len(splits)):
        taxonomy = table.taxonomies[splits.columns[splits.column[split]]]
        lo, hi = splits.ranges[split]
        found[taxonomy.labels[taxonomy.lowest_common(np.array([lo]), np.array([hi]))[0]]] = split
    return found


def counts(table, index):
    """The combinations at present and their counts, from the labels that would be published."""
    rows, shown = index._rows, index._rows.splits.cuts(index.bits)
    texts = [[shown[name][0].texts[label] for label in shown[name][1][rows.table.codes[name]]] for name in COLUMNS]
    return dict(zip(zip(*texts, strict=True), rows.table.counts.tolist(), strict=True))


def test_golden_counts_before_and_after_the_critical_step():
    table, index, split = figure()
    assert counts(table, index) == QIDS
    assert index.levels[0].level == 2
    index.generalize(split["f2"])
    after = counts(table, index)
    assert (after["d1", "f2", "b3"], after["d1", "f2", "e3"]) == (7, 4)
    assert after == {
        ("c1", "b2", "a3"): 4,
        ("c1", "b2", "c3"): 4,
        ("c1", "b2", "d3"): 3,
        ("c1", "f2", "a3"): 3,
        ("c1", "f2", "b3"): 4,
        ("d1", "f2", "b3"): 7,
        ("d1", "f2", "e3"): 4,
    }
    assert index.levels[0].level == 3


@pytest.mark.parametrize(
    ("node", "segments"),
    [
        ("f1", {("c1", "d1")}),
        ("f2", {("c1 c2",), ("d1 c2", "d1 d2")}),
        ("f3", {("c1 b2 c3", "c1 b2 d3")}),
    ],
)
def test_golden_segments(node, segments):
    table, index, split = figure()
    place = int(index._rows.splits.column[split[node]])
    texts = [table.domain(name).texts for name in COLUMNS]
    found = set()
    for row in range(len(index._rows.table)):
        before = [texts[column][index._rows.codes[column, row]] for column in range(place)]
        values = [texts[place][code] for code in index.segment(row, split[node], COLUMNS)]
        found.add(tuple(" ".join([*before, value]) for value in values))
    assert found - {()} == segments


def test_golden_the_minimum_qids_leave_one_candidate():
    """(d1, c2, e3) and (d1, d2, e3) are the minimum: only f1 and f2 touch both, and only f2 lifts them to 3."""
    table, index, split = figure()
    worst = index.levels[0].worst
    number = index._recoded.numbering(COLUMNS).number
    texts = {name: np.array(table.domain(name).texts)[index._rows.table.codes[name]] for name in COLUMNS}
    smallest = {tuple(texts[name][row] for name in COLUMNS) for row in np.flatnonzero(np.isin(number, worst))}
    assert smallest == {("d1", "c2", "e3"), ("d1", "d2", "e3")}
    assert index.candidates() == sorted([split["f1"], split["f2"], split["f3"]])
    assert index.survivors() == sorted([split["f1"], split["f2"]])
    assert index.gain(split["f1"]) == 0
    assert index.gain(split["f3"]) == 0
    assert index.gain(split["f2"]) == (3 - 2) / (4 - 2)


@given(small_tables(taxonomies=True, max_repeats=3))
@examples(80)
def test_few_survive_and_all_that_raise_do(table):
    """At most one candidate a column survives, and whichever raises the level is among them, step after step."""
    for model in (KAnonymity(k=table.records), DistinctLDiversity(l=3, sensitive="s0")):
        splits = Splits.of(table, whole=True)
        index = AnonymityIndex(SplitRows.of_splits(table, splits, model))
        while index.candidates():
            survivors = index.survivors()
            assert len(survivors) <= len(table.schema.quasi)
            assert len(set(splits.column[survivors].tolist())) == len(survivors)
            raising = {split for split in index.candidates() if index.gain(split) > 0}
            assert raising <= set(survivors)
            index.generalize(index.candidates()[0])


def test_records_that_may_be_left_out_are_not_counted():
    """Two records may stay behind: the two single ones do, and the level is that of the others."""
    table = Table.of_rows(Schema.of(quasi=["job"]), {"job": ["a", "b", *"ccc", *"dddd"]})
    rows = SplitRows.of_splits(table, Splits.of(table, whole=True), KAnonymity(k=3))
    assert AnonymityIndex(rows).levels[0].level == 1
    assert not AnonymityIndex(rows, 1).safe
    index = AnonymityIndex(rows, 2)
    assert index.levels[0].level == 3
    assert index.safe
