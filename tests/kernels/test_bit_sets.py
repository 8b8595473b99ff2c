from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.bit_sets import WORD, add, clear, has, size, words


@given(st.sets(st.integers(0, 3 * WORD)))
def test_like_a_set(numbers):
    length = words(3 * WORD + 1)
    sets = np.zeros((2, length), dtype=np.uint64)
    for number in numbers:
        add(sets[0], number)
    assert [number for number in range(length * WORD) if has(sets[0], number)] == sorted(numbers)
    assert size(sets[0], length) == len(numbers)
    assert size(sets[0], 1) == len([number for number in numbers if number < WORD])
    assert size(sets[1], length) == 0


@given(st.integers(0, 2))
def test_the_first_sets_are_emptied(many):
    sets = np.full((2, 3), 2**64 - 1, dtype=np.uint64)
    clear(sets, many)
    assert [size(row, 3) for row in sets] == [0] * many + [3 * WORD] * (2 - many)


def test_a_word_has_64_numbers():
    assert [words(many) for many in (0, 1, 64, 65, 128, 129)] == [0, 1, 1, 2, 2, 3]
