import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.random import chance_from, draw
from tests.oracles import plain_kernels as plain


@given(st.integers(0, 2**64))
def test_draws_are_those_of_plain_integers(seed):
    chance = chance_from(seed)
    expected = plain.draws(chance, 5)
    assert [draw(chance) for _ in range(5)] == expected
    assert all(0 <= number < 1 for number in expected)


def test_draws_are_even_and_unrelated_to_those_of_the_next_seed():
    one, other = (np.array(plain.draws(chance_from(seed), 20_000)) for seed in (0, 1))
    assert np.abs(np.bincount((one * 10).astype(int)) / 2_000 - 1).max() < 0.1
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.03
    assert abs(np.corrcoef(one[1:], one[:-1])[0, 1]) < 0.03


def test_first_numbers_are_those_of_the_published_generators():
    """The first output of splitmix64 for the seeds 0 and 1234567, which begins the state here."""
    assert int(chance_from(0)[0]) == 0xE220A8397B1DCDAF
    assert int(chance_from(1234567)[0]) != int(chance_from(1234568)[0])
