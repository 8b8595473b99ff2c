import importlib.util
import pickle
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba.core.event import install_recorder

from sfumato.kernels import compiled as module
from sfumato.kernels.compiled import COMPILING, cache_folder, cached_loops, clear_cache, compiled, inlined
from sfumato.runtime.progress import advance, listening

LOOP = """
from sfumato.kernels.compiled import compiled
from {part} import SHIFT, part

@compiled
def loop(values):
    total = 0
    for value in values:
        total += part(value) + SHIFT
    return total
"""
PART = """
from sfumato.kernels.compiled import compiled

SHIFT = {shift}

@compiled
def part(value):
    return {factor} * value
"""
GONE = b"csfumato.kernels.compiled\nRenamedSince\n."
"""A pickle of something that has no such name any more."""


def double(values):
    total = 0
    for value in values:
        total += 2 * value
    return total


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """Imports a loop and the part it calls as a new process would: what was compiled is on disk only."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    # Otherwise a changed module of the same second and size would not be read again.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def load(factor=2, shift=0):
        name = f"part_of_{tmp_path.name}"
        (tmp_path / "part.py").write_text(PART.format(factor=factor, shift=shift), encoding="utf-8")
        (tmp_path / "loop.py").write_text(LOOP.format(part=name), encoding="utf-8")
        for full, path in ((name, "part.py"), ("loop", "loop.py")):
            spec = importlib.util.spec_from_file_location(full, tmp_path / path)
            found = importlib.util.module_from_spec(spec)
            monkeypatch.setitem(sys.modules, full, found)
            spec.loader.exec_module(found)
        return found.loop

    return load


def heard_while(loop):
    heard = []
    with listening(lambda *told: heard.append(told)):
        advance("deciding", 1, 5)
        answer = loop(np.array([1, 2, 3]))
    return answer, heard


def test_compiles():
    assert compiled(double)(np.array([1, 2, 3])) == 12


def test_compiles_where_no_cache_can_be_written(monkeypatch: pytest.MonkeyPatch):
    """Without a writable folder numba raises as soon as a cache is asked for."""
    asked = []

    def no_cache(*given):
        asked.append(given)
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(module, "_LoopCache", no_cache)
    assert compiled(double)(np.array([1, 2, 3])) == 12
    assert asked


def test_numba_loads_only_when_a_kernel_is_used():
    modules = "sfumato.data.table, sfumato.disclosure.groups, sfumato.models, sfumato.algorithms"
    code = f"import sys, {modules}; print('numba' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_loops_load_without_scipy_linalg_and_other_loops_may_still_use_it():
    code = (
        "import sys, numba, numpy as np\n"
        "from sfumato.kernels.gather import gather\n"
        "gather(np.arange(3, dtype=np.int32), np.arange(2, dtype=np.int32))\n"
        "assert 'scipy.linalg' not in sys.modules\n"
        "solved = numba.njit(lambda a: np.linalg.solve(a, a))(np.eye(2) + 1.0)\n"
        "assert np.allclose(solved, np.eye(2)) and 'scipy.linalg' in sys.modules\n"
        "assert numba.njit(lambda a: np.correlate(a, a))(np.arange(3.0))[0] == 5.0\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_step_becomes_part_of_the_loop_that_takes_it():
    step = inlined(lambda value: 2 * value + 1)

    @compiled
    def loop(values):
        return step(values[0]) + step(values[1])

    assert loop(np.array([1, 2])) == 8
    assert step(3) == 7


def test_a_loop_that_loops_call_is_compiled_once_for_all_whole_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    @compiled
    def part(value):
        return value + 1

    @compiled
    def loop(small, large):
        return part(0) + part(small[0]) + part(large[0])

    with install_recorder("numba:compile") as recorded:
        assert loop(np.array([10], dtype=np.int32), np.array([20], dtype=np.int64)) == 33
    names = [found.data["dispatcher"].py_func.__name__ for _, found in recorded.buffer if found.is_start]
    assert sorted(names) == ["loop", "part"]


def test_python_can_call_a_loop_that_loops_call():
    @compiled
    def part(values):
        return values[0]

    @compiled
    def loop(values):
        return 2 * part(values)

    assert loop(np.array([3.0])) == 6.0
    assert part(np.array([3.0])) == 3.0


def test_compiling_is_announced_and_then_the_work_again(fresh):
    answer, heard = heard_while(fresh())
    assert answer == 12
    assert heard[0] == heard[-1] == ("deciding", 1, 5)
    assert set(heard[1:-1]) == {(COMPILING, 1, 5)}


def test_what_is_in_the_cache_is_not_announced(fresh):
    heard_while(fresh())
    assert heard_while(fresh()) == (12, [("deciding", 1, 5)])


def test_an_entry_that_cannot_be_read_counts_as_missing_and_is_replaced(fresh, tmp_path):
    heard_while(fresh())
    indexes = list((tmp_path / "cache").rglob("*.nbi"))
    assert indexes
    for index in indexes:
        index.write_bytes(pickle.dumps(numba.__version__) + GONE)
    with pytest.raises(AttributeError, match="RenamedSince"):
        pickle.loads(GONE)
    answer, heard = heard_while(fresh())
    assert answer == 12
    assert (COMPILING, 1, 5) in heard
    assert heard_while(fresh()) == (12, [("deciding", 1, 5)])


def test_compiled_code_that_cannot_be_read_counts_as_missing(fresh, tmp_path):
    heard_while(fresh())
    for data in (tmp_path / "cache").rglob("*.nbc"):
        data.write_bytes(GONE)
    assert heard_while(fresh())[0] == 12


def test_a_loop_is_compiled_anew_when_what_it_calls_has_changed(fresh):
    assert heard_while(fresh())[0] == 12
    assert heard_while(fresh(factor=5))[0] == 30
    assert heard_while(fresh(shift=1))[0] == 15


def test_the_folder_of_the_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "file" / "cache"))
    (tmp_path / "file").touch()
    monkeypatch.setattr(numba.config, "CACHE_LOCATOR_CLASSES", "UserProvidedCacheLocator")
    assert cache_folder() is None


def test_clearing_removes_compiled_loops_and_nothing_else(fresh, tmp_path, monkeypatch):
    heard_while(fresh())
    other = tmp_path / "cache" / "other.txt"
    other.touch()
    monkeypatch.setattr(module, "_PACKAGE", tmp_path)
    assert clear_cache() >= 4
    assert clear_cache() == 0
    assert other.exists()
    assert (COMPILING, 1, 5) in heard_while(fresh())[1]


def test_clearing_a_given_folder_leaves_those_of_others(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_PACKAGE", tmp_path)
    (tmp_path / "__init__.py").touch()
    (tmp_path / "__pycache__").mkdir()
    kept = tmp_path / "__pycache__" / "loop.nbc"
    kept.touch()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    assert clear_cache() == 0
    assert kept.exists()
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    assert clear_cache() == 1
    assert not kept.exists()


def test_the_loops_in_the_cache_are_counted(tmp_path, monkeypatch):
    """Two loops, of which one is in the cache; an entry of a loop that moved to another line does not count."""
    (tmp_path / "some.py").write_text(
        "import x\n\n\n@compiled\ndef one(a):\n    pass\n\n\n@compiled\ndef two(a):\n    pass\n"
    )
    cache = tmp_path / "__pycache__"
    cache.mkdir()
    version = f"py{sys.version_info.major}{sys.version_info.minor}"
    for name in (f"some.one-4.{version}.nbi", f"some.two-8.{version}.nbi", f"some.one-4.{version}.1.nbc"):
        (cache / name).touch()
    monkeypatch.setattr("sfumato.kernels.compiled._PACKAGE", tmp_path)
    monkeypatch.setattr("sfumato.kernels.compiled._cache_places", lambda folder: [folder / "__pycache__"])
    assert cached_loops() == (1, 2)
