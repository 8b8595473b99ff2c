"""Statements: names and values come back from the server as they went in, whatever they are."""

from __future__ import annotations

import psycopg
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from psycopg.sql import SQL, Literal

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.deployment import statements
from sfumato.gateway.engines.postgres.deployment.ownership_comments import OwnershipComment
from tests.examples import examples
from tests.gateway.engines.postgres import shop

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=15)


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NAMES, NAMES, NAMES)
def test_any_name_is_only_a_name(shared_postgres: str, schema: str, view: str, comment: str) -> None:
    made = [
        *statements.create_schema(f"s{schema}", OwnershipComment("purpose", comment)),
        *statements.create_view(f"s{schema}", view, shop.select('SELECT 1 AS "a"'), OwnershipComment("view", comment)),
    ]
    with psycopg.connect(shared_postgres) as connection:
        for statement in made:
            connection.execute(statement)
        asked = SQL("SELECT obj_description({}::regclass)").format(
            Literal(statements.quoted_name(f"s{schema}", view).as_string())
        )
        found = connection.execute(asked).fetchall()
        connection.rollback()
    assert OwnershipComment.read(found[0][0]) == OwnershipComment("view", comment)


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 64, "ä" * 32])
def test_names_that_would_be_cut_are_refused(name: str) -> None:
    with pytest.raises(PolicyError, match="cannot be a name"):
        statements.quoted_name(name)


def test_the_longest_name_is_taken() -> None:
    assert statements.quoted_name("x" * 63).as_string() == '"' + "x" * 63 + '"'


def test_times_are_whole_milliseconds_and_never_none() -> None:
    made = statements.session_settings(["a"], {"statement_timeout": 0.25, "lock_timeout": 0})
    assert made["statement_timeout"].as_string() == "'250ms'"
    assert made["lock_timeout"].as_string() == "'1ms'"  # 0 would mean no limit
    assert made["search_path"].as_string() == '"a", "pg_temp"'
