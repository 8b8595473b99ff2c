from __future__ import annotations

import json
from pathlib import Path

from sfumato.plan import Plan
from tests.cli.commands import refused, sfumato


def test_it_publishes_a_patient_table_from_a_plan(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "demo"
    told = json.loads(sfumato("demo", folder, "--format", "json").stdout)
    assert told["holds"] is True
    assert sorted(path.name for path in folder.iterdir()) == [
        "certificate.json",
        "patients.csv",
        "plan.toml",
        "release.csv",
        "report.html",
    ]
    assert all(Path(path).stat().st_size > 0 for path in told["files"].values())
    assert told["measured"]["k"] >= 10


def test_what_is_there_is_used_as_it_is(tmp_path: Path) -> None:
    from sfumato.cli.demo import prepare

    plan = prepare(tmp_path)
    plan.write_text(plan.read_text().replace("k = 10", "k = 12"))
    assert prepare(tmp_path) == plan
    assert str(Plan.read(plan).model()).startswith("k_anonymity(k=12)")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "cannot be created" in refused(sfumato("demo", tmp_path / "file" / "demo"), 4)
