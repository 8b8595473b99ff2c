from __future__ import annotations

import json
import stat
from pathlib import Path

from tests.cli.commands import refused, sfumato
from tests.plan.plans import put, tables


def test_a_new_key(tmp_path: Path) -> None:
    told = json.loads(sfumato("key", "new", tmp_path / "k", "--format", "json").stdout)
    assert told == {"key": str(tmp_path / "k")}
    assert stat.S_IMODE((tmp_path / "k").stat().st_mode) == 0o600
    assert (tmp_path / "k").read_text().strip() not in json.dumps(told)
    assert "exists" in refused(sfumato("key", "new", tmp_path / "k"), 2)


def test_the_digest_of_a_file_is_that_of_the_certificate(tmp_path: Path) -> None:
    sfumato("key", "new", tmp_path / "input.key")
    plan = put(tmp_path, {**tables(), "output": {"path": "r.csv", "certificate": "c.json", "digest_key": "input.key"}})
    assert sfumato("publish", plan).exit_code == 0
    told = json.loads((tmp_path / "c.json").read_text())["input"]["digest"]
    found = sfumato("key", "digest", tmp_path / "input.key", tmp_path / "patients.csv")
    assert found.stdout.strip() == told["value"]
    plain = sfumato("key", "digest", tmp_path / "input.key", tmp_path / "patients.csv", "--format", "json").stdout
    assert json.loads(plain) == told
    assert "cannot be read" in refused(sfumato("key", "digest", tmp_path / "input.key", tmp_path / "none"), 4)
