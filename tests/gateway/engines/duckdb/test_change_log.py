from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.engines.duckdb import change_log
from sfumato.gateway.engines.duckdb.change_log import ChangeLog

KEYS = st.none() | st.lists(st.integers(0, 9), max_size=4)


@pytest.fixture(scope="module")
def con() -> Iterator[Any]:
    with duckdb.connect() as con:
        yield con


def fresh(con: Any) -> ChangeLog:
    con.execute("DROP SCHEMA IF EXISTS sfumato_changes CASCADE")
    log = ChangeLog(con)
    log.prepare()
    log.prepare()
    return log


@given(changes=st.lists(st.tuples(st.sampled_from("ab"), KEYS), max_size=8))
def test_every_changed_key_is_known_since_the_last_change_of_unknown_rows(
    con: Any, changes: list[tuple[str, list[int] | None]]
) -> None:
    log = fresh(con)
    numbers = {"a": [0], "b": [0]}
    for table, keys in changes:
        log.add(table, None if keys is None else pa.array(keys, pa.int64()))
        numbers[table].append(log.state(table)[0])
    for table, seen in numbers.items():
        own = [keys for name, keys in changes if name == table]
        for at, since in enumerate(seen):
            found = log.keys(table, since)
            if None in own[at:]:
                assert found is None
            elif found is None:  # there is no log to look into, so nothing was written since it was last cleared
                assert not any(own[at:])
            else:
                assert set(found.to_pylist()) == {key for keys in own[at:] for key in keys or ()}
        assert all(
            (before == after) == (keys == []) for before, after, keys in zip(seen[:-1], seen[1:], own, strict=True)
        )


def test_too_many_keys_are_as_good_as_none(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_log, "MAX_KEYS", 3)
    log = fresh(con)
    log.add("a", pa.array([1, 2, 3]))
    assert sorted((log.keys("a", 0) or pa.array([])).to_pylist()) == [1, 2, 3]
    log.add("a", pa.array([4]))
    assert log.keys("a", 0) is None
    assert (log.keys("a", 1) or pa.array([])).to_pylist() == [4]
    log.add("a", pa.array([1, 2, 3, 4]))
    assert log.keys("a", 2) is None


def test_a_long_log_is_cleared(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_log, "_MAX_LOGGED", 5)
    log = fresh(con)
    for number in range(4):
        log.add("a", pa.array(["x", f"key {number}"]))
    assert log.keys("a", 0) is None
    assert sorted((log.keys("a", 3) or pa.array([])).to_pylist()) == ["key 3", "x"]


def test_numbers_from_elsewhere_are_not_answered(con: Any) -> None:
    log = fresh(con)
    log.add("a", pa.array([1]))
    assert log.keys("a", 7) is None
    assert log.keys("a", -1) is None


def test_the_last_change_is_remembered_once_it_was_kept(con: Any) -> None:
    log, other = fresh(con), ChangeLog(con)
    for keys, transaction_committed in (([1, 1], True), ([2], False)):
        log.transaction_begins()
        con.execute("BEGIN")
        log.add("a", pa.array(keys))
        con.execute("COMMIT" if transaction_committed else "ROLLBACK")
        if transaction_committed:
            log.transaction_committed()
    assert set(log.keys("a", 0).to_pylist()) == {1}
    other.transaction_begins()
    other.add("a", pa.array([3]))
    other.transaction_committed()
    log.transaction_begins()
    log.transaction_committed()
    assert [one.keys("a", 1).to_pylist() for one in (log, other)] == [[3], [3]]
    assert sorted(log.keys("a", 0).to_pylist()) == [1, 3]


def test_rows_without_a_key_are_as_good_as_unknown(con: Any) -> None:
    log = fresh(con)
    log.add("a", pa.array([1, None]))
    assert log.keys("a", 0) is None
    assert log.state("a") == (1, 1)
