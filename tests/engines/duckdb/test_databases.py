"""Databases that are shared, by threads too, and that a forked process leaves to its parent."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sfumato.engines.duckdb import databases
from sfumato.engines.duckdb.databases import Database, shared_database

FORK = """
import os, signal, sys
import pyarrow as pa
from sfumato.engines.duckdb.engine import DuckdbEngine
from sfumato.engines.duckdb.relation import Relation

frame = pa.table({"v": pa.array([f"x{place}" for place in range(50)] * 1_200)})

def sources():
    disconnected = DuckdbEngine.over_frame(frame)
    disconnected.count(["v"])
    opened = DuckdbEngine.over_frame(frame)
    opened.domains(["v"])
    return disconnected, opened, Relation("frame", ["v"], described="the frame", size=10**9, frame=frame)

def ask(disconnected, opened, large):
    assert disconnected.count(["v"]).counts.sum() == 60_000
    assert opened.group_sizes(["v"])[0].tolist() == [1_200]
    assert large.number(f"SELECT count(*) FROM {large.source}") == 60_000

def disconnect(disconnected, opened, large):
    opened._relation.disconnect()
    large.disconnect()

held = sources() if "held" in sys.argv else [one.count(["v"]) for one in sources()[:2]]
work = {"idle": lambda *_: None, "asking": ask, "disconnecting": disconnect}[sys.argv[1]]
child = os.fork()
if not child:
    signal.alarm(30)  # a child that waits for a thread of its parent would wait for ever
    work(*(held if "held" in sys.argv else sources()))
    sys.exit(0)
print(os.waitpid(child, 0)[1])
ask(*(held if "held" in sys.argv else sources()))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
@pytest.mark.parametrize("held", ["held", "dropped"])
@pytest.mark.parametrize("work", ["idle", "asking", "disconnecting"])
def test_a_forked_process_ends_well_and_its_parent_goes_on(work: str, held: str) -> None:
    script = [sys.executable, "-W", "error", "-c", FORK, work, held]
    found = subprocess.run(script, capture_output=True, text=True, timeout=600, check=False)
    assert (found.returncode, found.stdout) == (0, "0\n"), found.stderr
    assert held == "held" or not found.stderr


def test_threads_that_start_together_share_one_database(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Database):
        def __init__(self) -> None:
            time.sleep(0.05)
            super().__init__()

    monkeypatch.setattr(databases, "_shared", [])
    monkeypatch.setattr(databases, "Database", Slow)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: shared_database(), range(4)))
    assert len(set(map(id, found))) == 1


def test_a_database_that_failed_is_replaced() -> None:
    first = shared_database()
    assert shared_database() is first
    first.usable = False
    assert shared_database() is not first
