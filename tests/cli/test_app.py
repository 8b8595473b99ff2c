from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import sfumato

HEAVY = ("numpy", "duckdb", "pyarrow", "numba", "pydantic", "jinja2", "pandas", "narwhals", "tomlkit")
MAIN = "from sfumato.cli.app import main; main()"


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, atexit\n"
        f"atexit.register(lambda: print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr))\n{MAIN}"
    )
    told = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    assert told.stderr.strip() == "[]"
    assert "publish" in told.stdout


def test_every_command_explains_itself() -> None:
    for command in ("init", "publish", "check", "list", "describe", "demo"):
        told = sfumato(command, "--help")
        assert told.exit_code == 0
        assert "--format" in told.stdout


def test_version_and_no_command() -> None:
    assert sfumato("--version").stdout.startswith("sfumato ")
    assert "Commands" in sfumato().output


def test_the_exit_codes_are_told() -> None:
    assert "3 infeasible" in " ".join(sfumato("--help").stdout.split())


ENDING = """
import atexit, sys, threading
atexit.register(lambda: print("last", file=sys.stderr))
if "thread" in sys.argv:
    sys.argv.remove("thread")
    done = threading.Event()
    threading.Thread(target=lambda: done.wait(0.2) or print("thread", file=sys.stderr)).start()
"""
"""Something to run at the end of the process, and on request a thread that works on."""


@pytest.mark.parametrize(("given", "code"), [(["list", "models"], 0), (["describe", "k_anonimity"], 2)])
@pytest.mark.parametrize("work", [[], ["thread"]])
def test_the_end_of_the_process_loses_nothing(given: list[str], code: int, work: list[str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ENDING + MAIN, *work, *given], capture_output=True, text=True, check=False
    )
    assert ended.returncode == code
    assert ended.stderr.splitlines()[-1:] == ["last"]
    assert ("thread" in ended.stderr.splitlines()) == bool(work)
    assert ("k_anonymity" in ended.stdout) == (code == 0)


@pytest.mark.skipif(os.name != "posix", reason="needs a pipe whose other end is closed")
def test_a_reader_that_stopped_reading_is_no_crash() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    run = [sys.executable, "-c", MAIN, "list", "algorithms"]
    ended = subprocess.run(run, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert "Traceback" not in ended.stderr


def test_commands_do_not_load_pandas(tmp_path: Path) -> None:
    """Reading, publishing and checking a file: pyarrow loads pandas with its first array if it finds it."""
    (tmp_path / "people.csv").write_text("age,sex\n" + "30,f\n31,m\n" * 10)
    code = f"import sys, atexit\natexit.register(lambda: print('pandas' in sys.modules, file=sys.stderr))\n{MAIN}"
    for given in (["init", "people.csv"], ["publish", "plan.toml"], ["check", "people.csv", "--quasi", "age"]):
        run = [sys.executable, "-c", code, *given]
        ended = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert ended.stderr.splitlines()[-1] == "False", given
