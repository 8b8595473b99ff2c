"""Which tests run which lines: a plugin of pytest that writes it down, for `benchmarks.mutants`.

`REACHED=reached.json pytest -p benchmarks.reached tests` runs the tests as always, only slower. The file has for every
file of the package and every line of it the tests that ran that line in this process, and how long each test took.
Compiled loops are not seen, because the interpreter does not run them.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Generator, Iterable
from pathlib import Path
from time import perf_counter
from typing import Any

import coverage
import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "sfumato"


class Reached:
    """What ran while each test ran."""

    def __init__(self) -> None:
        self.recorded: coverage.Coverage | None = None
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None]:
        if self.recorded is None:  # a process that only hands tests to workers runs none
            self.recorded = coverage.Coverage(data_file=None, source=[str(PACKAGE)], config_file=False, messages=False)
            self.recorded.start()
        self.recorded.switch_context(item.nodeid)
        begun = perf_counter()
        yield
        self.seconds[item.nodeid] = perf_counter() - begun
        self.recorded.switch_context("")

    def pytest_sessionfinish(self) -> None:
        """Write what ran; with workers (`pytest -n 2`) each writes a part, and the first process joins them."""
        file, worker = Path(os.environ["REACHED"]), os.environ.get("PYTEST_XDIST_WORKER", "")
        parts = [self._found()]
        if worker:
            file.with_suffix(f".{worker}").write_text(json.dumps(parts[0]), encoding="utf-8")
            return
        parts += [json.loads(part.read_text(encoding="utf-8")) for part in file.parent.glob(f"{file.stem}.gw*")]
        file.write_text(json.dumps(_joined(parts)), encoding="utf-8")

    def _found(self) -> dict[str, Any]:
        if self.recorded is None:
            return {"lines": {}, "seconds": {}}
        self.recorded.stop()
        data = self.recorded.get_data()
        lines = {
            Path(file).relative_to(PACKAGE).as_posix(): {
                str(line): [test for test in tests if test] for line, tests in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        return {"lines": lines, "seconds": self.seconds}


def _joined(parts: Iterable[dict[str, Any]]) -> dict[str, Any]:
    lines: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    seconds: dict[str, float] = {}
    for part in parts:
        seconds |= part["seconds"]
        for file, found in part["lines"].items():
            for line, tests in found.items():
                lines[file][line] += tests
    return {"lines": lines, "seconds": seconds}


def pytest_configure(config: pytest.Config) -> None:
    """Watch the tests of this run."""
    config.pluginmanager.register(Reached())
