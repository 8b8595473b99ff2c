"""Stress against its definition (book, equation 7.8), and simulated for random projections."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato.errors import ParameterError, UsageError
from sfumato.evaluation.workloads.stress import stress
from sfumato.operations.project import projection
from tests.examples import examples


def slow(original: np.ndarray, reduced: np.ndarray, reference: str = "original") -> float:
    """Every ordered pair with both n by n matrices, records with themselves included."""
    was, now = (np.sqrt(((points[:, None] - points[None, :]) ** 2).sum(axis=2)) for points in (original, reduced))
    return float(((now - was) ** 2).sum() / ((was if reference == "original" else now) ** 2).sum())


def matrices(rows: int):
    return arrays(np.float64, st.tuples(st.just(rows), st.integers(1, 4)), elements=st.integers(-50, 50).map(float))


@given(st.data(), st.sampled_from(["original", "reduced"]))
@examples(60)
def test_it_is_that_of_the_definition(data, reference):
    rows = data.draw(st.integers(2, 9))
    original, reduced = data.draw(matrices(rows)), data.draw(matrices(rows))
    whole = original if reference == "original" else reduced
    if (whole == whole[:1]).all():
        return
    assert stress(original, reduced, reference=reference) == pytest.approx(
        slow(original, reduced, reference), rel=1e-12
    )


@pytest.mark.parametrize("rows", [511, 512, 513, 1100])
def test_blocks_leave_no_pair_out(rows):
    random = np.random.default_rng(rows)
    original, reduced = random.normal(size=(rows, 3)), random.normal(size=(rows, 2))
    assert stress(original, reduced) == pytest.approx(slow(original, reduced))


def test_by_hand():
    """Distances 1, 2 and 3 become 2, 1 and 3: 1 + 1 + 0 over 1 + 4 + 9, or over 4 + 1 + 9."""
    original, reduced = np.array([[0.0], [1.0], [3.0]]), np.array([[0.0], [2.0], [3.0]])
    assert stress(original, reduced) == pytest.approx(2 / 14)
    assert stress(original, 2 * original) == pytest.approx(1)
    assert stress(original, 2 * original, reference="reduced") == pytest.approx(1 / 4)


def test_turning_all_points_changes_no_distance():
    random = np.random.default_rng(1)
    points = random.normal(size=(60, 5))
    turn, _ = np.linalg.qr(random.normal(size=(5, 5)))
    assert stress(points, points @ turn + 7) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("matrix", ["gaussian", "sparse"])
def test_scaled_projections_have_little_stress_and_unscaled_ones_much(matrix):
    """200 points from 40 to 10 coordinates: about 0.05 rightly scaled; 0.27 and 4.8 as drawn."""
    points = np.random.default_rng(0).normal(size=(200, 40))
    drawn = [projection(40, 10, matrix=matrix, seed=seed) for seed in range(40)]
    unscaled = {"gaussian": np.sqrt(10 / 40), "sparse": np.sqrt(10)}[matrix]
    rightly = np.mean([stress(points, points @ one) for one in drawn])
    as_drawn = np.mean([stress(points, points @ one * unscaled) for one in drawn])
    assert 0.040 < rightly < 0.056
    assert as_drawn == pytest.approx({"gaussian": 0.27, "sparse": 4.8}[matrix], rel=0.1)


def test_a_sample_comes_close_and_is_exact_where_it_holds_all_pairs():
    random = np.random.default_rng(4)
    original, reduced = random.normal(size=(700, 6)), random.normal(size=(700, 3))
    whole = stress(original, reduced)
    assert stress(original, reduced, sample=700 * 699 // 2) == whole
    drawn = stress(original, reduced, sample=100_000, seed=1)
    assert drawn == pytest.approx(whole, rel=0.02)
    assert drawn != whole
    assert drawn == stress(original, reduced, sample=100_000, seed=1)
    assert drawn != stress(original, reduced, sample=100_000, seed=2)


def test_points_that_all_coincide():
    same = np.ones((4, 2))
    assert stress(same, same) == 0
    assert stress(same, np.arange(8.0).reshape(4, 2)) == float("inf")


@pytest.mark.parametrize(
    ("original", "reduced", "more", "error", "complaint"),
    [
        (np.zeros((3, 2)), np.zeros((2, 2)), {}, UsageError, "one row a record"),
        (np.zeros(3), np.zeros(3), {}, UsageError, "one row a record"),
        (np.zeros((1, 2)), np.zeros((1, 2)), {}, UsageError, "at least two"),
        (np.full((2, 2), np.nan), np.zeros((2, 2)), {}, UsageError, "finite"),
        (np.zeros((2, 2)), np.zeros((2, 2)), {"sample": 0}, ParameterError, "'sample'"),
        (np.zeros((2, 2)), np.zeros((2, 2)), {"reference": "both"}, ParameterError, "'reference'"),
    ],
)
def test_what_cannot_be_compared(original, reduced, more, error, complaint):
    with pytest.raises(error, match=complaint):
        stress(original, reduced, **more)
