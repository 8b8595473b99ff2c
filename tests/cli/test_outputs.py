"""No command overwrites its input, or another file by accident."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.datasets import write_patients
from tests.cli.commands import refused, sfumato

COMMANDS = {
    "init": ("--output",),
    "knowledge mine": ("--quasi", "sex", "--sensitive", "diagnosis", "--output"),
    "mask": ("--with", "rounding", "--column", "age", "--out"),
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_patients(tmp_path / "patients.csv", 60)


@pytest.mark.parametrize("link", ["", "symbolic", "hard"])
@pytest.mark.parametrize("command", COMMANDS)
def test_an_input_is_never_overwritten(command: str, link: str, data: Path) -> None:
    before, output = data.read_bytes(), data.with_name("link.csv") if link else data
    if link == "symbolic":
        output.symlink_to(data)
    elif link == "hard":
        output.hardlink_to(data)
    for force in ((), ("--force",)):
        said = refused(sfumato(*command.split(), data, *COMMANDS[command], output, *force), 2)
        assert "would overwrite the input 'patients.csv'" in said
    assert data.read_bytes() == before


@pytest.mark.parametrize("command", COMMANDS)
def test_another_file_is_overwritten_only_on_request(command: str, data: Path) -> None:
    output = data.with_name("there.csv")
    output.write_text("mine")
    words = (*command.split(), data, *COMMANDS[command], output)
    assert "the file 'there.csv' exists" in refused(sfumato(*words), 2)
    assert output.read_text() == "mine"
    assert sfumato(*words, "--force").exit_code == 0
    assert output.read_text() != "mine"
