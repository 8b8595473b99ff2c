"""One way to compile a loop: serial, without the interpreter lock, cached on disk where a folder is writable.

`compiled` is the decorator of every loop of the library. The rest of this module is about the time that compiling
takes. A loop that is not in the cache says "compiling once" to whoever listens to the progress. `cache_folder` and
`clear_cache` serve `sfumato warm`, which compiles before anybody waits for it; `cached_loops` serves `sfumato doctor`.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numba.np.linalg
import numpy as np
from numba.core import event
from numba.core.caching import FunctionCache, InTreeCacheLocator, UserProvidedCacheLocator, UserWideCacheLocator
from numba.core.dispatcher import Dispatcher
from numba.core.types import int64, signed_domain, unliteral

from sfumato.runtime.progress import interrupt, resume

Loop = TypeVar("Loop", bound=Callable[..., Any])

COMPILING = "compiling once"
"""What is said while a loop is compiled that is not in the cache."""

_PACKAGE = Path(__file__).parent.parent


def _load_array_functions() -> None:
    """Load numba's functions of arrays without scipy.linalg, which takes longer than numba itself.

    They look for scipy's routines to know whether `correlate` and `convolve` of compiled loops may use them. Without
    an answer numba multiplies by itself; its functions of linear algebra load scipy when they are compiled, as before.
    """
    look = numba.np.linalg.ensure_blas

    def find_none() -> None:
        raise ImportError

    numba.np.linalg.ensure_blas = find_none
    try:
        import_module("numba.np.arraymath")
    finally:
        numba.np.linalg.ensure_blas = look


_load_array_functions()


def compiled(loop: Loop) -> Loop:
    """Compile a loop with numba; where no cache folder can be written it is compiled anew in every process.

    There are two versions, each compiled when it is first needed: the one that Python calls, and the one that other
    loops call. The second leaves out the code that unpacks and checks Python's arguments, which takes as long to
    compile as a short loop. It is compiled once for all sizes of whole numbers, which arrive as 64 bits, and not again
    for numbers known beforehand.
    """
    called, part = _jit(loop), _jit(loop, no_cpython_wrapper=True)
    if called is not loop:  # it is the loop itself where NUMBA_DISABLE_JIT is set
        called.get_call_template = lambda args, kws: part.get_call_template([_widened(one) for one in args], kws)
        called.get_overload = part.get_overload
    return cast("Loop", called)


def inlined(step: Loop) -> Loop:
    """Make a step of loops part of every loop that takes it: for those so small that calling them costs more."""
    return cast("Loop", numba.njit(nogil=True, inline="always")(step))


def cache_folder() -> Path | None:
    """The folder below which compiled loops are kept; None if none is writable.

    numba takes the first that is writable: the folder NUMBA_CACHE_DIR, the package itself (in the folders
    `__pycache__`), the cache of the user.
    """
    try:
        found = Path(FunctionCache(_widened).cache_path)
    except RuntimeError:
        return None
    return _PACKAGE if found.name == "__pycache__" else found.parent


def cached_loops() -> tuple[int, int]:
    """How many loops of this library are in the cache, for some types of arguments, and how many there are."""
    kept = total = 0
    for path in _PACKAGE.rglob("*.py"):
        # numba names the index of a loop by its module, its name and the line of its decorator
        lines = enumerate(pairwise(path.read_text(encoding="utf-8").splitlines()), start=1)
        loops = [
            (line, match[1])
            for line, (decorator, head) in lines
            if decorator == "@compiled" and (match := re.match(r"def (\w+)", head))
        ]
        total += len(loops)
        for line, name in loops:
            index = f"{path.stem}.{name}-{line}.py{sys.version_info.major}{sys.version_info.minor}*.nbi"
            kept += any(any(place.glob(index)) for place in _cache_places(path.parent))
    return kept, total


def clear_cache() -> int:
    """Remove all compiled loops of this library from the folders where numba looks for them; returns how many files.

    Where NUMBA_CACHE_DIR names a folder, numba looks nowhere else, and what other folders hold stays for other users.
    """
    removed = 0
    # numba writes an index (`.nbi`) per loop and one file with machine code (`.nbc`) per combination of types
    for folder in {path.parent for path in _PACKAGE.rglob("*.py")}:
        for place in _cache_places(folder):
            for file in (*place.glob("*.nbi"), *place.glob("*.nbc")):
                file.unlink(missing_ok=True)
                removed += 1
    return removed


def _cache_places(folder: Path) -> Iterator[Path]:
    """Where numba looks for the loops of the modules in a folder."""
    given: Any = vars(numba.config)["CACHE_DIR"]
    for locator in (UserProvidedCacheLocator,) if given else (InTreeCacheLocator, UserWideCacheLocator):
        yield Path(locator(_widened, str(folder / "__init__.py")).get_cache_path())


def _jit(loop: Loop, **options: bool) -> Any:
    """One version of a loop with a cache of its own; the loop itself where NUMBA_DISABLE_JIT is set."""
    jit: Any = numba.njit
    made = jit(nogil=True, no_cfunc_wrapper=True, **options)(loop)
    if made is not loop:
        with suppress(RuntimeError):  # numba's answer where no cache folder is writable
            made._cache = _LoopCache(loop, tuple(options))
    return made


def _widened(kind: Any) -> Any:
    """The type of an argument, without its value if that is known, and with 64 bits if it is a signed whole number."""
    plain = unliteral(kind)
    return int64 if plain in signed_domain else plain


class _LoopCache(FunctionCache):
    """numba's cache of one loop, for code that changes between versions.

    An entry that cannot be read counts as missing and is overwritten: numba unpickles an index before it compares its
    stamp, which fails if a class was renamed since. An entry belongs to the code of the loop and of all loops it calls,
    where numba looks at the loop's own file only. A cache that cannot be written stops nobody.
    """

    def __init__(self, loop: Callable[..., Any], options: tuple[str, ...]) -> None:
        super().__init__(loop)
        self._loop, self._options = loop, options

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The loop compiled for these types; None if it is not there or cannot be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # what is raised is up to the class that is missing or has changed
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the compiled loop, if the folder lets it."""
        with suppress(OSError):
            super().save_overload(sig, data)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        """The types, the options of the version and the code of all loops that are part of it."""
        return (*super()._index_key(sig, codegen), self._options, _fingerprint(self._loop))


