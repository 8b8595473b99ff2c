from __future__ import annotations

import psycopg
import pyarrow as pa
import pytest

from sfumato.errors import DataError, PolicyError, StatementError
from sfumato.gateway.postgres.choosing import choose


@pytest.fixture
def shop(postgres: str) -> str:
    with psycopg.connect(postgres) as connection:
        connection.execute('CREATE TABLE "shop" ("id" integer PRIMARY KEY, "a.choice" smallint, "b.choice" smallint)')
        connection.execute("INSERT INTO shop VALUES (1, 3, 3), (2, 3, 3)")
    return postgres


def kept(conninfo: str) -> list[tuple[object, ...]]:
    with psycopg.connect(conninfo) as connection:
        return connection.execute("SELECT * FROM shop ORDER BY id").fetchall()


def places(column: str, **chosen: int) -> pa.Table:
    return pa.table(
        {"id": [key.strip("_") for key in chosen], f"{column}.choice": pa.array(chosen.values(), pa.int16())}
    )


def test_choices_are_kept_beside_values(shop: str) -> None:
    choose(shop, "shop", "id", [places("a", _1=5, _2=0), places("b", _2=7)])
    assert kept(shop) == [(1, 5, 3), (2, None, 7)]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (places("b", _9=7), StatementError),
        (places("c", _1=7), PolicyError),
        (places("b", x=7), StatementError),
        (pa.table({"id": ["1", "1"], "b.choice": pa.array([1, 2], pa.int16())}), StatementError),
    ],
)
def test_all_of_them_or_none(shop: str, wrong: pa.Table, error: type[Exception]) -> None:
    with pytest.raises(error) as raised:
        choose(shop, "shop", "id", [places("a", _1=5), wrong])
    assert raised.value.__context__ is None
    assert kept(shop) == [(1, 3, 3), (2, 3, 3)]


def test_a_database_that_is_not_there() -> None:
    with pytest.raises(DataError, match="cannot be reached"):
        choose("host=/nowhere dbname=shop", "shop", "id", [])
