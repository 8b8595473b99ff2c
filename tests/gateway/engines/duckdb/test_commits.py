from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from sfumato.gateway.engines.duckdb import commits


def test_every_change_is_counted() -> None:
    before = commits.commit_count()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: commits.record_commit(), range(1000)))
    assert commits.commit_count() == before + 1000
