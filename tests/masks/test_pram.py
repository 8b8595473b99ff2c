from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from sfumato.masks import Pram

SHARES = {"a": 0.6, "b": 0.3, "c": 0.1}


def letters(n=30_000):
    return pa.table({"v": np.random.default_rng(0).choice(list(SHARES), n, p=list(SHARES.values()))})


def moves(before, made):
    """How often each category became each other, as shares of the first."""
    pairs = Counter(zip(before["v"].to_pylist(), made["v"].to_pylist(), strict=True))
    return np.array([[pairs[one, two] / sum(pairs[one, any_] for any_ in SHARES) for two in SHARES] for one in SHARES])


@pytest.mark.parametrize("invariant", [True, False])
def test_values_move_with_the_promised_probabilities(invariant):
    before, mask = letters(), Pram(retention=0.7, invariant=invariant)
    counts = np.array([before["v"].to_pylist().count(name) for name in SHARES])
    found = moves(before, mask.mask(before, ["v"], seed=1))
    assert found == pytest.approx(mask.transition(counts), abs=0.02)


def test_an_invariant_matrix_keeps_expected_counts():
    counts = np.array([60, 30, 10])
    assert counts @ Pram(retention=0.4).transition(counts) == pytest.approx(counts)
    others = Pram(retention=0.4, invariant=False).transition(counts)
    assert others.sum(axis=1) == pytest.approx(1)
    assert counts @ others == pytest.approx([36, 33, 31])


def test_counts_stay_about_the_same():
    before = letters()
    made = Counter(Pram(retention=0.2).mask(before, ["v"], seed=1)["v"].to_pylist())
    assert [made[name] / 30_000 for name in SHARES] == pytest.approx(list(SHARES.values()), abs=0.01)


def test_strata_keep_to_themselves():
    table = pa.table({"v": ["a", "b"] * 200 + ["c", "d"] * 200, "s": ["x"] * 400 + ["y"] * 400})
    made = Pram(retention=0.1, strata=("s",)).mask(table, ["v"], seed=1)["v"].to_pylist()
    assert set(made[:400]) == {"a", "b"}
    assert set(made[400:]) == {"c", "d"}
    mixed = Pram(retention=0.1).mask(table, ["v"], seed=1)["v"].to_pylist()
    assert set(mixed[:400]) == {"a", "b", "c", "d"}


def test_everything_or_nothing_is_kept():
    before = letters(300)
    assert Pram(retention=1).mask(before, ["v"]).equals(before)
    changed = Pram(retention=0, invariant=False).mask(before, ["v"], seed=1)
    assert not any(one == two for one, two in zip(before["v"].to_pylist(), changed["v"].to_pylist(), strict=True))
