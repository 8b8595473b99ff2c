"""Numbers before and after masking."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from sfumato.algorithms import Anatomy
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import nine_patients
from sfumato.disclosure.linkage import Linkage
from sfumato.disclosure.paired_numbers import PairedNumbers, moments
from sfumato.errors import UsageError
from sfumato.models import DistinctLDiversity
from sfumato.operations.generalize import generalize_groups, generalize_levels
from sfumato.operations.microaggregate import microaggregate


def people() -> Table:
    rows = {
        "age": ["20", "24", "40", "40", None],
        "job": ["cook", "cook", "nurse", "nurse", "nurse"],
        "born": ["2001-01-01", "2001-01-03", "1981-01-01", "1981-01-01", "1990-01-01"],
    }
    return Table.of_rows(Schema.of(quasi=["age", "job", "born"]), rows)


def averaged(table: Table, labels: list[int]):
    row = np.repeat(np.arange(len(table)), table.counts)
    return microaggregate(table, row, [(table.schema.quasi, np.array(labels, dtype=np.int32)[row])])


def test_from_a_candidate_numbers_and_days_are_taken():
    table = people()
    masked = averaged(table, [0, 0, 1, 1]).numbers
    assert masked.columns == ("age", "born")
    assert int(masked.counts.sum()) == 5
    assert masked.incomplete == 1
    assert masked.people == 4
    assert sorted(masked.complete.published[:, 0].tolist()) == [22, 22, 40]
    assert sorted((masked.original - masked.published)[:, 1][:2].tolist()) == [-1, 1]


def test_suppressed_rows_are_left_out():
    candidate = averaged(people(), [0, 0, 1, 1])
    masked = candidate.suppressing(candidate.group_of == 0).numbers
    assert np.nanmin(masked.original[:, 0]) == 40
    gone = candidate.suppressing(np.ones(len(candidate.published), dtype=bool)).numbers
    assert (gone.people, gone.incomplete, gone.columns) == (0, 0, ("age", "born"))


def test_what_is_published_vaguer_is_no_number():
    table = people()
    everyone = generalize_groups(table, Partition.of_labels(np.zeros(len(table), dtype=np.int32)), sets=False)
    assert everyone.numbers.columns == ()
    apart = generalize_groups(table, Partition.of_labels(np.arange(len(table), dtype=np.int32)), sets=False)
    assert apart.numbers.columns == ("age", "born")
    untouched = generalize_levels(table, {}).numbers
    assert untouched.columns == ("age", "born")
    assert not untouched.changed


def test_where_ties_are_cut_no_row_is_one_record():
    release = Anatomy().anonymize(nine_patients(), DistinctLDiversity(l=3))
    assert release.numbers.columns == ()


def test_from_arrays():
    masked = PairedNumbers.of_arrays([1, 2, np.nan], [1, 3, 4], counts=[1, 2, 3])
    assert masked.columns == ("x1",)
    assert (masked.people, masked.incomplete, masked.changed) == (3, 3, True)
    assert masked.numbers is masked.view.numbers is masked
    assert masked.view.truth_known
    before = np.zeros((2, 2))
    assert PairedNumbers.of_arrays(before, before).original is not before


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (([1, 2], [1, 2, 3]), "pair up; got 2 rows of 1 columns and 3 rows"),
        (([[[1]]], [[[1]]]), "a matrix of numbers"),
        (([1, np.inf], [1, 2]), "a matrix of numbers"),
    ],
)
def test_arrays_that_do_not_pair_are_refused(given, words):
    with pytest.raises(UsageError, match=words):
        PairedNumbers.of_arrays(*given)


@pytest.mark.parametrize("more", [{"columns": ["a", "b"]}, {"counts": [1]}, {"counts": [0, 1]}])
def test_names_and_counts_must_fit(more):
    with pytest.raises(UsageError, match="a name for every column and a count"):
        PairedNumbers.of_arrays([1, 2], [1, 2], **more)


def test_standardized_by_the_original():
    masked = PairedNumbers.of_arrays([[0, 7], [2, 7]], [[4, 8], [4, 8]]).standardized()
    assert masked.original.tolist() == [[-1, 0], [1, 0]]
    assert masked.published.tolist() == [[3, 1], [3, 1]]


def test_the_earlier_names_still_work():
    sys.modules.pop("sfumato.metrics.paired_numbers", None)
    with pytest.warns(DeprecationWarning, match="called"):
        from sfumato.metrics.paired_numbers import Masked
    assert Masked is PairedNumbers


def read_back(**published: list[str | None]) -> PairedNumbers:
    """Texts of a release beside the numbers and days that they stand for."""
    was = {"age": ["20", "24", "40", None], "born": ["2001-01-01", "2001-01-03", "1981-01-01", "1990-01-01"]}
    quasi = list(was)
    original = Table.of_rows(Schema.of(quasi=quasi), was)
    texts = Schema.of(quasi=quasi, kinds=dict.fromkeys(quasi, "text"))
    shown = Table.of_rows(texts, {**was, **published})
    assert len(original) == len(shown) == 4
    return PairedNumbers.of_tables(original, shown, Linkage())


def test_texts_of_a_release_are_numbers_where_all_of_them_are():
    assert read_back().columns == ("age", "born")
    assert read_back(age=["20", "24", "[30, 40]", None]).columns == ("born",)
    assert read_back(age=["20", "24", "inf", None]).columns == ("born",)
    assert read_back(born=["2001-01-01", "2001-01-03", "1981-01-01", "1990"]).columns == ("age",)
    long = "30.333333333333333333333"
    assert long[:5] in str(read_back(age=["20", "24", long, None]).published[:, 0].tolist())


def test_a_suppressed_value_is_a_missing_number():
    found = read_back(age=["20", "24", "*", None])
    assert found.columns == ("age", "born")
    assert np.isnan(found.published[:, 0]).sum() == 2
    assert read_back(age=["*"] * 4).columns == ("born",)


def test_moments_weigh_by_counts():
    values = np.random.default_rng(0).normal(size=(6, 3))
    counts = np.array([1, 2, 1, 3, 1, 2])
    mean, covariance = moments(values, counts)
    every = np.repeat(values, counts, axis=0)
    assert np.allclose(mean, every.mean(axis=0))
    assert np.allclose(covariance, np.cov(every.T, ddof=0))
