"""What stands in a database: ours is told from others', and from that of another deployment."""

from __future__ import annotations

import psycopg
import pytest

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.deployment.deployed_state import Standing
from tests.gateway.engines.postgres import shop


def read(conninfo: str, home: str = "sfumato") -> Standing:
    with psycopg.connect(conninfo) as connection:
        return Standing.read(connection, home)


def test_an_empty_database(postgres: str) -> None:
    found = read(postgres)
    role = shop.role_prefix(postgres)
    assert (found.database, found.user) == (role, f"{role}_owner")
    assert (found.superuser, found.creates_roles, found.rules_database) == (False, True, True)
    assert found.public == {"CONNECT", "TEMPORARY"}
    assert (found.made_schemas, found.choices, dict(found.record)) == ([], (), {})


def test_a_deployed_database(postgres: str) -> None:
    shop.fill(postgres)
    role = shop.role_prefix(postgres)
    shop.deployment(role).deploy(postgres)
    found = read(postgres)
    assert found.made_schemas == ["marketing_bi", "research_bi", "marketing", "research"]
    assert found.made_views("marketing") == ["customer", "letters", "orders"]
    assert found.choices == (("public", "customer", "income.choice"),)
    assert found.record["digest"] == "1f"
    assert found.record["public"] == ["TEMPORARY"]
    assert found.public == {"CONNECT"}
    assert found.roles[f"{role}_marketing"].ours_to_set
    shape = found.relations["marketing", "orders"].shape
    assert [name for name, _, _ in shape] == ["id", "customer", "amount"]


def test_another_deployment_sees_it_as_somebody_elses(postgres: str) -> None:
    shop.fill(postgres)
    shop.deployment(shop.role_prefix(postgres)).deploy(postgres)
    found = read(postgres, "other")
    assert found.made_schemas == []
    assert found.choices == ()
    with pytest.raises(PolicyError, match="'marketing' is there already"):
        found.demand_free("marketing")
