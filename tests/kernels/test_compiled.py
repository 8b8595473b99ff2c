import subprocess
import sys

import numba
import numpy as np
import pytest

from sfumato.kernels import compiled as module
from sfumato.kernels.compiled import compiled, inlined


def double(values):
    total = 0
    for value in values:
        total += 2 * value
    return total


def test_compiles():
    assert compiled(double)(np.array([1, 2, 3])) == 12


def test_compiles_where_no_cache_can_be_written(monkeypatch: pytest.MonkeyPatch):
    """Without a writable folder numba raises as soon as caching is asked for."""
    real, asked = numba.njit, []

    def njit(*, nogil, cache=False):
        asked.append(cache)
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return real(nogil=nogil)

    monkeypatch.setattr(module.numba, "njit", njit)
    assert compiled(double)(np.array([1, 2, 3])) == 12
    assert asked == [True, False]


def test_numba_loads_only_when_a_kernel_is_used():
    modules = "sfumato.data.table, sfumato.disclosure.groups, sfumato.models, sfumato.algorithms"
    code = f"import sys, {modules}; print('numba' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_a_step_becomes_part_of_the_loop_that_takes_it():
    step = inlined(lambda value: 2 * value + 1)

    @compiled
    def loop(values):
        return step(values[0]) + step(values[1])

    assert loop(np.array([1, 2])) == 8
    assert step(3) == 7