def _fingerprint(loop: Callable[..., Any]) -> str:
    """A digest of the code of all loops that a loop calls, the names they use, and the numbers of their modules.

    The bytecode alone is not enough: `tree.low` and `tree.high` differ in names only.
    """
    # a depth-first walk over the calls; `seen` ends it where loops call each other
    digest, waiting, seen = hashlib.sha256(), [loop], {loop}
    while waiting:
        here = waiting.pop()
        code = here.__code__
        constants = [one for one in code.co_consts if isinstance(one, (int, float, tuple))]  # and not the docstring
        digest.update(repr((here.__qualname__, code.co_code, code.co_names, constants)).encode())
        for name in code.co_names:
            used = here.__globals__.get(name)
            if isinstance(used, Dispatcher) and used.py_func not in seen:
                seen.add(used.py_func)
                waiting.append(used.py_func)
            elif isinstance(used, (int, float, np.generic, np.ndarray)):
                digest.update(repr((name, used)).encode())
    return digest.hexdigest()


class _Announcement(event.Listener):
    """Says that loops are being compiled. numba compiles a loop inside another one, and in one thread at a time."""

    def __init__(self) -> None:
        self._depth = 0

    def on_start(self, compiling: Any) -> None:
        """A loop that is not in the cache, or a part of it, is about to be compiled."""
        self._depth += 1
        interrupt(COMPILING)

    def on_end(self, compiling: Any) -> None:
        """It has been compiled."""
        self._depth -= 1
        # the parts of a loop are compiled inside it; the message ends with the outermost one
        if not self._depth:
            resume()


event.register("numba:compile", _Announcement())
