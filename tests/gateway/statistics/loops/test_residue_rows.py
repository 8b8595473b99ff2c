from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.statistics.loops.residue_rows import multiply, subtract

PRIMES = (2**50 - 27, 2**49 + 69, 5)
edges = st.sampled_from([0, 1, 2, -1, -2]) | st.integers(0, 2**50)


@given(st.sampled_from(PRIMES), st.lists(edges, min_size=1, max_size=8), edges)
def test_products_like_whole_numbers(prime, row, factor):
    row, factor = [value % prime for value in row], factor % prime
    assert multiply(np.array(row), factor, prime).tolist() == [value * factor % prime for value in row]


@given(st.sampled_from(PRIMES), st.lists(st.tuples(edges, edges, edges, edges), min_size=1, max_size=6), edges, edges)
def test_differences_like_whole_numbers(prime, lines, first, second):
    row = [first % prime, second % prime, prime - 1]
    rows = [[value % prime for value in line[:3]] for line in lines]
    factors = [line[3] % prime for line in lines]
    expected = [
        [(value - factor * other) % prime for value, other in zip(line, row, strict=True)]
        for line, factor in zip(rows, factors, strict=True)
    ]
    found = np.array(rows)
    subtract(found, np.array(factors), np.array(row), prime)
    assert found.tolist() == expected
