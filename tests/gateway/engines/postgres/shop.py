"""A shop with customers, some of whom let nobody see something, and masked relations of it written by hand.

Everything that must not be seen is a canary: a value that occurs nowhere else, so that finding it anywhere is a leak.
"""

from __future__ import annotations

from dataclasses import replace

import psycopg
from sqlglot import exp, parse_one

from sfumato.gateway.engines.postgres.bi_views import flat_select
from sfumato.gateway.engines.postgres.deployment.choices import ChoiceColumn
from sfumato.gateway.engines.postgres.deployment.deployment import Deployment, PurposeSchema

CANARIES = ("77123", "77456", "Canarywood", "canary@", "1911-11-11", "Birdsong")
"""Parts of every value that nobody may see for Marketing."""

TABLES = """
CREATE TABLE customer (
    id integer PRIMARY KEY, name text NOT NULL, age integer, address text, income integer, mail text, born date,
    balance numeric(12, 2)
);
INSERT INTO customer VALUES
    (1, 'Alice Birdsong', 35, '7 Canarywood', 77123, 'canary@one', '1911-11-11', 77123.45),
    (2, 'Bob', 45, '12 Mill Lane', 23457, 'canary@two', '1980-02-01', 77456.00),
    (3, 'Ron', 52, '3 High Street', 38120, 'canary@three', '1970-03-02', 38120.50),
    (4, 'Jak', 28, '9 Canarywood', 77456, 'canary@four', '1990-04-03', 12.00);
CREATE TABLE orders (id bigint PRIMARY KEY, customer integer REFERENCES customer, amount numeric(12, 2), note text);
INSERT INTO orders VALUES (10, 1, 9.50, 'canary@note'), (11, 2, 19.50, 'canary@note'), (12, 3, 7.25, 'canary@note');
CREATE SEQUENCE tickets;
SELECT setval('tickets', 77123);
ANALYZE customer, orders;
"""

CHOSEN = """
UPDATE customer SET "income.choice" = CASE id WHEN 1 THEN 3 WHEN 2 THEN 2 WHEN 3 THEN 1 ELSE NULL END;
"""
"""Alice: never; Bob: a range; Ron: as it is; Jak has not chosen."""

CUSTOMER = """
SELECT "id", CASE WHEN "id" <> 1 THEN "name" ELSE left("name", 5) END AS "name", "id" <> 1 AS "name.exact",
    CASE WHEN "id" > 1 THEN "age" END AS "age",
    CASE "income.choice" WHEN 1 THEN "income" WHEN 2 THEN ("income" / 10000) * 10000 END AS "income.lo",
    CASE "income.choice" WHEN 1 THEN "income" WHEN 2 THEN ("income" / 10000) * 10000 + 9999 END AS "income.hi"
FROM "public"."customer"
"""
ORDERS = 'SELECT "id", "customer", "amount" FROM "public"."orders"'
LETTERS = """
SELECT "id", "address" FROM "public"."customer"
WHERE md5(md5(md5(md5("address")))) || right("address", 4) NOT LIKE '%wood'
"""
"""Hides rows, by a condition that costs more than what a question may ask of an address."""
RESEARCH = 'SELECT "id", CASE WHEN "id" > 2 THEN "born" END AS "born" FROM "public"."customer" WHERE "id" > 1'

CHOICES = ("everything", "a range", "nothing")
INCOME = ChoiceColumn(table="customer", key="id", column="income")


def select(text: str) -> exp.Select:
    found = parse_one(text, dialect="postgres")
    assert isinstance(found, exp.Select)
    return found


def fill(conninfo: str) -> None:
    with psycopg.connect(conninfo) as connection:
        connection.execute(TABLES)


def choose(conninfo: str) -> None:
    with psycopg.connect(conninfo) as connection:
        connection.execute(CHOSEN)


def purpose(name: str, role: str, views: dict[str, exp.Select]) -> PurposeSchema:
    """A purpose with a flat view of every masked one."""
    schema = name.lower()
    flat = {
        f"{view}_flat": flat_select(made.named_selects, exp.table_(view, db=schema, quoted=True))
        for view, made in views.items()
    }
    return PurposeSchema(purpose=name, schema=schema, role=role, views=views, flat_views=flat)


def without_tools(given: PurposeSchema) -> PurposeSchema:
    """The same purpose without a login for tools."""
    return replace(given, flat_views={})


def deployment(role: str, **changes: object) -> Deployment:
    """Two purposes, each with a role of the gateway and a login for tools of its own."""
    marketing = purpose(
        "Marketing",
        f"{role}_marketing",
        {"customer": select(CUSTOMER), "orders": select(ORDERS), "letters": select(LETTERS)},
    )
    research = purpose("Research", f"{role}_research", {"customer": select(RESEARCH)})
    settings = {"purposes": (marketing, research), "choices": CHOICES, "choice_columns": (INCOME,), "digest": "1f"}
    return Deployment(**{**settings, **changes})  # type: ignore[arg-type]


def role_prefix(conninfo: str) -> str:
    """Roles are seen in every database of a server, so their names are made from the database's."""
    return psycopg.conninfo.conninfo_to_dict(conninfo)["dbname"]  # type: ignore[return-value]
