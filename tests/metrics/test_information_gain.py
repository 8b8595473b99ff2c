"""Entropy and information gain: worked examples, and the definition."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato.metrics.information_gain import entropy, gain, gains

COUNTS = arrays(np.int64, st.tuples(st.integers(1, 5), st.integers(1, 4)), elements=st.integers(0, 50))


def plain(counts) -> float:
    total = sum(counts)
    return -sum(count / total * log2(count / total) for count in counts if count) if total else 0.0


def test_worked_entropies() -> None:
    """Golden C1 and C2: five of eleven, five of six, none of five; and three education levels."""
    assert entropy(np.array([[5, 6], [5, 1], [0, 5], [20, 4]])) == pytest.approx([0.9940, 0.6500, 0, 0.6500], abs=5e-5)


@given(COUNTS)
def test_the_definition(parts) -> None:
    assert entropy(parts) == pytest.approx([plain(row) for row in parts.tolist()], abs=1e-9)
    records = parts.sum()
    inside = sum(sum(row) / records * plain(row) for row in parts.tolist()) if records else 0.0
    assert gain(parts) == pytest.approx(plain(parts.sum(axis=0).tolist()) - inside, abs=1e-9)
    assert gains(parts[None]) == pytest.approx([gain(parts)])


def test_learning_nothing_is_exactly_nothing() -> None:
    assert gain(np.array([[28, 10, 1], [0, 0, 0]])) == 0.0
    assert gain(np.array([[7, 14], [11, 22]])) == 0.0
