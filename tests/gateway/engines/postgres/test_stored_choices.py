from __future__ import annotations

import psycopg
import pyarrow as pa
import pytest

from sfumato.errors import DataError, PolicyError, StatementError
from sfumato.gateway.engines.postgres.stored_choices import store_choices
from sfumato.gateway.people.choices import OWNER, ChoiceAuthor
from tests.gateway.engines.postgres.shop import deployment, fill, role_prefix


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
    store_choices(shop, "shop", "id", [places("a", _1=5, _2=0), places("b", _2=7)])
    assert kept(shop) == [(1, 5, 3), (2, None, 7)]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (places("c", _1=7), PolicyError),
        (places("b", x=7), StatementError),
        (pa.table({"id": ["1", "1"], "b.choice": pa.array([1, 2], pa.int16())}), StatementError),
    ],
)
def test_all_of_them_or_none(shop: str, wrong: pa.Table, error: type[Exception]) -> None:
    with pytest.raises(error) as raised:
        store_choices(shop, "shop", "id", [places("a", _1=5), wrong])
    assert raised.value.__context__ is None
    assert kept(shop) == [(1, 3, 3), (2, 3, 3)]


OTHER = "choices for 'shop' have keys in another format than the table."


@pytest.mark.parametrize("wrong", ["?", "01", "1.5", "99999999999", "a\0b", ""])
@pytest.mark.parametrize("key", ["1", "9"])
def test_whoever_may_choose_does_not_learn_who_is_in_the_table(shop: str, key: str, wrong: str) -> None:
    """All keys are looked over before the table is; what comes first in the list does not matter."""
    bad = pa.table({"id": [wrong], "b.choice": pa.array([1], pa.int16())})
    good = pa.table({"id": [key], "a.choice": pa.array([1], pa.int16())})
    for choices in ([good, bad], [bad, good]):
        with pytest.raises(StatementError) as raised:
            store_choices(shop, "shop", "id", choices, ChoiceAuthor("form"))
        assert str(raised.value) == OTHER
    assert kept(shop) == [(1, 3, 3), (2, 3, 3)]


def test_choices_of_nobody_are_taken_like_others(shop: str, caplog: pytest.LogCaptureFixture) -> None:
    store_choices(shop, "shop", "id", [places("a", _1=5, _9=5), places("b", _9=7)], ChoiceAuthor("form"))
    assert kept(shop) == [(1, 5, 3), (2, 3, 3)]
    assert [record.getMessage() for record in caplog.records] == [
        "2 choices for 'shop' have keys that are not in the table, and were not stored."
    ]


def test_the_owner_is_told_that_somebody_is_not_there(shop: str) -> None:
    with pytest.raises(StatementError, match="a key that is not in the table"):
        store_choices(shop, "shop", "id", [places("a", _1=5, _9=5)], ChoiceAuthor(OWNER, "olga"))
    assert kept(shop) == [(1, 3, 3), (2, 3, 3)]


def test_keys_that_are_equal_are_one_key(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        connection.execute('CREATE TABLE "shop" ("id" numeric PRIMARY KEY, "a.choice" smallint)')
    twice = pa.table({"id": ["1.0", "1.00"], "a.choice": pa.array([1, 2], pa.int16())})
    with pytest.raises(StatementError, match="twice"):
        store_choices(postgres, "shop", "id", [twice], ChoiceAuthor("form"))


def test_a_key_that_a_domain_forbids(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        connection.execute("CREATE DOMAIN small AS integer CHECK (VALUE < 10)")
        connection.execute('CREATE TABLE "shop" ("id" small PRIMARY KEY, "a.choice" smallint)')
    with pytest.raises(StatementError, match="in another format"):
        store_choices(postgres, "shop", "id", [places("a", _11=1)], ChoiceAuthor("form"))


def test_a_database_that_is_not_there() -> None:
    with pytest.raises(DataError, match="cannot be reached"):
        store_choices("host=/nowhere dbname=shop", "shop", "id", [])


@pytest.mark.parametrize(
    ("change", "noted"),
    [
        ("ALTER TABLE customer ADD CHECK (id > 2) NOT VALID", True),
        ("ALTER TABLE customer ADD CHECK (id > 0)", False),
        ("CREATE TRIGGER guard BEFORE UPDATE ON customer FOR EACH ROW EXECUTE FUNCTION guard()", True),
        ("CREATE TRIGGER guard BEFORE INSERT ON customer FOR EACH ROW EXECUTE FUNCTION guard()", False),
        ("ALTER TABLE orders ADD CHECK (id > 2) NOT VALID", False),
    ],
)
def test_what_can_keep_a_choice_from_a_row_is_told_to_whoever_deploys(postgres: str, change: str, noted: bool) -> None:
    fill(postgres)
    with psycopg.connect(postgres) as connection:
        connection.execute("CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'")
        connection.execute(change.encode())
    for _ in range(2):
        notes = deployment(role_prefix(postgres)).deploy(postgres).notes
        assert ["'public.customer' has triggers" in note for note in notes].count(True) == noted
