from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import DataError, LimitError
from sfumato.gateway.engines.duckdb import snapshots
from sfumato.gateway.engines.duckdb.snapshots import Snapshots
from sfumato.gateway.engines.duckdb.worker_handle import WorkerHandle
from sfumato.gateway.engines.duckdb.worker_pool import WorkerPool


class Plain:
    """A holder that is a dictionary."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[int, int]] = {}
        self.done: list[str] = []

    def load(self, name: str, batches: pa.RecordBatchReader | pa.Table, *, key: str | None = None) -> None:
        rows = batches.read_all() if isinstance(batches, pa.RecordBatchReader) else batches
        self.tables[name] = dict(zip(*rows.to_pydict().values(), strict=True))
        self.done.append("load")

    def change(self, name: str, gone: pa.Array, rows: pa.Table, key: str) -> None:
        if rows.column_names != ["id", "v"]:
            raise DataError("other columns.")
        kept = {one: v for one, v in self.tables[name].items() if one not in gone.to_pylist()}
        self.tables[name] = kept | dict(zip(*rows.to_pydict().values(), strict=True))
        self.done.append("change")


class Source:
    """Rows that change, with a log of keys."""

    def __init__(self) -> None:
        self.rows: dict[int, int] = {1: 10, 2: 20}
        self.log: list[int] = []

    @property
    def epoch(self) -> int:
        return len(self.log)

    def set(self, key: int, value: int | None) -> None:
        self.rows.pop(key, None)
        if value is not None:
            self.rows[key] = value
        self.log.append(key)

    def table(self, keys: set[int] | None = None) -> pa.Table:
        chosen = {key: v for key, v in self.rows.items() if keys is None or key in keys}
        return pa.table({"id": pa.array(chosen, pa.int64()), "v": pa.array(chosen.values(), pa.int64())})

    def build(self) -> pa.RecordBatchReader:
        return self.table().to_reader()

    def changed(self, since: int) -> tuple[pa.Array, pa.Table] | None:
        keys = set(self.log[since:])
        return (pa.array(sorted(keys), pa.int64()), self.table(keys)) if len(keys) < 3 else None


def ensured(kept: Snapshots, source: Source, name: str = "r", key: str | None = "id") -> None:
    kept.ensure(name, source.epoch, source.build, source.changed, key=key)


def loaded_epoch(kept: Snapshots, name: str) -> Any:
    """The epoch of a relation; None if it counts as not loaded."""
    loaded = kept._loaded.get(name)
    return None if loaded is None else loaded.epoch


def test_nothing_is_done_while_nothing_changes() -> None:
    holder, source = Plain(), Source()
    kept = Snapshots(holder)
    for _ in range(3):
        ensured(kept, source)
    assert (holder.done, loaded_epoch(kept, "r"), loaded_epoch(kept, "other")) == (["load"], 0, None)


@given(st.lists(st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(0, 9)), max_size=5), max_size=6))
def test_what_is_kept_is_what_is_there(rounds: list[list[tuple[int, int | None]]]) -> None:
    holder, source = Plain(), Source()
    kept = Snapshots(holder)
    for changes in rounds:
        for key, value in changes:
            source.set(key, value)
        ensured(kept, source)
        assert holder.tables["r"] == source.rows
        assert loaded_epoch(kept, "r") == source.epoch


def test_few_changes_are_applied_and_many_are_built_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "MAX_CHANGED", 3)
    holder, source = Plain(), Source()
    kept = Snapshots(holder)
    for keys in ([], [1], [1, 2], [1], [1, 2, 3], [1]):
        for key in keys:
            source.set(key, 7)
        ensured(kept, source)
    assert holder.done == ["load", "change", "change", "load", "load", "change"]


def test_without_a_key_everything_is_built_anew() -> None:
    holder, source = Plain(), Source()
    kept = Snapshots(holder)
    ensured(kept, source, key=None)
    source.set(1, 5)
    ensured(kept, source, key=None)
    assert holder.done == ["load", "load"]
    assert holder.tables["r"] == {1: 5, 2: 20}


def test_rows_with_other_columns_are_built_anew() -> None:
    holder, source = Plain(), Source()
    kept = Snapshots(holder)
    ensured(kept, source)
    other = pa.table({"id": [1], "w": [2]})
    kept.ensure("r", 1, other.to_reader, lambda _: (pa.array([1]), other), key="id")
    assert holder.done == ["load", "load"]
    assert holder.tables["r"] == {1: 2}


def test_what_fails_is_built_anew_the_next_time() -> None:
    class Failing(Plain):
        fails = False

        def change(self, name: str, gone: pa.Array, rows: pa.Table, key: str) -> None:
            super().change(name, gone, rows, key)
            if self.fails:
                raise LimitError("half of it.")

    holder, source = Failing(), Source()
    kept = Snapshots(holder)
    ensured(kept, source)
    source.set(1, 5)
    holder.fails = True
    with pytest.raises(LimitError):
        ensured(kept, source)
    assert loaded_epoch(kept, "r") is None
    holder.fails = False
    ensured(kept, source)
    assert holder.done == ["load", "change", "load"]


def test_a_source_that_fails_leaves_nothing_to_answer_from() -> None:
    def failing() -> Any:
        raise DataError("away.")

    kept, source = Snapshots(Plain()), Source()
    ensured(kept, source)
    with pytest.raises(DataError):
        kept.ensure("r", "another", failing, key="id")
    assert loaded_epoch(kept, "r") is None


def test_other_relations_go_on_while_one_is_built() -> None:
    kept, source, building, go_on = Snapshots(Plain()), Source(), threading.Event(), threading.Event()

    def slow() -> pa.RecordBatchReader:
        building.set()
        go_on.wait(10)
        return source.build()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(kept.ensure, "slow", 0, slow)
        building.wait(10)
        second = pool.submit(kept.ensure, "slow", 0, slow)
        ensured(kept, source, "quick")
        assert (loaded_epoch(kept, "quick"), first.done(), second.done()) == (0, False, False)
        go_on.set()
        first.result(10)
        second.result(10)
    assert loaded_epoch(kept, "slow") == 0


def test_a_new_child_gets_everything_and_what_it_cannot_get_counts_as_lost() -> None:
    def failing() -> Any:
        raise DataError("away.")

    kept, source = Snapshots(Plain()), Source()
    ensured(kept, source, "a")
    ensured(kept, source, "b")
    kept._recipes["b"] = snapshots._Recipe(failing, "id")
    fresh = Plain()
    kept.reload(fresh)
    assert fresh.tables == {"a": source.rows}
    assert (loaded_epoch(kept, "a"), loaded_epoch(kept, "b")) == (0, None)


def test_what_is_lost_while_it_is_built_is_not_kept() -> None:
    holder, source = Plain(), Source()
    kept = Snapshots(holder)

    def build() -> pa.RecordBatchReader:
        kept._failed.add("r")
        return source.build()

    kept.ensure("r", 0, build)
    assert loaded_epoch(kept, "r") is None


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool.start(2, memory="128MB") as pool:
        yield pool


def test_no_answer_is_older_than_what_was_ensured(pool: WorkerPool) -> None:
    """Writers change a row while others ask for it: whoever has seen a version never gets an earlier one."""
    kept, source, guard = Snapshots(pool), Source(), threading.Lock()
    pool.reload = kept.reload
    stop = threading.Event()
    seen: list[int] = []

    def build() -> pa.RecordBatchReader:
        with guard:
            return source.build()

    def changed(since: int) -> tuple[pa.Array, pa.Table] | None:
        with guard:
            return source.changed(since)

    def ask() -> None:
        while not stop.is_set():
            with guard:
                epoch, least = source.epoch, source.rows[1]
            kept.ensure("live", epoch, build, changed, key="id")
            found = pool.ask("SELECT v FROM live WHERE id = 1", seconds=10).column("v").to_pylist()
            assert len(found) == 1
            assert found[0] >= least
            seen.append(found[0])

    with ThreadPoolExecutor(3) as threads:
        asking = [threads.submit(ask) for _ in range(3)]
        killed, due = False, time.monotonic() + 20
        while len(seen) < 40 and time.monotonic() < due and not any(one.done() for one in asking):
            with guard:
                source.set(1, source.rows[1] + 1)
            time.sleep(0.01)
            if len(seen) > 20 and not killed:
                os.kill(pool._workers[0].pid, signal.SIGKILL)
                killed = True
        stop.set()
        for one in asking:
            one.result(20)
    assert killed
    assert len(set(seen)) > 2


def test_a_single_child_will_do() -> None:
    source = Source()
    with WorkerHandle.start(memory="64MB") as child:
        kept = Snapshots(child)
        ensured(kept, source)
        source.set(2, None)
        ensured(kept, source)
        assert child.ask("SELECT * FROM r", seconds=5).to_pylist() == [{"id": 1, "v": 10}]
