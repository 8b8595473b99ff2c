"""What a search believes about a recoding is what judging the candidate finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.full_domain import distinct_rows
from sfumato.algorithms.full_domain.split_rows import SplitRows
from sfumato.algorithms.full_domain.splits import Splits
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.models import DistinctLDiversity, KAnonymity, TCloseness
from sfumato.operations.generalize import generalize_values
from sfumato.operations.suppress import suppress_failing
from tests.examples import examples
from tests.strategies import small_tables

MODELS = st.sampled_from(
    [
        KAnonymity(k=2),
        KAnonymity(k=3),
        DistinctLDiversity(l=2, sensitive="s0"),
        KAnonymity(k=2) & TCloseness(t=0.3, sensitive="s0"),
    ]
)


def some_bits(splits, seed):
    random = np.random.default_rng(seed)
    return splits.make_legal(random.random(len(splits)) < random.random())


@given(table=small_tables(max_repeats=3), model=MODELS, limit=st.sampled_from([0.0, 0.3, 0.9]), seed=st.integers(0, 99))
@examples(150)
def test_leaves_out_what_suppression_leaves_out(table, model, limit, seed):
    """Again and again, as what is left is compared with what is left."""
    splits = Splits.of(table)
    bits = some_bits(splits, seed)
    candidate = generalize_values(table, splits.cuts(bits))
    after = suppress_failing(candidate, model, limit)
    allowed = int(limit * table.records + 1e-9)
    left, gone = SplitRows.of_splits(table, splits, model).recode(bits).without_failing(allowed)
    holds = all(member.check(after.view).holds for member in model.members())
    assert holds == (gone <= allowed and gone < table.records)
    if holds:
        assert gone == after.suppressed_records
        assert left.sum() == table.records - gone


@given(table=small_tables(max_repeats=3), seed=st.integers(0, 99))
@examples(60)
def test_large_histograms_are_counted_another_way(table, seed):
    splits, model = Splits.of(table), DistinctLDiversity(l=2, sensitive="s0")
    recoded = SplitRows.of_splits(table, splits, model).recode(some_bits(splits, seed))
    dense = recoded.without_failing(table.records)
    kept, distinct_rows._CELLS = distinct_rows._CELLS, 0
    try:
        sparse = recoded.without_failing(table.records)
    finally:
        distinct_rows._CELLS = kept
    np.testing.assert_array_equal(dense[0], sparse[0])
    assert dense[1] == sparse[1]


@given(table=small_tables(max_repeats=3), seed=st.integers(0, 99))
@examples(60)
def test_merged_rows_are_judged_alike(table, seed):
    """A string that tells less apart finds the same groups in merged rows as in all of them."""
    splits, model = Splits.of(table), DistinctLDiversity(l=2, sensitive="s0")
    rows, bits = SplitRows.of_splits(table, splits, model), some_bits(splits, seed)
    merged = rows.merge_equal(bits)
    coarser = splits.make_legal(bits & some_bits(splits, seed + 1))
    assert len(merged.table) <= len(rows.table)
    assert merged.table.records == table.records
    for question in rows.recode(coarser).questions():
        one, other = rows.recode(coarser).groups(question), merged.recode(coarser).groups(question)
        assert sorted(one.sizes.tolist()) == sorted(other.sizes.tolist())
        assert question.member.measure(one) == question.member.measure(other)


def test_every_set_that_is_known_is_asked_about():
    """Two quasi-identifiers: a record that fails one is gone from the groups of the other."""
    schema = Schema.of(quasi=["a", "b"], quasi_identifiers={"one": ["a"], "two": ["b"]})
    table = Table.of_rows(schema, {"a": ["x", "x", "x", "y"], "b": ["u", "u", "v", "v"]})
    model = KAnonymity(k=2, quasi="one") & KAnonymity(k=2, quasi="two")
    splits = Splits.of(table)
    recoded = SplitRows.of_splits(table, splits, model).recode(splits.all)
    assert [question.columns for question in recoded.questions()] == [("a",), ("b",)]
    assert recoded.without_failing(allowed=4)[1] == 2
    assert recoded.without_failing(allowed=0)[1] == 1
