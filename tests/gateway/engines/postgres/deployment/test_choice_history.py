"""The history of choices: every way to change one is in it, with who entered it."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest

from sfumato.errors import DataError, PolicyError
from sfumato.gateway.engines.postgres.deployment.choices import ChoiceColumn
from sfumato.gateway.engines.postgres.deployment.deployment import undeploy
from sfumato.gateway.engines.postgres.stored_choices import choice_history, store_choices
from sfumato.gateway.people.choices import ChoiceAuthor, choices_of
from sfumato.gateway.policy.policy import Policy
from tests.gateway.engines.postgres import shop

MAIL = ChoiceColumn(table="customer", key="id", column="mail")
NOTE = ChoiceColumn(table="orders", key="id", column="note")


@pytest.fixture
def deployed(postgres: str) -> str:
    shop.fill(postgres)
    deploy(postgres)
    return postgres


def deploy(conninfo: str, *columns: ChoiceColumn) -> None:
    every = columns or (shop.INCOME, MAIL, NOTE)
    shop.deployment(shop.role_prefix(conninfo), choice_columns=every).deploy(conninfo)


def run(conninfo: str, *statements: str) -> list[tuple[object, ...]]:
    with psycopg.connect(conninfo) as connection:
        for statement in statements:
            cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def told(conninfo: str, key: str, table: str = "customer") -> list[tuple[str, str, str]]:
    found = choice_history(conninfo, "sfumato", table, key)
    assert all(one.at.tzinfo for one in found)
    return [(one.column, one.choice, one.entered_by) for one in found]


def test_every_way_is_in_it(deployed: str) -> None:
    run(deployed, "UPDATE sfumato.intended_purposes SET choice = 'nothing' WHERE key = '2' AND column_name = 'income'")
    run(deployed, "SELECT sfumato.choose('customer', '2', 'mail', 'a range')")
    run(deployed, 'UPDATE customer SET "income.choice" = 1, "mail.choice" = 3 WHERE id = 2')
    run(deployed, "DELETE FROM sfumato.intended_purposes WHERE key = '2' AND column_name = 'income'")
    assert told(deployed, "2") == [
        ("income", "nothing", ""), ("mail", "a range", ""), ("income", "everything", ""), ("mail", "nothing", ""),
        ("income", "", ""),
    ]  # fmt: skip
    run(deployed, "INSERT INTO orders VALUES (77, 1, 1, 'x', 2), (78, 1, 1, 'x', NULL)")
    assert told(deployed, "77", "orders") == [("note", "a range", "")]
    assert told(deployed, "78", "orders") == told(deployed, "3") == []
    login = run(deployed, "SELECT session_user::text")[0][0]
    assert {one.login for one in choice_history(deployed, "sfumato", "customer", "2")} == {login}


def test_the_gateway_says_who_entered_it(deployed: str) -> None:
    columns = {name: {"by_choice": True} for name in ("income", "mail")}
    policy = Policy.of(
        {
            "name": "shop",
            "purposes": {"General": ["Marketing"]},
            "choices": {name: {"allowed": ["General"]} for name in shop.CHOICES},
            "tables": {"customer": {"key": "id", "columns": columns}},
        }
    )
    rows = choices_of([("1", "income", "nothing"), ("1", "mail", "nothing"), ("2", "mail", "")], policy, "customer")
    store_choices(deployed, "customer", "id", rows, ChoiceAuthor("olga"))
    store_choices(
        deployed, "customer", "id", choices_of([("1", "mail", "")], policy, "customer"), ChoiceAuthor("owner", "root")
    )
    assert told(deployed, "1") == [("income", "nothing", "olga"), ("mail", "nothing", "olga"), ("mail", "", "owner")]
    assert [one.login for one in choice_history(deployed, "sfumato", "customer", "1")] == ["", "", "root"]
    assert told(deployed, "2") == []


def test_what_does_not_change_is_not_in_it(deployed: str) -> None:
    run(deployed, 'UPDATE customer SET "income.choice" = 1', "UPDATE customer SET age = age + 1")
    run(deployed, 'UPDATE customer SET "income.choice" = 1, age = 5', 'UPDATE customer SET "mail.choice" = NULL')
    assert [len(told(deployed, key)) for key in "1234"] == [1, 1, 1, 1]


def test_it_is_of_the_same_transaction(deployed: str) -> None:
    with psycopg.connect(deployed) as connection:
        connection.execute('UPDATE customer SET "income.choice" = 1')
        connection.rollback()
    assert told(deployed, "1") == []


def test_somebody_who_may_change_the_table_alone_is_in_it_too(deployed: str) -> None:
    role = f"{shop.role_prefix(deployed)}_marketing"
    run(deployed, f'GRANT UPDATE, SELECT ON customer TO "{role}"')
    as_role = psycopg.conninfo.make_conninfo(deployed, user=role)
    run(as_role, "SET TRANSACTION READ WRITE", 'UPDATE public.customer SET "mail.choice" = 2 WHERE id = 1')
    assert [(one.choice, one.login) for one in choice_history(deployed, "sfumato", "customer", "1")] == [
        ("a range", role)
    ]
    for statement in ("SELECT * FROM sfumato.choice_history", "SELECT sfumato.record_choice()"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            run(as_role, statement)


def test_deploying_again_keeps_it(deployed: str) -> None:
    run(deployed, 'UPDATE customer SET "income.choice" = 1, "mail.choice" = 1 WHERE id = 1')
    deploy(deployed)
    deploy(deployed, shop.INCOME)
    run(deployed, 'UPDATE customer SET "income.choice" = 2, "mail.choice" = 2 WHERE id = 1')
    run(deployed, 'UPDATE orders SET "note.choice" = 2')
    assert [line[:2] for line in told(deployed, "1")] == [
        ("income", "everything"), ("mail", "everything"), ("income", "a range"),
    ]  # fmt: skip
    assert told(deployed, "10", "orders") == []


def test_a_policy_without_choices_keeps_it(deployed: str) -> None:
    run(deployed, 'UPDATE customer SET "income.choice" = 1 WHERE id = 1')
    marketing = shop.deployment(shop.role_prefix(deployed)).purposes[1:]
    shop.deployment(shop.role_prefix(deployed), purposes=marketing, choice_columns=()).deploy(deployed)
    run(deployed, 'UPDATE customer SET "income.choice" = 2 WHERE id = 1')
    assert len(told(deployed, "1")) == 1


def test_it_stays_as_long_as_the_choices_do(deployed: str) -> None:
    run(deployed, 'UPDATE customer SET "income.choice" = 1 WHERE id = 1')
    for _ in range(2):
        undeploy(deployed)
        assert len(told(deployed, "1")) == 1
    run(deployed, 'UPDATE customer SET "income.choice" = 2 WHERE id = 1')
    deploy(deployed)
    run(deployed, 'UPDATE customer SET "income.choice" = 3 WHERE id = 1')
    assert [line[1] for line in told(deployed, "1")] == ["everything", "nothing"]
    undeploy(deployed)
    undeploy(deployed, forget_choices=True)
    with pytest.raises(PolicyError, match="deploy the policy first"):
        choice_history(deployed, "sfumato", "customer", "1")


def test_one_that_is_empty_is_taken_back(deployed: str) -> None:
    undeploy(deployed)
    assert run(deployed, "SELECT to_regnamespace('sfumato') IS NULL") == [(True,)]


def test_parts_of_a_table_are_the_table(postgres: str) -> None:
    run(
        postgres,
        "CREATE TABLE customer (id integer, income integer) PARTITION BY RANGE (id)",
        "CREATE TABLE young PARTITION OF customer FOR VALUES FROM (0) TO (100)",
        "INSERT INTO customer VALUES (1, 5)",
    )
    role = shop.role_prefix(postgres)
    marketing = shop.deployment(role).purposes[1]
    views = {"customer": shop.select('SELECT "id" FROM "public"."customer"')}
    shop.deployment(role, purposes=(replace(marketing, views=views, flat_views={}),)).deploy(postgres)
    run(postgres, 'UPDATE young SET "income.choice" = 2')
    assert told(postgres, "1") == [("income", "a range", "")]


def test_a_database_that_is_not_there() -> None:
    with pytest.raises(DataError, match="cannot be reached"):
        choice_history("host=/nowhere dbname=shop", "sfumato", "shop", "1")
