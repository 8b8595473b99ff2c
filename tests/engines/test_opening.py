from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from sfumato.engines.base import Engine
from sfumato.engines.opening import ENGINES, columns_of, open_file, open_frame
from sfumato.errors import UsageError


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_opens_files_and_frames(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x;y\n1;2\n3;4\n", encoding="utf-8")
    for source in (open_file(path, engine=engine), open_frame(pa.table({"x": [1, 3], "y": [2, 4]}), engine=engine)):
        assert isinstance(source, Engine)
        assert source.columns == ("x", "y")
        assert source.count(["x"]).counts.tolist() == [1, 1]
    assert columns_of(path) == ("x", "y")


def test_an_engine_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no engine 'duckdp'; did you mean 'duckdb'"):
        open_frame(pa.table({"x": [1]}), engine="duckdp")
    with pytest.raises(UsageError, match="there is no engine 'spark'"):
        open_file(tmp_path / "a.csv", engine="spark")
