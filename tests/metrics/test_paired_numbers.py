"""Numbers before and after masking."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.algorithms import Anatomy
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import nine_patients
from sfumato.errors import UsageError
from sfumato.metrics.paired_numbers import Masked, moments
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
    masked = Masked.of_candidate(averaged(table, [0, 0, 1, 1]))
    assert masked.columns == ("age", "born")
    assert int(masked.counts.sum()) == 5
    assert masked.incomplete == 1
    assert masked.people == 4
    assert sorted(masked.complete.published[:, 0].tolist()) == [22, 22, 40]
    assert sorted((masked.original - masked.published)[:, 1][:2].tolist()) == [-1, 1]


def test_suppressed_rows_are_left_out():
    candidate = averaged(people(), [0, 0, 1, 1])
    masked = Masked.of_candidate(candidate.suppressing(candidate.group_of == 0))
    assert np.nanmin(masked.original[:, 0]) == 40
    gone = Masked.of_candidate(candidate.suppressing(np.ones(len(candidate.published), dtype=bool)))
    assert (gone.people, gone.incomplete, gone.columns) == (0, 0, ("age", "born"))


def test_what_is_published_vaguer_is_no_number():
    table = people()
    everyone = generalize_groups(table, Partition.of_labels(np.zeros(len(table), dtype=np.int32)), sets=False)
    assert Masked.of_candidate(everyone).columns == ()
    apart = generalize_groups(table, Partition.of_labels(np.arange(len(table), dtype=np.int32)), sets=False)
    assert Masked.of_candidate(apart).columns == ("age", "born")
    untouched = Masked.of_candidate(generalize_levels(table, {}))
    assert untouched.columns == ("age", "born")
    assert not untouched.changed


def test_where_ties_are_cut_no_row_is_one_record():
    release = Anatomy().anonymize(nine_patients(), DistinctLDiversity(l=3))
    assert Masked.of_candidate(release.candidate).columns == ()


def test_from_arrays():
    masked = Masked.of_arrays([1, 2, np.nan], [1, 3, 4], counts=[1, 2, 3])
    assert masked.columns == ("x1",)
    assert (masked.people, masked.incomplete, masked.changed, masked.truth_known) == (3, 3, True, True)
    before = np.zeros((2, 2))
    assert Masked.of_arrays(before, before).original is not before


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
        Masked.of_arrays(*given)


@pytest.mark.parametrize("more", [{"columns": ["a", "b"]}, {"counts": [1]}, {"counts": [0, 1]}])
def test_names_and_counts_must_fit(more):
    with pytest.raises(UsageError, match="a name for every column and a count"):
        Masked.of_arrays([1, 2], [1, 2], **more)


def test_standardized_by_the_original():
    masked = Masked.of_arrays([[0, 7], [2, 7]], [[4, 8], [4, 8]]).standardized()
    assert masked.original.tolist() == [[-1, 0], [1, 0]]
    assert masked.published.tolist() == [[3, 1], [3, 1]]


def test_moments_weigh_by_counts():
    values = np.random.default_rng(0).normal(size=(6, 3))
    counts = np.array([1, 2, 1, 3, 1, 2])
    mean, covariance = moments(values, counts)
    every = np.repeat(values, counts, axis=0)
    assert np.allclose(mean, every.mean(axis=0))
    assert np.allclose(covariance, np.cov(every.T, ddof=0))
