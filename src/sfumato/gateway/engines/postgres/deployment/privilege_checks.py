"""Catalogue queries with which a role finds what it can reach and should not.

Every query returns names of objects within reach, one per row; the check holds a sentence for such a finding and a
remedy. The parameters are `%(schemas)s`, the schemas that the role is meant to read, and `%(through)s`, roles that it
may be a member of. The checks of a login that people use directly, without the gateway, are in `direct_login_checks`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import LiteralString

_USER_SCHEMA: LiteralString = "n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"
_NAME: LiteralString = "quote_ident(n.nspname) || '.' || quote_ident(c.relname)"
_FUNCTION: LiteralString = "p.oid::regprocedure::text"
_READS: LiteralString = "has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT')"
_WRITES: LiteralString = (
    "has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')"
    " OR has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES')"
)
_RELATIONS: LiteralString = f"SELECT {_NAME} FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE "
_TABLES: LiteralString = "c.relkind IN ('r', 'p', 'v', 'm', 'f')"
_FUNCTIONS: LiteralString = f"SELECT {_FUNCTION} FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE "
_CALLS: LiteralString = "has_function_privilege(p.oid, 'EXECUTE') AND has_schema_privilege(n.oid, 'USAGE')"


@dataclass(frozen=True)
class PrivilegeCheck:
    """A query, the sentence for each name it finds, and a remedy; `grave` if the finding must be fixed."""

    query: LiteralString
    finding: str
    remedy: str
    grave: bool = True


ROLE_CHECKS = (
    PrivilegeCheck(
        "SELECT word FROM pg_roles r, LATERAL (VALUES ('SUPERUSER', rolsuper), ('CREATEROLE', rolcreaterole),"
        " ('CREATEDB', rolcreatedb), ('REPLICATION', rolreplication), ('BYPASSRLS', rolbypassrls)) AS a(word, has)"
        " WHERE rolname = current_user AND has",
        "the role has {}",
        "ALTER ROLE it to have none of SUPERUSER, CREATEROLE, CREATEDB, REPLICATION, BYPASSRLS.",
    ),
    PrivilegeCheck(
        "SELECT rolname FROM pg_roles WHERE pg_has_role(current_user, oid, 'MEMBER') AND rolname <> current_user"
        " AND rolname <> ALL(%(through)s)",
        "the role is a member of {} and has the rights of that role",
        "REVOKE the membership.",
    ),
    PrivilegeCheck(
        "SELECT DISTINCT classid::regclass::text FROM pg_shdepend WHERE deptype = 'o'"
        " AND refclassid = 'pg_authid'::regclass AND refobjid = current_user::regrole"
        " AND dbid IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))",
        "the role owns something in {}",
        "give what it owns to somebody else; it should own nothing.",
    ),
    PrivilegeCheck(
        _RELATIONS + f"{_TABLES} AND {_USER_SCHEMA} AND n.nspname <> ALL(%(schemas)s) AND ({_READS})",
        "the role can read {}, which is not masked",
        "REVOKE ALL on it from the role and from PUBLIC.",
    ),
    PrivilegeCheck(
        _RELATIONS + f"{_TABLES} AND c.oid <> 'pg_settings'::regclass AND ({_WRITES})",
        "the role can write to {}",
        "REVOKE ALL on it from the role and from PUBLIC.",
    ),
    PrivilegeCheck(
        _RELATIONS + "CASE WHEN c.relkind = 'S' THEN has_sequence_privilege(c.oid, 'USAGE, SELECT, UPDATE') END",
        "the role can use the sequence {}",
        "REVOKE ALL on it from the role and from PUBLIC.",
    ),
    PrivilegeCheck(
        _RELATIONS + "n.nspname = 'pg_catalog' AND c.relname IN ('pg_authid', 'pg_largeobject', 'pg_shadow',"
        f" 'pg_statistic', 'pg_statistic_ext_data', 'pg_user_mapping') AND ({_READS})",
        "the role can read {}, which holds values or secrets",
        "REVOKE ALL on it from the role and from PUBLIC.",
    ),
    PrivilegeCheck(
        _RELATIONS + f"{_TABLES} AND n.nspname = ANY(%(schemas)s) AND ({_READS}) AND (c.relkind <> 'v'"
        " OR NOT coalesce('security_barrier=true' = ANY(c.reloptions), false) OR c.relowner <> n.nspowner)",
        "{} is not a view with a security barrier that belongs to the owner of its schema",
        "deploy again.",
    ),
    PrivilegeCheck(
        "SELECT quote_ident(nspname) FROM pg_namespace WHERE has_schema_privilege(oid, 'CREATE')",
        "the role can create things in schema {}",
        "REVOKE CREATE on it from the role and from PUBLIC.",
    ),
    PrivilegeCheck(
        "SELECT quote_ident(n.nspname) FROM pg_namespace n WHERE n.nspname <> 'public' AND "
        f"{_USER_SCHEMA} AND n.nspname <> ALL(%(schemas)s) AND has_schema_privilege(n.oid, 'USAGE')",
        "the role can look into schema {}",
        "REVOKE USAGE on it from the role and from PUBLIC.",
        grave=False,
    ),
    PrivilegeCheck(
        "SELECT word FROM (VALUES ('CREATE'), ('TEMPORARY')) AS a(word)"
        " WHERE has_database_privilege(current_database(), word)",
        "the role has {} on the database",
        "REVOKE it from the role and from PUBLIC.",
    ),
    PrivilegeCheck(
        _FUNCTIONS + f"{_USER_SCHEMA} AND p.prosecdef AND {_CALLS}",
        "the role can call {}, which does what its owner may do",
        "REVOKE EXECUTE on it from the role and from PUBLIC.",
    ),
    PrivilegeCheck(
        _FUNCTIONS + f"{_CALLS} AND p.prolang IN (SELECT oid FROM pg_language WHERE lanispl AND NOT lanpltrusted)",
        "the role can call {}, which is written in an untrusted language, without any limits",
        "REVOKE EXECUTE on it from the role and from PUBLIC.",
    ),
    PrivilegeCheck(
        _FUNCTIONS + f"{_CALLS} AND (p.proname LIKE 'dblink%%' OR n.nspname = 'pg_catalog' AND p.proname IN ("
        "'pg_read_file', 'pg_read_binary_file', 'pg_ls_dir', 'pg_stat_file', 'lo_import', 'lo_export',"
        " 'pg_ls_logdir', 'pg_ls_waldir', 'pg_reload_conf'))",
        "the role can call {}, which acts outside the database",
        "REVOKE EXECUTE on it from the role and from PUBLIC.",
    ),
    PrivilegeCheck(
        "SELECT srvname FROM pg_foreign_server WHERE has_server_privilege(oid, 'USAGE')"
        " UNION ALL SELECT fdwname FROM pg_foreign_data_wrapper WHERE has_foreign_data_wrapper_privilege(oid, 'USAGE')",
        "the role can use the foreign server or wrapper {}",
        "REVOKE USAGE on it from the role and from PUBLIC.",
    ),
    PrivilegeCheck(
        "SELECT DISTINCT m.oid::text FROM pg_largeobject_metadata m, LATERAL aclexplode(m.lomacl) a"
        " WHERE a.grantee IN (0, current_user::regrole)"
        " UNION ALL SELECT 'every number' WHERE current_setting('lo_compat_privileges')::boolean",
        "the role can read the large object {}",
        "REVOKE ALL on it from the role and from PUBLIC.",
    ),
    PrivilegeCheck(
        "SELECT DISTINCT d.defaclrole::regrole::text FROM pg_default_acl d, LATERAL aclexplode(d.defaclacl) a"
        " WHERE a.grantee IN (0, current_user::regrole) AND d.defaclobjtype IN ('r', 'S', 'n')",
        "the role will be able to use what {} creates from now on",
        "ALTER DEFAULT PRIVILEGES for it to REVOKE ALL from the role and from PUBLIC.",
    ),
    PrivilegeCheck(
        "SELECT word FROM (VALUES ('statement_timeout'), ('lock_timeout'), ('idle_in_transaction_session_timeout'))"
        " AS a(word) WHERE current_setting(word) = '0'"
        " UNION ALL SELECT 'default_transaction_read_only'"
        " WHERE current_setting('default_transaction_read_only') = 'off'",
        "the role starts without {}",
        "deploy again, or let an administrator set it.",
        grave=False,
    ),
    PrivilegeCheck(
        "SELECT quote_ident(datname) FROM pg_database WHERE datallowconn AND datname <> current_database()"
        " AND has_database_privilege(oid, 'CONNECT')",
        "the role can connect to the database {} of the same server",
        "REVOKE CONNECT on it from PUBLIC, or let pg_hba.conf refuse the role.",
        grave=False,
    ),
)
"""The checks for every role of a deployment."""
