"""Goldens: the two worked comparisons of the book, section 7.2.4."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.evaluation.workloads.agreement import contingency, f_measure, f_scores, match_point

NATURAL = np.array([1] * 2 + [2] * 10 + [1] * 19 + [2] * 3)
"""34 records: of the first twelve two are of cluster 1 and ten of cluster 2, of the others nineteen and three."""
FOUND = np.array([1] * 12 + [2] * 22)

FIVE = np.array([1, 1, 1, 2, 2]), np.array([1, 1, 2, 2, 2])


@st.composite
def clusterings(draw):
    rows = draw(st.integers(1, 12))
    numbers = st.lists(st.integers(-2, 3), min_size=rows, max_size=rows).map(np.array)
    weights = st.lists(st.integers(1, 4), min_size=rows, max_size=rows).map(np.array)
    return draw(numbers), draw(numbers), draw(weights)


def test_the_contingency_table_of_the_book():
    assert contingency(NATURAL, FOUND).tolist() == [[2, 19], [10, 3]]


def test_the_f_measure_of_the_book():
    met = contingency(NATURAL, FOUND)
    assert f_scores(met).tolist() == [
        [pytest.approx(0.1212, abs=5e-5), pytest.approx(0.8837, abs=5e-5)],
        [pytest.approx(0.8), pytest.approx(0.1714, abs=5e-5)],
    ]
    assert f_measure(NATURAL, FOUND) == pytest.approx(0.8517, abs=5e-5)


def test_the_match_points_of_the_book():
    assert match_point(*FIVE) == 17 / 25
    assert match_point(NATURAL, FOUND) == 866 / 1156


def test_f_measure_is_not_symmetric():
    """One cluster found as two halves: the best half has all of its precision and half of the recall."""
    whole, halves = np.array([0, 0, 0, 0]), np.array([0, 0, 1, 1])
    assert f_measure(whole, halves) == pytest.approx(2 / 3)
    assert f_measure(halves, whole) == pytest.approx(2 / 3)
    lopsided = np.array([0, 0, 0, 1])
    assert f_measure(whole, lopsided) == pytest.approx(6 / 7)
    assert f_measure(lopsided, whole) == pytest.approx(3 / 4 * 6 / 7 + 1 / 4 * 2 / 5)


@given(clusterings())
def test_match_point_counts_the_pairs_of_the_definition(drawn):
    """Equation 7.7 with both n by n matrices."""
    one, other, weights = drawn
    first, second = np.repeat(one, weights), np.repeat(other, weights)
    matrices = [labels[:, None] == labels[None, :] for labels in (first, second)]
    expected = (matrices[0] == matrices[1]).mean()
    assert match_point(first, second) == pytest.approx(expected)
    assert match_point(one, other, weights) == pytest.approx(expected)
    assert match_point(other, one, weights) == pytest.approx(expected)


@given(clusterings())
def test_f_measure_is_that_of_recall_and_precision(drawn):
    """Equations 7.3 to 7.6, one pair of clusters after the other."""
    one, other, weights = drawn
    natural, found = np.repeat(one, weights).tolist(), np.repeat(other, weights).tolist()
    expected = 0.0
    for cluster in set(natural):
        members = {place for place, label in enumerate(natural) if label == cluster}
        best = 0.0
        for query in set(found):
            others = {place for place, label in enumerate(found) if label == query}
            recall, precision = len(members & others) / len(members), len(members & others) / len(others)
            best = max(best, 2 * recall * precision / (recall + precision) if members & others else 0.0)
        expected += len(members) / len(natural) * best
    assert f_measure(one, other, weights) == pytest.approx(expected)
    assert f_measure(np.array(natural), np.array(found)) == pytest.approx(expected)


@given(clusterings())
def test_a_clustering_agrees_with_itself_under_other_names(drawn):
    one, _, weights = drawn
    renamed = 7 - 3 * one
    assert match_point(one, renamed, weights) == 1
    assert f_measure(one, renamed, weights) == pytest.approx(1)


@pytest.mark.parametrize(
    ("one", "other", "weights", "complaint"),
    [
        ([0, 1], [0], None, "one length"),
        ([0, 1], [0, 1], [1], "one length"),
        ([[0, 1]], [[0, 1]], None, "one length"),
        ([], [], None, "no records"),
        ([0, 1], [0, 1], [1, 0], "above 0"),
    ],
)
def test_what_cannot_be_compared(one, other, weights, complaint):
    heavy = None if weights is None else np.array(weights)
    with pytest.raises(UsageError, match=complaint):
        match_point(np.array(one, dtype=int), np.array(other, dtype=int), heavy)
