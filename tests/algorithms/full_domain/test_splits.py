"""Strings of splits against every recoding there is."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from sfumato.algorithms.full_domain.loops.recoded_groups import labels_of, losses_of
from sfumato.algorithms.full_domain.splits import Splits
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.taxonomies.tree import Tree
from tests.examples import examples
from tests.oracles.every_recoding import recodings
from tests.strategies import small_tables

EDUCATION = Tree(
    branches={
        "ANY_Edu": {
            "Secondary": {"Junior Sec.": ["9th", "10th"], "Senior Sec.": ["11th", "12th"]},
            "University": {"Bachelors": {}, "Grad School": ["Masters", "Doctorate"]},
        }
    }
)
LEVELS = ["9th", "10th", "11th", "12th", "Bachelors", "Masters", "Doctorate"]


def legal_strings(splits):
    for drawn in product([False, True], repeat=len(splits)):
        bits = np.array(drawn, dtype=np.bool_)
        if np.array_equal(splits.make_legal(bits), bits):
            yield bits


def blocks(splits, bits):
    """The values that share a label, column by column."""
    found = []
    for name, (_, label_of) in splits.cuts(bits).items():
        texts = splits.table.domain(name).texts
        found.append(
            frozenset(frozenset(np.array(texts, object)[label_of[: len(texts)] == own]) for own in set(label_of))
        )
    return tuple(frozenset(block for block in column if block) for column in found)


def test_golden_number_of_cuts():
    """Secondary has 2 * 2 + 1 cuts, University 2 + 1, the whole 5 * 3 + 1; a tree of two values has 2."""
    rows = {"Education": LEVELS, "Sex": ["M", "F", "M", "F", "M", "F", "M"]}
    assert Splits.of(Table.of_rows(_schema(["Education"]), rows)).count() == 16
    assert Splits.of(Table.of_rows(_schema(["Sex"]), rows)).count() == 2
    assert Splits.of(Table.of_rows(_schema(["Education", "Sex"]), rows)).count() == 32


def _schema(quasi):
    trees = {"Education": EDUCATION, "Sex": Tree(branches={"ANY_Sex": ["M", "F"]})}
    return Schema.of(quasi=quasi, taxonomies={name: trees[name] for name in quasi})


def test_without_a_taxonomy_every_value_is_shown_or_not():
    table = Table.of_rows(Schema.of(quasi=["job"]), {"job": ["cook", "baker", "smith"]})
    assert Splits.of(table).count() == 2**3
    assert Splits.of(table, whole=True).count() == 2


def test_numbers_have_a_split_at_every_boundary():
    rows = {"age": ["20", "30", "40"]}
    assert Splits.of(Table.of_rows(Schema.of(quasi=["age"]), rows)).count() == 2**2
    gaps = {"age": ["20", "30", "40", None]}
    assert Splits.of(Table.of_rows(Schema.of(quasi=["age"]), gaps)).count() == 2**2 + 1


@given(small_tables(max_rows=5, max_quasi=2))
@examples(60)
def test_legal_strings_are_all_recodings(table):
    """Every recoding that brute force finds is a legal string and the other way round.

    Hiding a single category says what showing it says, so two strings can be one recoding there.
    """
    splits = Splits.of(table)
    strings = list(legal_strings(splits)) if len(splits) <= 12 else []
    if not strings:
        return
    expected = product(*(list(recodings(table, name)) for name in splits.columns))
    assert len(strings) == splits.count()
    assert {blocks(splits, bits) for bits in strings} == {
        tuple(frozenset(recoding.values()) for recoding in way) for way in expected
    }


@given(small_tables(max_rows=8, max_quasi=3))
@examples(60)
def test_losses_and_labels_are_those_that_are_published(table):
    splits, random = Splits.of(table), np.random.default_rng(0)
    for share in (0.0, 0.3, 0.6, 1.0):
        bits = splits.make_legal(random.random(len(splits)) < share)
        label = labels_of(bits, splits.layout)[0]
        loss = losses_of(label, splits.layout)
        for column, (name, (labels, label_of)) in enumerate(splits.cuts(bits).items()):
            here = slice(splits.layout.offset[column], splits.layout.offset[column + 1])
            size = len(table.domain(name))
            np.testing.assert_allclose(labels.ncp[label_of[:size]], loss[here])
            same = label[here][:, None] == label[here]
            np.testing.assert_array_equal(label_of[:size, None] == label_of[:size], same)


@given(small_tables(taxonomies=True))
def test_children_are_the_ranges_below_a_node(table):
    splits = Splits.of(table)
    for split in range(len(splits)):
        taxonomy = table.taxonomies[splits.columns[splits.column[split]]]
        lo, hi = splits.ranges[split]
        node = taxonomy.lowest_common(np.array([lo]), np.array([hi]))[0]
        assert (taxonomy.lo[node], taxonomy.hi[node]) == (lo, hi)
        below = {taxonomy.lowest_common(np.array([a]), np.array([b]))[0] for a, b in splits.children(split)}
        spans = {(int(taxonomy.lo[child]), int(taxonomy.hi[child])) for child in below}
        assert spans == set(splits.children(split))
        assert len(spans) > 1
        assert splits.parent[split] < split


def test_a_value_hidden_alone_is_shown():
    table = Table.of_rows(Schema.of(quasi=["job"]), {"job": ["cook", "baker", "smith"]})
    splits = Splits.of(table)
    labels, label_of = splits.cuts(np.array([True, False, True]))["job"]
    assert [labels.texts[label] for label in label_of[:3]] == list(table.domain("job").texts)


@pytest.mark.parametrize("text", ["1", "x"])
def test_a_column_of_one_value_has_nothing_to_tell_apart(text):
    table = Table.of_rows(Schema.of(quasi=["a"]), {"a": [text, text]})
    splits = Splits.of(table, whole=True)
    assert (len(splits), splits.count()) == (0, 1)
    assert splits.cuts(splits.none)["a"][0].ncp[0] == 0
