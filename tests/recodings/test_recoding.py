"""Recodings: what was decided on distinct rows gives every record its label, and refuses what it has not seen."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Exhaustive, Mondrian
from sfumato.data.partition import Partition
from sfumato.datasets import hospital
from sfumato.errors import DataError, InfeasibleError
from sfumato.models import KAnonymity
from sfumato.operations.generalize import generalize_groups, generalize_levels
from sfumato.recodings.recoding import Recoding
from tests.examples import examples
from tests.strategies import grouped_tables, small_tables


def test_values_keep_their_label_wherever_they_occur() -> None:
    table = hospital()
    recoding = generalize_levels(table, {"Job": 1, "Sex": 0, "Age": 2}).recoding
    applied = recoding.apply({name: table.codes[name] for name in table.schema.quasi})
    assert [recoding.labels["Age"].texts[label] for label in applied.labels["Age"]] == ["[30, 40)"] * len(table)
    assert not applied.suppressed.any()
    assert recoding.summary()["columns"]["Job"] == {"level": 1, "labels": 2}


@given(grouped_tables())
def test_every_row_gets_the_label_that_was_decided(grouped) -> None:
    """Rows that agree on all quasi columns cannot be told apart, so they belong to one group."""
    table, _ = grouped
    labels = table.group_numbers(table.schema.quasi)
    candidate = generalize_groups(table, Partition.of_labels(labels), sets=True)
    applied = candidate.recoding.apply({name: table.codes[name] for name in candidate.recoding.reads})
    for name in table.schema.quasi:
        assert applied.labels[name].tolist() == candidate.published.codes[name].tolist()


def test_suppressed_groups_stay_suppressed_when_applied() -> None:
    table = hospital()
    labels = table.group_numbers(table.schema.quasi)
    candidate = generalize_groups(table, Partition.of_labels(labels), sets=True)
    gone = labels == labels[0]
    recoding = candidate.suppressing(gone).recoding
    applied = recoding.apply({name: table.codes[name] for name in recoding.reads})
    assert applied.suppressed.tolist() == gone.tolist()


def test_records_of_one_row_are_shared_out_as_decided() -> None:
    """Three records of the first row go to two groups, two to the first and one to the second, in row order."""
    table = hospital()
    row = np.repeat(np.arange(len(table)), np.where(np.arange(len(table)) == 0, 3, table.counts))
    shared = table.rows_at(row, np.ones(len(row), dtype=np.int64))
    group = np.where(np.arange(len(row)) < 2, 0, 1).astype(np.int32)
    partition = Partition.of_records(row, group)
    recoding = generalize_groups(table, partition, sets=False).recoding
    first = {name: shared.codes[name][:3] for name in recoding.reads}
    labels = [recoding.labels["Job"].texts[label] for label in recoding.apply(first).labels["Job"]]
    assert labels[0] == labels[1] != labels[2]
    # The same one by one, in any order: only the number of a record among equal ones counts.
    seen = np.zeros(recoding.combinations, dtype=np.int64)
    one_by_one = [{name: codes[at : at + 1] for name, codes in first.items()} for at in range(3)]
    numbers = [recoding.number(one, seen) for one in one_by_one]
    again = {at: recoding.apply(one_by_one[at], numbers[at]).labels["Job"][0] for at in (2, 0, 1)}
    assert [recoding.labels["Job"].texts[again[at]] for at in range(3)] == labels


def test_a_combination_it_has_not_seen_is_refused() -> None:
    table = hospital()
    candidate = generalize_groups(table, Partition.of_labels(np.zeros(len(table), dtype=np.int32)), sets=True)
    strange = {name: np.array([len(table.domains[name]) - 1], dtype=np.int32) for name in table.schema.quasi}
    strange["Sex"] = table.codes["Sex"][:1]
    known = {tuple(table.codes[name][row] for name in table.schema.quasi) for row in range(len(table))}
    assert tuple(int(codes[0]) for codes in strange.values()) not in known
    with pytest.raises(DataError, match="1 records have a combination"):
        candidate.recoding.apply(strange)


@pytest.mark.parametrize("algorithm", [Mondrian(), Mondrian(cut="median", relaxed=True), Exhaustive()], ids=str)
@given(table=small_tables(max_rows=8, max_repeats=3, taxonomies=True), k=st.integers(1, 3))
@examples(25)
def test_what_was_decided_can_be_saved_and_read_back(algorithm, table, k):
    """Both apply the same to the same records, suppressed ones included."""
    try:
        recoding = algorithm.anonymize(table, KAnonymity(k=k), suppression=0.4).recoding
    except InfeasibleError:
        return
    with TemporaryDirectory() as folder:
        again = Recoding.load(recoding.save(Path(folder) / "recoding.json"))
    records = np.repeat(np.arange(len(table)), table.counts)
    codes = {name: table.codes[name][records] for name in recoding.reads}
    one, other = recoding.apply(codes), again.apply(codes)
    np.testing.assert_array_equal(one.suppressed, other.suppressed)
    for name, labels in recoding.labels.items():
        assert labels.texts == again.labels[name].texts
        np.testing.assert_array_equal(one.labels[name], other.labels[name])
        np.testing.assert_array_equal(labels.ncp, again.labels[name].ncp)
    for name in recoding.reads:
        texts = recoding.domain(name).texts
        assert again.domain(name).codes_of(texts).tolist() == list(range(len(texts)))


def test_a_file_that_is_no_recoding_is_refused(tmp_path):
    for text in ("", "{}", '{"kind": "magic"}', "[1]"):
        (tmp_path / "r.json").write_text(text)
        with pytest.raises(DataError, match="cannot be read as a recoding") as caught:
            Recoding.load(tmp_path / "r.json")
        assert caught.value.__cause__ is caught.value.__context__ is None  # an error about JSON holds the whole file
