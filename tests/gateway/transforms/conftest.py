"""Both engines, for every test of what transforms mean in SQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.gateway.transforms.asking import Engine, duckdb_engine, postgres_engine
from tests.postgres import Server


@pytest.fixture(scope="session")
def on_duckdb() -> Iterator[Engine]:
    with duckdb_engine() as engine:
        yield engine


@pytest.fixture(scope="session")
def on_postgres(postgres_server: Server) -> Iterator[Engine]:
    with postgres_server.database() as conninfo, postgres_engine(conninfo) as engine:
        yield engine


@pytest.fixture(params=["duckdb", "postgres"])
def engine(request: pytest.FixtureRequest) -> Engine:
    found: Engine = request.getfixturevalue(f"on_{request.param}")
    return found
