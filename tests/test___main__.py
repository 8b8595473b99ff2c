from __future__ import annotations

import subprocess
import sys


def test_the_package_runs_as_the_command_line() -> None:
    told = subprocess.run([sys.executable, "-m", "sfumato", "--version"], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("sfumato ")
