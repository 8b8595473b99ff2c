from __future__ import annotations

import json
import stat
from pathlib import Path

from tests.cli.commands import refused, sfumato


def test_a_new_key(tmp_path: Path) -> None:
    told = json.loads(sfumato("key", "new", tmp_path / "k", "--format", "json").stdout)
    assert told == {"key": str(tmp_path / "k")}
    assert stat.S_IMODE((tmp_path / "k").stat().st_mode) == 0o600
    assert (tmp_path / "k").read_text().strip() not in json.dumps(told)
    assert "exists" in refused(sfumato("key", "new", tmp_path / "k"), 2)
