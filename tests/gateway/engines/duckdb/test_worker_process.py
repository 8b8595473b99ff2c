from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pytest

from sfumato.gateway.engines.duckdb.worker_handle import WorkerHandle
from sfumato.gateway.engines.duckdb.worker_process import WithoutPandas


@pytest.mark.skipif(sys.platform != "linux", reason="reads what a process has mapped")
def test_a_child_never_loads_pandas() -> None:
    with WorkerHandle.start(memory="64MB") as child:
        child.load("some", pa.table({"id": [1], "x": ["a"]}), key="id")
        child.change("some", pa.array([1]), pa.table({"id": [1], "x": ["b"]}), "id")
        assert child.ask('SELECT x FROM "some" WHERE id = ?', [1], seconds=5).to_pylist() == [{"x": "b"}]
        mapped = Path(f"/proc/{child.pid}/maps").read_text(encoding="ascii")
        assert "duckdb" in mapped
        assert "pandas" not in mapped


def test_everything_else_is_found_as_ever() -> None:
    finder = WithoutPandas()
    assert finder.find_spec("numpy", None) is None
    with pytest.raises(ModuleNotFoundError, match="does not load pandas"):
        finder.find_spec("pandas", None)
