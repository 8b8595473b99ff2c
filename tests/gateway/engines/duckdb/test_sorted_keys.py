from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sfumato.gateway.engines.duckdb.sorted_keys import KeyRanges
from sfumato.gateway.engines.duckdb.worker_handle import WorkerHandle

NUMBERS = np.arange(1000)
SHUFFLED = np.random.default_rng(1).permutation(1000)
DAYS = [date(2020, 1, 1) + timedelta(days=int(number)) for number in NUMBERS]
HALVES = np.concatenate([NUMBERS[::2], NUMBERS[1::2]])


@pytest.mark.parametrize(
    ("keys", "is_sorted"),
    [
        (NUMBERS, True),
        (NUMBERS[::-1], True),
        (DAYS, True),
        (HALVES, True),
        (SHUFFLED, False),
        ([f"{number:04}" for number in NUMBERS], False),
        (NUMBERS / 2, False),
        (np.zeros(1000, dtype=int), False),
        ([None] * 1000, True),
        ([None if number % 7 == 3 else int(number) for number in NUMBERS], True),
        ([None if number % 7 == 3 else int(number) for number in SHUFFLED], False),
        ([None if number % 7 == 3 else day for number, day in enumerate(DAYS)], True),
        ([None if number % 7 == 3 else DAYS[place] for number, place in enumerate(SHUFFLED)], False),
        ([], True),
    ],
)
def test_sorted_numbers_and_days_need_no_index(keys: Any, is_sorted: bool) -> None:
    table = pa.table({"id": pa.array(keys, pa.int64() if len(keys) == 0 or keys[0] is None else None)})
    ranges = KeyRanges("id")
    assert len(list(ranges.observe_all(iter(table.to_batches(max_chunksize=100))))) == len(
        table.to_batches(max_chunksize=100)
    )
    assert ranges.is_sorted == is_sorted


@pytest.mark.parametrize(("keys", "number"), [(np.arange(600_000), 0), (SHUFFLED.repeat(600), 1)])
def test_an_index_is_made_where_it_is_of_use(keys: Any, number: int) -> None:
    with WorkerHandle.start(memory="256MB") as child:
        child.load("people", pa.table({"id": keys}), key="id")
        found = child.ask("SELECT count(*) AS n FROM duckdb_indexes()", seconds=5)
        assert found.to_pylist() == [{"n": number}]
        assert child.ask("SELECT count(*) > 0 AS there FROM people WHERE id = 7", seconds=5).to_pylist() == [
            {"there": True}
        ]
