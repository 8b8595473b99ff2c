"""Which tests reach which functions: a plugin of pytest that writes it down, for `benchmarks.mutants`.

`REACHED=reached.json pytest -p benchmarks.reached tests/gateway` runs the tests as always, only slower. The file has
for every function of the package, by its file and first line, the tests that called it in this process, quickest first.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

PACKAGE = f"{os.sep}sfumato{os.sep}"


class Reached:
    """What was called while each test ran."""

    def __init__(self) -> None:
        self.called: set[tuple[str, int]] = set()
        self.tests: dict[tuple[str, int], list[tuple[float, str]]] = {}

    def profile(self, frame: Any, event: str, _: Any) -> None:
        if event == "call":
            code = frame.f_code
            if PACKAGE in code.co_filename:
                self.called.add((code.co_filename, code.co_firstlineno))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None]:
        self.called = set()
        begun = perf_counter()
        sys.setprofile(self.profile)
        threading.setprofile(self.profile)
        yield
        sys.setprofile(None)
        threading.setprofile(None)
        for place in self.called:
            self.tests.setdefault(place, []).append((perf_counter() - begun, item.nodeid))

    def pytest_sessionfinish(self) -> None:
        """Write what was called; with workers (`pytest -n 2`) each writes a part, and the first process joins them."""
        file, worker = Path(os.environ["REACHED"]), os.environ.get("PYTEST_XDIST_WORKER", "")
        found = {f"{file.rpartition(PACKAGE)[2]}:{line}": tests for (file, line), tests in self.tests.items()}
        if worker:
            file.with_suffix(f".{worker}").write_text(json.dumps(found), encoding="utf-8")
            return
        for part in file.parent.glob(f"{file.stem}.gw*"):
            for place, tests in json.loads(part.read_text(encoding="utf-8")).items():
                found.setdefault(place, []).extend(map(tuple, tests))
        quickest = {place: [name for _, name in sorted(tests)] for place, tests in found.items()}
        file.write_text(json.dumps(quickest), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Watch the tests of this run."""
    config.pluginmanager.register(Reached())
