"""Runs commands as a user does, and watches that nothing secret is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from sfumato.cli.app import app

CANARIES = ("Zebulon Quist", "zq-7781", "SECRETITIS", "hush-disease")
"""Names, numbers and illnesses that no message may ever repeat."""


def sfumato(*words: object) -> Result:
    """Run a command."""
    return CliRunner().invoke(app, [str(word) for word in words])


def refused(result: Result, code: int) -> str:
    """The one sentence of a refusal; it tells no value of a record and shows no traceback."""
    told = result.output
    assert result.exit_code == code, told
    assert result.stdout == ""
    assert result.stderr.startswith("sfumato: ")
    assert len(result.stderr.strip().splitlines()) == 1
    assert "Traceback" not in told
    assert not [canary for canary in CANARIES if canary in told]
    return result.stderr


def canary_csv(path: Path, rows: int = 12, **columns: Any) -> Path:
    """A table whose names and illnesses are canaries; given columns replace or extend its own."""
    table: dict[str, list[str]] = {
        "name": [f"{CANARIES[0]} {CANARIES[1]} {row}" for row in range(rows)],
        "age": [str(20 + row % 3) for row in range(rows)],
        "job": [("cook", "nurse")[row % 2] for row in range(rows)],
        "ill": [CANARIES[2 + row % 2] for row in range(rows)],
    }
    table |= columns
    lines = [",".join(table), *(",".join(row) for row in zip(*table.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def canary_plan(folder: Path, **changes: str) -> Path:
    """A plan for the canary table, section by section; a given section replaces its own."""
    sections = {
        "data": '[data]\npath = "people.csv"',
        "name": '[columns.name]\nrole = "identifier"',
        "age": '[columns.age]\nrole = "quasi"',
        "job": '[columns.job]\nrole = "quasi"',
        "ill": '[columns.ill]\nrole = "sensitive"',
        "model": '[[models]]\nname = "k_anonymity"\nk = 3',
        "algorithm": '[algorithm]\nname = "mondrian"\ncut = "median"',
        "output": '[output]\npath = "release.csv"\ncertificate = "certificate.json"',
    }
    (folder / "plan.toml").write_text("\n\n".join((sections | changes).values()) + "\n", encoding="utf-8")
    return folder / "plan.toml"
