import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.annealing import anneal
from sfumato.kernels.random import chance_from
from tests.kernels.some_groups import groups, is_in_order, loss, settled


@given(groups(), st.integers(0, 1_000), st.sampled_from([0.0, 0.1, 1.0, 100.0]))
def test_many_moves_change_the_sse_as_told(at, seed, temperature):
    before = loss(at)
    change = anneal(at, 3, (0, len(at.labels)), 500, temperature, chance_from(seed))
    assert np.isclose(change, loss(at) - before, atol=1e-8)
    assert is_in_order(at, 3)
    if temperature == 0:
        assert change <= 0


@settings(max_examples=5)
@given(st.integers(2, 6), st.integers(0, 100))
def test_a_hundred_thousand_moves_do_not_drift(k, seed):
    random = np.random.default_rng(seed)
    points = random.standard_normal((120, 4)) * [1.0, 10.0, 100.0, 0.01]
    at = settled(points, (np.arange(120) % (120 // k)).astype(np.int32), k)
    before = loss(at)
    change = anneal(at, k, (0, 120), 100_000, before / 120, chance_from(seed))
    assert np.isclose(before + change, loss(at), rtol=1e-9)
    assert is_in_order(at, k)


def test_moves_begin_inside_the_window():
    """Groups far from the window stay as they are."""
    points = np.concatenate([np.zeros((8, 1)), np.full((8, 1), 100.0)]) + np.arange(16)[:, None] % 8
    at = settled(points, (np.arange(16) % 4 // 2 + 2 * (np.arange(16) >= 8)).astype(np.int32), 4)
    at = at._replace(near=np.ascontiguousarray(at.near[:, :7]))
    far = at.labels[8:].copy()
    anneal(at, 4, (0, 8), 2_000, 1.0, chance_from(1))
    assert at.labels[8:].tolist() == far.tolist()
    anneal(at, 4, (0, 8), 2_000, 0.0, chance_from(1))
    assert sorted([at.labels[:4].tolist(), at.labels[4:8].tolist()]) == [[0] * 4, [1] * 4]


def test_the_same_seed_makes_the_same_moves():
    random = np.random.default_rng(5)
    points, labels = random.standard_normal((30, 2)), np.repeat(np.arange(10), 3).astype(np.int32)
    found = []
    for seed in (7, 7, 8):
        at = settled(points, labels, 3)
        anneal(at, 3, (0, 30), 300, 1.0, chance_from(seed))
        found.append(at.labels.tolist())
    assert found[0] == found[1] != found[2]
