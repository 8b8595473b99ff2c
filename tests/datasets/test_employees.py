from __future__ import annotations

import numpy as np

from sfumato.datasets import employees


def test_a_seed_is_a_table():
    assert employees(50, seed=3).equals(employees(50, seed=3))
    assert not employees(50, seed=3).equals(employees(50, seed=4))


def test_numbers_have_to_do_with_each_other():
    table = employees(500)
    age, years = (np.array(table[name]) for name in ("age", "years"))
    assert table.num_rows == 500
    assert np.corrcoef(age, years)[0, 1] > 0.3
    assert ((years >= 0) & (years <= age - 17)).all()


def test_some_values_are_missing():
    table = employees(500)
    assert all(20 < table[name].null_count < 100 for name in ("pay", "job"))
    assert all(table[name].null_count == 0 for name in ("age", "years", "town", "country"))
    assert len(set(table["country"].to_pylist())) == 1
