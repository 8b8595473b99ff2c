from __future__ import annotations

from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from sfumato.plan import Plan
from sfumato.plan.publication import STEPS
from tests.plan.plans import put


def test_it_tells_files_seconds_and_the_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock goes on by a second whenever somebody looks at it: at the start of a step and at its end."""
    monkeypatch.setattr("sfumato.plan.publication.time", SimpleNamespace(perf_counter=count().__next__))
    outcome = Plan.read(put(tmp_path)).run()
    told = outcome.to_dict()
    assert told["files"] == {
        "release": str(tmp_path / "release.csv"),
        "certificate": str(tmp_path / "certificate.json"),
    }
    assert told["holds"] is True
    assert told["seconds"] == dict.fromkeys(STEPS, 1)
    assert outcome.verdicts == outcome.certificate.verdicts
