"""What stands in a database: ours is told from others', and from that of another deployment."""

from __future__ import annotations

import psycopg
import pytest

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.deployment.deployed_state import DeployedState, result_columns
from tests.gateway.engines.postgres import shop


def read(conninfo: str, home: str = "sfumato") -> DeployedState:
    with psycopg.connect(conninfo) as connection:
        return DeployedState.read(connection, home)


def test_an_empty_database(postgres: str) -> None:
    found = read(postgres)
    role = shop.role_prefix(postgres)
    assert (found.database, found.user) == (role, f"{role}_owner")
    assert (found.superuser, found.can_create_roles, found.owns_database) == (False, True, True)
    assert found.public_rights == {"CONNECT", "TEMPORARY"}
    assert (found.own_schemas, found.choices, dict(found.record)) == ([], (), {})


def test_a_deployed_database(postgres: str) -> None:
    shop.fill(postgres)
    role = shop.role_prefix(postgres)
    shop.deployment(role).deploy(postgres)
    found = read(postgres)
    assert found.own_schemas == ["marketing_bi", "research_bi", "marketing", "research"]
    assert found.own_views("marketing") == ["customer", "letters", "orders"]
    assert found.choices == (("public", "customer", "income.choice"),)
    assert found.record["digest"] == "1f"
    assert found.record["public"] == ["TEMPORARY"]
    assert found.public_rights == {"CONNECT"}
    assert found.roles[f"{role}_marketing"].can_configure
    columns = found.relations["marketing", "orders"].columns
    assert [name for name, _, _ in columns] == ["id", "customer", "amount"]


def test_another_deployment_sees_it_as_somebody_elses(postgres: str) -> None:
    shop.fill(postgres)
    shop.deployment(shop.role_prefix(postgres)).deploy(postgres)
    found = read(postgres, "other")
    assert found.own_schemas == []
    assert found.choices == ()
    with pytest.raises(PolicyError, match="'marketing' exists already"):
        found.demand_free_schema("marketing")


def test_the_columns_of_a_query_are_those_of_its_view(postgres: str) -> None:
    shop.fill(postgres)
    with psycopg.connect(postgres) as connection:
        columns = result_columns(connection, shop.select(shop.ORDERS))
        assert columns is not None
        assert [name for name, _, _ in columns] == ["id", "customer", "amount"]
        assert result_columns(connection, shop.select('SELECT "nothing" FROM "public"."orders"')) is None
        assert connection.execute("SELECT 1").fetchall() == [(1,)]  # the transaction goes on
