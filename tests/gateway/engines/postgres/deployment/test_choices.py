"""Choices of people: listed by name, changed by name, found by index."""

from __future__ import annotations

import psycopg
import pytest

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.deployment.choices import ChoiceColumn, key_types
from tests.gateway.engines.postgres import shop

MAIL = ChoiceColumn(table="customer", key="id", column="mail")
NOTE = ChoiceColumn(table="orders", key="id", column="note")


@pytest.fixture
def deployed(postgres: str) -> str:
    shop.fill(postgres)
    columns = (shop.INCOME, MAIL, NOTE)
    shop.deployment(shop.role_prefix(postgres), choice_columns=columns).deploy(postgres)
    return postgres


def rows(conninfo: str, *statements: str) -> list[tuple[object, ...]]:
    with psycopg.connect(conninfo) as connection:
        for statement in statements:
            cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


LISTED = "SELECT choice FROM sfumato.intended_purposes WHERE column_name = 'income' ORDER BY key"
KEPT = 'SELECT "income.choice" FROM customer ORDER BY id'


def test_nobody_has_chosen_at_first(deployed: str) -> None:
    assert rows(deployed, LISTED) == [(None,)] * 4
    assert rows(deployed, "SELECT count(*) FROM sfumato.intended_purposes") == [(4 + 4 + 3,)]


def test_the_list_has_names_for_numbers(deployed: str) -> None:
    shop.choose(deployed)
    assert rows(deployed, LISTED) == [("nothing",), ("a range",), ("everything",), (None,)]
    assert rows(deployed, "SELECT * FROM sfumato.intended_purposes WHERE choice IS NOT NULL ORDER BY key LIMIT 1") == [
        ("customer", "1", "income", "nothing")
    ]


def test_a_choice_is_changed_through_the_list(deployed: str) -> None:
    where = "WHERE table_name = 'customer' AND key = '2' AND column_name = 'income'"
    rows(deployed, f"UPDATE sfumato.intended_purposes SET choice = 'nothing' {where}")
    assert rows(deployed, KEPT) == [(None,), (3,), (None,), (None,)]
    rows(deployed, "INSERT INTO sfumato.intended_purposes VALUES ('customer', '4', 'income', 'everything')")
    assert rows(deployed, KEPT) == [(None,), (3,), (None,), (1,)]
    rows(deployed, f"DELETE FROM sfumato.intended_purposes {where}")
    assert rows(deployed, KEPT) == [(None,), (None,), (None,), (1,)]
    assert rows(deployed, 'SELECT count(*) FROM customer WHERE "mail.choice" IS NOT NULL') == [(0,)]


def test_a_choice_is_changed_by_its_key(deployed: str) -> None:
    rows(deployed, "SELECT sfumato.choose('customer', '3', 'income', 'a range')")
    rows(deployed, "SELECT sfumato.choose('orders', '11', 'note', 'nothing')")
    assert rows(deployed, KEPT) == [(None,), (None,), (2,), (None,)]
    assert rows(deployed, 'SELECT "note.choice" FROM orders ORDER BY id') == [(None,), (3,), (None,)]
    rows(deployed, "SELECT sfumato.choose('customer', '3', 'income', NULL)")
    assert rows(deployed, KEPT) == [(None,)] * 4


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("SELECT sfumato.choose('customer', '3', 'income', 'whatever')", "no choice of this name"),
        ("SELECT sfumato.choose('customer', '3', 'age', 'nothing')", "do not choose about this column"),
        ("SELECT sfumato.choose('shop', '3', 'income', 'nothing')", "do not choose about this column"),
        ("SELECT sfumato.choose('customer', '99', 'income', 'nothing')", "no row has this key"),
        ("UPDATE sfumato.intended_purposes SET key = '3'", "only the choice can be changed"),
    ],
)
def test_what_cannot_be_chosen_is_refused(deployed: str, statement: str, said: str) -> None:
    with pytest.raises(psycopg.errors.RaiseException, match=said):
        rows(deployed, statement)
    assert rows(deployed, KEPT) == [(None,)] * 4


def test_a_choice_shows_at_once(deployed: str) -> None:
    asked = 'SELECT "income.lo", "income.hi" FROM marketing.customer WHERE id = 2'
    assert rows(deployed, asked) == [(None, None)]
    rows(deployed, "SELECT sfumato.choose('customer', '2', 'income', 'a range')")
    assert rows(deployed, asked) == [(20000, 29999)]
    rows(deployed, "SELECT sfumato.choose('customer', '2', 'income', 'everything')")
    assert rows(deployed, asked) == [(23457, 23457)]


def test_choosing_by_key_uses_the_index(deployed: str) -> None:
    body = "SELECT prosrc FROM pg_proc WHERE proname = 'choose'"
    assert '"id" = CAST($2 AS integer)' in str(rows(deployed, body)[0][0])
    assert '"id" = CAST($2 AS bigint)' in str(rows(deployed, body)[0][0])


def test_columns_that_are_chosen_about_no_more_leave_the_list(deployed: str) -> None:
    shop.deployment(shop.role_prefix(deployed)).deploy(deployed)
    assert rows(deployed, "SELECT DISTINCT column_name FROM sfumato.intended_purposes") == [("income",)]
    marketing = shop.deployment(shop.role_prefix(deployed)).purposes[1:]
    shop.deployment(shop.role_prefix(deployed), purposes=marketing, choice_columns=()).deploy(deployed)
    assert rows(deployed, "SELECT to_regclass('sfumato.intended_purposes') IS NULL") == [(True,)]


@pytest.mark.parametrize("column", [{"key": "no"}, {"column": "no"}, {"table": "no"}])
def test_choices_need_their_columns(postgres: str, column: dict[str, str]) -> None:
    shop.fill(postgres)
    chosen = ChoiceColumn(**{"table": "customer", "key": "id", "column": "income", **column})
    with psycopg.connect(postgres) as connection, pytest.raises(PolicyError, match=r"no (column|table) 'no'"):
        key_types(connection, [chosen], [])
