"""Secret numbers have the distribution that is asked for, and nothing repeats them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sfumato.runtime.secret_random import SecretRandom, randomness

DRAWS = 20_000
UNLIKELY = 1e-9
"""A test of chance fails once in so many runs."""


def test_nothing_repeats() -> None:
    first, second = SecretRandom(), SecretRandom()
    assert not np.array_equal(first.random(8), second.random(8))
    assert not np.array_equal(first.permutation(50), first.permutation(50))
    assert isinstance(randomness(None), SecretRandom)
    assert np.array_equal(randomness(7).random(4), np.random.default_rng(7).random(4))


def test_uniform_numbers() -> None:
    drawn = SecretRandom().random((100, DRAWS // 100))
    assert drawn.shape == (100, DRAWS // 100)
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert stats.kstest(drawn.ravel(), "uniform").pvalue > UNLIKELY
    assert 0 <= SecretRandom().random() < 1


@pytest.mark.parametrize(("low", "high"), [(0, 3), (-5, 5), (10, 11), (0, 1000)])
def test_whole_numbers_are_equally_likely(low: int, high: int) -> None:
    drawn = SecretRandom().integers(low, high, size=DRAWS)
    assert drawn.dtype == np.int64
    assert (drawn.min(), drawn.max()) >= (low, low)
    assert drawn.max() < high
    if high - low > 1:
        assert stats.chisquare(np.bincount(drawn - low, minlength=high - low)).pvalue > UNLIKELY


def test_whole_numbers_of_any_span() -> None:
    secret = SecretRandom()
    assert 0 <= secret.integers(2**63) < 2**63
    assert secret.integers(0, 2**32, size=(4, 2), dtype=np.uint32).dtype == np.uint32
    assert secret.integers(0, 2**64, size=4, dtype=np.uint64).dtype == np.uint64
    assert secret.integers(1) == 0
    assert secret.integers(np.int64(1), np.int32(2), 3).tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="low >= high"):
        secret.integers(5, 5)


def test_words_that_would_favour_small_numbers_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    secret, given = SecretRandom(), [np.array([2**64 - 1, 5], np.uint64), np.array([7], np.uint64)]
    monkeypatch.setattr(secret, "_words", lambda size: given.pop(0))
    assert secret.integers(0, 3, size=2).tolist() == [7 % 3, 5 % 3]


def test_every_order_is_equally_likely() -> None:
    secret = SecretRandom()
    orders = [tuple(secret.permutation(3).tolist()) for _ in range(3000)]
    counts = np.unique([sum(place * 3**at for at, place in enumerate(order)) for order in orders], return_counts=True)[
        1
    ]
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > UNLIKELY
    assert sorted(secret.permutation(np.array(["b", "a"])).tolist()) == ["a", "b"]
    assert secret.permutation(0).tolist() == []


def test_equal_keys_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    secret, given = SecretRandom(), [np.array([4, 4], np.uint64), np.array([9, 1], np.uint64)]
    monkeypatch.setattr(secret, "_words", lambda size: given.pop(0))
    assert secret.permutation(2).tolist() == [1, 0]


def test_one_of_several() -> None:
    assert {SecretRandom().choice([3, 5]) for _ in range(200)} == {3, 5}


def test_normal_numbers() -> None:
    drawn = SecretRandom().standard_normal((DRAWS // 2, 2))
    assert stats.kstest(drawn.ravel(), "norm").pvalue > UNLIKELY
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.1
    assert np.isfinite(SecretRandom().standard_normal())
