"""One way to compile a loop: serial, without the interpreter lock, cached on disk where a folder is writable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(loop: Loop) -> Loop:
    """Compile a loop with numba; where no cache folder can be written it is compiled anew in every process."""
    try:
        return cast("Loop", numba.njit(nogil=True, cache=True)(loop))
    except RuntimeError:
        return cast("Loop", numba.njit(nogil=True)(loop))


def inlined(step: Loop) -> Loop:
    """Make a step of loops part of every loop that takes it: for those so small that calling them costs more."""
    return cast("Loop", numba.njit(nogil=True, inline="always")(step))
