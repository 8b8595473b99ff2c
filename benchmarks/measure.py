"""Measure one thing in a fresh process: wall seconds, CPU seconds, peak memory.

A command is measured as a whole. A task is a function of this package, called by `python -m benchmarks.measure` in a
child; it may time its own steps with `timed` and answers with plain data.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_UNIT = 1 if sys.platform == "darwin" else 1024


class Failed(Exception):
    """A measured process did not end well."""


class OutOfTime(Failed):
    """A measured process was stopped at its limit."""


@dataclass(frozen=True)
class Measured:
    """What one process cost; `answer` is what a task said, or the last line a command printed if it is JSON."""

    wall: float
    cpu: float
    peak: float
    answer: Mapping[str, Any] = field(default_factory=dict)

    @property
    def megabytes(self) -> float:
        """Peak resident memory in millions of bytes."""
        return self.peak / 1e6


@dataclass
class Lap:
    """Seconds of one step inside a process, known when the step is over."""

    wall: float = 0.0
    cpu: float = 0.0


@contextmanager
def timed() -> Iterator[Lap]:
    """Time a step."""
    lap, wall, cpu = Lap(), time.perf_counter(), time.process_time()
    yield lap
    lap.wall, lap.cpu = time.perf_counter() - wall, time.process_time() - cpu


def repeated(step: Callable[[], Any], repeat: int) -> Lap:
    """The median of several laps of the same step."""
    laps = []
    for _ in range(repeat):
        with timed() as lap:
            step()
        laps.append(lap)
    return Lap(median(lap.wall for lap in laps), median(lap.cpu for lap in laps))


def alternated(steps: Mapping[str, Callable[[], Any]], repeat: int) -> dict[str, Lap]:
    """Medians of several steps of one process, taken in turn after a round that only warms up."""
    laps: dict[str, list[Lap]] = {name: [] for name in steps}
    for place in range(repeat + 1):
        for name, step in steps.items():
            with timed() as lap:
                step()
            if place:
                laps[name].append(lap)
    return {
        name: Lap(median(lap.wall for lap in several), median(lap.cpu for lap in several))
        for name, several in laps.items()
    }


def command(argv: Sequence[str | Path], *, limit: float | None = None) -> Measured:
    """Run a command in a fresh process, stopped after `limit` seconds."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        process = subprocess.Popen([str(part) for part in argv], stdout=out, stderr=err, cwd=ROOT, env=_environment())
        late = threading.Event()
        status, usage = _waited(process, limit, late)
        wall = time.perf_counter() - start
        if late.is_set():
            raise OutOfTime(f"stopped after {limit:.0f} s")
        if status:
            raise Failed(f"{Path(argv[0]).name} ended with {status}: {_last_line(err)}")
        cpu = usage.ru_utime + usage.ru_stime
        return Measured(wall, cpu, usage.ru_maxrss * _UNIT, _read_answer(_last_line(out)))


def task(function: str, /, *, limit: float | None = None, **arguments: Any) -> Measured:
    """Call `module:function` of this package in a fresh process, with plain arguments."""
    given = json.dumps(arguments, default=str)
    return command([sys.executable, "-m", "benchmarks.measure", function, given], limit=limit)


def interleaved(runs: Mapping[str, Callable[[], Measured]], repeat: int) -> dict[str, Measured]:
    """Run all of them in turn, several times, so that a slow minute of the machine hits all alike; medians."""
    found: dict[str, list[Measured]] = {name: [] for name in runs}
    for _ in range(repeat):
        for name, run in runs.items():
            found[name].append(run())
    return {name: _median(several) for name, several in found.items()}


def _median(several: Sequence[Measured]) -> Measured:
    answer = {
        key: median(one.answer[key] for one in several) if isinstance(value, int | float) else value
        for key, value in several[-1].answer.items()
    }
    wall, cpu, peak = (median(getattr(one, name) for one in several) for name in ("wall", "cpu", "peak"))
    return Measured(wall, cpu, peak, answer)


def _waited(process: subprocess.Popen[bytes], limit: float | None, late: threading.Event) -> tuple[int, Any]:
    """Wait with `wait4`, which alone tells what this very child has used."""

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(limit, stop) if limit is not None else None
    if timer is not None:
        timer.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        process.kill()
        raise
    finally:
        if timer is not None:
            timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage


def _environment() -> dict[str, str]:
    """Byte code may be kept, so that only the first of several runs compiles."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def _last_line(stream: Any) -> str:
    stream.seek(0)
    lines = stream.read().decode(errors="replace").strip().splitlines()
    return str(lines[-1]) if lines else ""


def _read_answer(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def main() -> None:
    """The child's side of `task`."""
    place, given = sys.argv[1:]
    module, function = place.split(":")
    answer = getattr(import_module(module), function)(**json.loads(given))
    print(json.dumps(answer or {}))


if __name__ == "__main__":
    main()
