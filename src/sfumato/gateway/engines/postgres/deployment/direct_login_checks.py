"""Checks of a login that people use directly, without the gateway: what PostgreSQL allows every login.

Most of it cannot be revoked from a role, and some only by an administrator. Little of it reveals anything about a
hidden value, but whoever hands out such a login should know it.
"""

from __future__ import annotations

from typing import LiteralString

from sfumato.gateway.engines.postgres.deployment.memberships import MISSING_MEMBER_SETTINGS
from sfumato.gateway.engines.postgres.deployment.privilege_checks import PrivilegeCheck

_CALLS: LiteralString = (
    "SELECT p.proname FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace"
    " AND has_function_privilege(p.oid, 'EXECUTE') AND p.proname = "
)

_RELATIONS_READ: LiteralString = (
    "WITH RECURSIVE below(oid) AS (SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.nspname = ANY(%(schemas)s) AND c.relkind = 'v' UNION SELECT d.refobjid FROM below b"
    " JOIN pg_rewrite r ON r.ev_class = b.oid JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass"
    " AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass) "
)
"""The views of the login and every relation that they read."""

LOGIN_CHECKS = (
    PrivilegeCheck(
        MISSING_MEMBER_SETTINGS,
        "a member of the login starts without its limits or is not logged, because members do not inherit the settings "
        "of a role; an administrator should run: {}",
        "do so for every login that is made a member.",
    ),
    PrivilegeCheck(
        _RELATIONS_READ + "SELECT below.oid::regclass::text FROM below WHERE EXISTS (SELECT FROM pg_inherits i"
        " WHERE i.inhparent = below.oid)",
        "{} has partitions, or tables that inherit from it: with EXPLAIN ANALYZE the login sees how many rows lie in "
        "each of them, and may find out whose, so the range of what the table is divided by",
        "divide it by a column that tools may see, give them an extract, or set tools = false.",
    ),
    PrivilegeCheck(
        "SELECT 'EXPLAIN'",
        "the login can see plans with {}, which show the size of tables, the average width of their columns, and "
        "how many rows a view leaves out",
        "PostgreSQL has no right that could be revoked; give tools an extract where counts are secret.",
        grave=False,
    ),
    PrivilegeCheck(
        "SELECT 'pg_class'",
        "the login can read {}, which shows about how many rows every table has",
        "PostgreSQL needs it open; give tools an extract where counts are secret.",
        grave=False,
    ),
    PrivilegeCheck(
        _CALLS + "'pg_stat_get_live_tuples'",
        "the login can call {}, and read in pg_stat_user_tables how many rows were written",
        "let an administrator REVOKE EXECUTE from PUBLIC as deploy says.",
        grave=False,
    ),
    PrivilegeCheck(
        _CALLS + "'pg_stat_get_db_tuples_updated'",
        "the login can call {}, and read in pg_stat_database how many rows of the database were written",
        "let an administrator REVOKE EXECUTE from PUBLIC as deploy says.",
        grave=False,
    ),
    PrivilegeCheck(
        _CALLS + "'pg_current_wal_insert_lsn'",
        "the login can call {}, and see how much all sessions of the server write to its write-ahead log",
        "let an administrator REVOKE EXECUTE from PUBLIC on the functions of the write-ahead log, if nobody else uses "
        "them.",
        grave=False,
    ),
    PrivilegeCheck(
        _CALLS + "'pg_logical_emit_message'",
        "the login can fill the disk of the server with {}, even in a session that only reads",
        "let an administrator REVOKE EXECUTE from PUBLIC as deploy says.",
        grave=False,
    ),
    PrivilegeCheck(
        _CALLS + "'lo_create'",
        "the login can store large objects with {}",
        "let an administrator REVOKE EXECUTE from PUBLIC as deploy says.",
        grave=False,
    ),
    PrivilegeCheck(
        "SELECT 'pg_stat_activity'",
        "people who share the login see in {} what others query with it, and can end their sessions",
        "give everybody a login of their own that is a member of this one, CREATE ROLE ... LOGIN IN ROLE ..., and run "
        "what deploy then says, because it starts without limits and is not logged.",
        grave=False,
    ),
    PrivilegeCheck(
        "SELECT 'pg_get_viewdef'",
        "the login can read the catalogue, with {} the text of views, so conditions of row rules and choices",
        "keep values out of names, comments, defaults, constraints, partition bounds and conditions of rules.",
        grave=False,
    ),
    PrivilegeCheck(
        "SELECT 'pg_settings'",
        "the login can read in {} how the server is set up",
        "PostgreSQL hides only the settings that it reserves for superusers.",
        grave=False,
    ),
    PrivilegeCheck(
        "SELECT name FROM pg_settings WHERE context = 'user' AND name IN ('statement_timeout', 'lock_timeout',"
        " 'idle_in_transaction_session_timeout', 'default_transaction_read_only', 'search_path', 'client_encoding',"
        " 'work_mem')",
        "the login can set {} for its own session",
        "treat it as a default and not as a limit; only CONNECTION LIMIT and the rights of the login are limits.",
        grave=False,
    ),
    PrivilegeCheck(
        "SELECT word FROM (VALUES ('its own password'), ('settings of its own later sessions')) AS a(word)",
        "the login can change {}",
        "let pg_hba.conf require something else than a password of PostgreSQL; deploy again to restore settings.",
        grave=False,
    ),
    PrivilegeCheck(
        "SELECT split_part(unnest(s.setconfig), '=', 1) FROM pg_db_role_setting s"
        " WHERE s.setrole = current_user::regrole AND s.setdatabase = 0",
        "{} is set for the login in every database, maybe by itself",
        "ALTER ROLE it RESET ALL, unless it was an administrator who set this.",
        grave=False,
    ),
    PrivilegeCheck(
        "SELECT 'BEGIN'",
        "the login can keep a transaction open with {}: it continues to see old choices, and deploy has to wait",
        "end sessions that are idle in a transaction; deploy gives up after a while and changes nothing.",
        grave=False,
    ),
    PrivilegeCheck(
        "SELECT 'PREPARE TRANSACTION' WHERE current_setting('max_prepared_transactions')::integer > 0",
        "the login can keep a transaction open forever with {}, even after its session has ended",
        "let an administrator set max_prepared_transactions to 0.",
        grave=False,
    ),
    PrivilegeCheck(
        _CALLS + "'pg_advisory_lock'",
        "the login can take locks with {}, for which other programs may wait; deploy does not",
        "let an administrator REVOKE EXECUTE on the functions of advisory locks from PUBLIC, if nobody else uses them.",
        grave=False,
    ),
    PrivilegeCheck(
        "SELECT 'NOTIFY'",
        "the login can send messages to other sessions with {}, and LISTEN to theirs",
        "PostgreSQL has no right that could be revoked; send nothing by NOTIFY that tools must not read.",
        grave=False,
    ),
    PrivilegeCheck(
        "SELECT lanname FROM pg_language WHERE lanispl AND lanpltrusted AND has_language_privilege(oid, 'USAGE')",
        "the login can run programs in {} with DO, which take time of the server",
        "let an administrator REVOKE USAGE ON LANGUAGE from PUBLIC, if nobody else uses it.",
        grave=False,
    ),
    PrivilegeCheck(
        "SELECT 'CONNECTION LIMIT' FROM pg_roles WHERE rolname = current_user AND rolconnlimit < 0",
        "the login has no {}, and can take all sessions of the server",
        "ALTER ROLE it CONNECTION LIMIT 20.",
        grave=False,
    ),
    PrivilegeCheck(
        "SELECT 'log_statement' WHERE current_setting('log_statement') <> 'all'",
        "queries of the login are not logged: {} is not 'all'",
        "let an administrator run what deploy says.",
        grave=False,
    ),
)
"""Most of these are not grave: they are reported, because nothing in this deployment can change them."""
