"""Functions of the server that PUBLIC may call by default and that only an administrator can revoke.

Some reveal how many rows of a table or of the database were written. Others store objects or write to the server's disk
from a read-only session, which a role without the right to create anything should not be able to do.
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
"""Each of these functions that the server has, and whether PUBLIC may call it."""


def revoke_from_public(functions: Sequence[str]) -> list[Composable]:
    """Revoke functions from PUBLIC; monitoring roles may still call those that count rows.

    `functions` are names as the catalogue writes them, never user input.
    """
    counters = [function for function in functions if _is_counter(function)]
    return [
        *_statements_for(SQL("REVOKE EXECUTE ON FUNCTION {} FROM PUBLIC"), functions),
        *_statements_for(SQL("GRANT EXECUTE ON FUNCTION {} TO pg_monitor"), counters),
    ]


def grant_to_public(functions: Sequence[str]) -> list[Composable]:
    """Undo `revoke_from_public`."""
    counters = [function for function in functions if _is_counter(function)]
    return [
        *_statements_for(SQL("REVOKE EXECUTE ON FUNCTION {} FROM pg_monitor"), counters),
        *_statements_for(SQL("GRANT EXECUTE ON FUNCTION {} TO PUBLIC"), functions),
    ]


def _statements_for(statement: SQL, functions: Sequence[str]) -> list[Composable]:
    """One statement for all functions; none without functions."""
    return [statement.format(SQL(", ").join([trusted_sql(one) for one in functions]))] if functions else []


def _is_counter(function: str) -> bool:
    """Whether a function counts rows."""
    return any(function.startswith(f"pg_catalog.{name}(") for name in COUNTER_FUNCTIONS)
