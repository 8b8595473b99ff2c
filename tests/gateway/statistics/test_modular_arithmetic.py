from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.statistics.modular_arithmetic import BLOCK, BUCKETS, Residues, is_prime
from sfumato.gateway.statistics.record_sets import RecordSet

numbers = st.sets(st.integers(0, 2**32 - 1) | st.integers(0, 3 * BLOCK), max_size=50)


def test_primes_below_ten_thousand():
    sieve = np.ones(10_000, dtype=bool)
    sieve[:2] = False
    for number in range(2, 100):
        sieve[number * number :: number] = False
    assert [number for number in range(10_000) if is_prime(number)] == np.flatnonzero(sieve).tolist()


def test_known_primes_and_numbers_that_look_like_primes():
    assert is_prime(2**61 - 1)
    assert is_prime(1_000_000_007)
    strong = (3_215_031_751, 3_825_123_056_546_413_051, 561, 2**59 - 1)
    assert [number for number in strong if is_prime(number)] == []


def test_every_prime_is_drawn_anew():
    random = [Residues.random() for _ in range(20)]
    assert all(2**49 < residues.prime < 2**50 and is_prime(residues.prime) for residues in random)
    assert len({residues.prime for residues in random}) == 20
    assert str(random[0].seed) not in repr(random[0])


@given(numbers)
def test_weights_are_added_up_by_bucket(chosen):
    residues = Residues.random()
    expected = [0] * BUCKETS
    for number in chosen:
        expected[number // BLOCK % BUCKETS] += int(residues.weights(np.array([number]))[0])
    assert residues.weighted_sums(RecordSet.of(sorted(chosen))).tolist() == [
        total % residues.prime for total in expected
    ]


def test_weights_differ_and_stay():
    residues = Residues.random()
    weights = residues.weights(np.arange(10_000))
    assert len(set(weights.tolist())) == 10_000
    assert weights.min() >= 0
    assert weights.max() < residues.prime
    assert residues.weights(np.array([17]))[0] == weights[17]
    assert (Residues.random().weights(np.arange(100)) != weights[:100]).all()


def test_sums_do_not_run_over():
    residues = Residues.random()
    rows = np.full((20_000, 2), residues.prime - 1)
    assert residues.sum_rows(rows).tolist() == [(residues.prime - 1) * 20_000 % residues.prime] * 2
    assert residues.inverse(7) * 7 % residues.prime == 1
