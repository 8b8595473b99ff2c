from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from sfumato.gateway.engines.duckdb import commits


def test_every_change_is_counted() -> None:
    before = commits.number()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: commits.happened(), range(1000)))
    assert commits.number() == before + 1000
