from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys

import pytest

from sfumato.runtime.renamed_modules import NEW_NAMES, RenamedModules, keep_old_names, new_name


@pytest.mark.parametrize("old", sorted(NEW_NAMES))
def test_an_earlier_name_is_the_same_module_and_says_so(old: str) -> None:
    sys.modules.pop(f"sfumato.{old}", None)
    with pytest.warns(DeprecationWarning, match=rf"sfumato\.{old} is called sfumato\.{NEW_NAMES[old]} now"):
        found = importlib.import_module(f"sfumato.{old}")
    assert found is importlib.import_module(f"sfumato.{NEW_NAMES[old]}")
    assert found.__spec__.name == found.__name__ == f"sfumato.{NEW_NAMES[old]}"


def test_names_inside_a_package_that_moved() -> None:
    code = "from sfumato.learners.c45 import C45; from sfumato.audit import Audit; print(C45.__module__)"
    found = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "sfumato.evaluation.learners.c45"


def test_what_was_never_there_is_not_found() -> None:
    assert new_name("sfumato.tabel") is None
    assert new_name("pandas.table") is None
    assert importlib.util.find_spec("sfumato.learners.nothing") is None
    with pytest.raises(ModuleNotFoundError, match=r"sfumato\.tabel"):
        importlib.import_module("sfumato.tabel")


def test_one_finder_is_enough() -> None:
    keep_old_names()
    assert sum(isinstance(finder, RenamedModules) for finder in sys.meta_path) == 1
