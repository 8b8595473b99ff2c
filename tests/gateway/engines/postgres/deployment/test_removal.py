"""Removal: read from the marks, in an order that works; what was found before is set again."""

from __future__ import annotations

import psycopg

from sfumato.gateway.engines.postgres.deployment import removal
from sfumato.gateway.engines.postgres.deployment.deployed_state import DeployedState
from tests.gateway.engines.postgres import shop


def test_the_order_and_the_rights(postgres: str) -> None:
    shop.fill(postgres)
    role = shop.role_prefix(postgres)
    shop.deployment(role).deploy(postgres)
    with psycopg.connect(postgres) as connection:
        state = DeployedState.read(connection, "sfumato")
    lines = removal.removal_steps(state, forget_choices=False).text.splitlines()
    places = [lines.index(line) for line in (
        'DROP VIEW IF EXISTS "marketing_bi"."customer_flat";',
        'DROP VIEW IF EXISTS "marketing"."customer";',
        'DROP SCHEMA IF EXISTS "marketing";',
        'DROP SCHEMA IF EXISTS "sfumato";',
        f'GRANT TEMPORARY ON DATABASE "{role}" TO PUBLIC;',
        f'DROP ROLE "{role}_marketing";',
    )]  # fmt: skip
    assert places == sorted(places)
    assert not [line for line in lines if "income.choice" in line]
    assert [
        line for line in removal.removal_steps(state, forget_choices=True).text.splitlines() if "income.choice" in line
    ]


def test_a_role_that_is_gone_already_is_no_matter(postgres: str) -> None:
    shop.fill(postgres)
    with psycopg.connect(postgres) as connection:
        state = DeployedState.read(connection, "sfumato")
    assert list(removal.drop_or_restore_role(state, "nobody")) == []
