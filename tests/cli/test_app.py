from __future__ import annotations

import subprocess
import sys

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
