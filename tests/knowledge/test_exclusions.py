from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from sfumato.knowledge.exclusions import Exclusions


@given(arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12)), st.randoms())
def test_sets_are_numbered_and_found_again(rows: np.ndarray, random: Random) -> None:
    values = tuple(f"v{place}" for place in range(rows.shape[1]))
    made, number = Exclusions.of_rows("out", values, rows)
    assert np.array_equal(made.ruled_out[number], rows)
    assert len(made) == len({row.tobytes() for row in rows})
    order = list(range(len(values)))
    random.shuffle(order)
    assert np.array_equal(made.against(tuple(values[place] for place in order))[number], rows[:, order])


def test_values_it_never_heard_of_are_open() -> None:
    made, _ = Exclusions.of_rows("out", ("a", None), np.array([[True, True], [False, True]]))
    seen = made.against((None, "z", "a"))
    assert sorted(seen.tolist()) == [[True, False, False], [True, False, True]]


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_codes_in_another_order(order: list[int]) -> None:
    made, _ = Exclusions.of_rows("out", ("a", "b"), np.array([[True, False], [False, True]]))
    assert np.array_equal(made.reordered(np.array(order)).ruled_out, made.ruled_out[order])
