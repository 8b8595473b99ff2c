"""Functions of the server that everybody may call, and that only an administrator can take from everybody.

Some tell how many rows of a table or of the database were written, and some store things, or write to the server's
disk from a session that only reads, which no role without a right to create should.
"""

from __future__ import annotations

from collections.abc import Sequence

from psycopg.sql import SQL, Composable

from sfumato.gateway.engines.postgres.deployment.statements import trusted_sql

STORAGE_FUNCTIONS = ("lo_creat", "lo_create", "lo_from_bytea", "pg_logical_emit_message")
COUNTER_FUNCTIONS = (
    "pg_stat_get_tuples_inserted", "pg_stat_get_tuples_updated", "pg_stat_get_tuples_deleted",
    "pg_stat_get_tuples_hot_updated", "pg_stat_get_tuples_newpage_updated", "pg_stat_get_tuples_returned",
    "pg_stat_get_tuples_fetched", "pg_stat_get_live_tuples", "pg_stat_get_dead_tuples",
    "pg_stat_get_mod_since_analyze", "pg_stat_get_ins_since_vacuum", "pg_stat_get_db_tuples_inserted",
    "pg_stat_get_db_tuples_updated", "pg_stat_get_db_tuples_deleted", "pg_stat_get_db_tuples_returned",
    "pg_stat_get_db_tuples_fetched",
)  # fmt: skip

FUNCTION_RIGHTS = """
SELECT 'pg_catalog.' || quote_ident(p.proname) || '(' || pg_get_function_identity_arguments(p.oid) || ')',
    EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner)))
            WHERE grantee = 0 AND privilege_type = 'EXECUTE')
FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname = ANY(%s) ORDER BY 1
"""
"""Every such function that the server has, and whether everybody may call it."""


def revoke_from_public(functions: Sequence[str]) -> list[Composable]:
    """Takes functions from everybody; whoever watches over the server may still count.

    `functions` are as the catalogue writes them, never as somebody wrote them down.
    """
    counters = [function for function in functions if _is_counter(function)]
    return [
        *_statements_for(SQL("REVOKE EXECUTE ON FUNCTION {} FROM PUBLIC"), functions),
        *_statements_for(SQL("GRANT EXECUTE ON FUNCTION {} TO pg_monitor"), counters),
    ]


def grant_to_public(functions: Sequence[str]) -> list[Composable]:
    """Gives them back."""
    counters = [function for function in functions if _is_counter(function)]
    return [
        *_statements_for(SQL("REVOKE EXECUTE ON FUNCTION {} FROM pg_monitor"), counters),
        *_statements_for(SQL("GRANT EXECUTE ON FUNCTION {} TO PUBLIC"), functions),
    ]


def _statements_for(statement: SQL, functions: Sequence[str]) -> list[Composable]:
    return [statement.format(SQL(", ").join([trusted_sql(one) for one in functions]))] if functions else []


def _is_counter(function: str) -> bool:
    return any(function.startswith(f"pg_catalog.{name}(") for name in COUNTER_FUNCTIONS)
