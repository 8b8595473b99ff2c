from __future__ import annotations

from pathlib import Path

from sfumato.plan import Plan
from tests.plan.plans import put


def test_it_tells_files_seconds_and_the_certificate(tmp_path: Path) -> None:
    outcome = Plan.read(put(tmp_path)).run()
    told = outcome.to_dict()
    assert told["files"] == {
        "release": str(tmp_path / "release.csv"),
        "certificate": str(tmp_path / "certificate.json"),
    }
    assert told["holds"] is True
    assert all(value >= 0 for value in told["seconds"].values())
    assert outcome.verdicts == outcome.certificate.verdicts
