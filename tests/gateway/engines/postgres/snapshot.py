"""Everything the catalogue says of a database that a deployment could change, by name, to be compared."""

from __future__ import annotations

import psycopg

USERS = "nspname !~ '^pg_' AND nspname <> 'information_schema'"
QUESTIONS = {
    "schemas": f"""SELECT nspname, nspowner::regrole::text, obj_description(oid, 'pg_namespace'),
        coalesce(nspacl, acldefault('n', nspowner))::text FROM pg_namespace WHERE {USERS}""",
    "relations": f"""SELECT nspname, relname, relkind::text, relowner::regrole::text, reloptions::text,
        obj_description(c.oid, 'pg_class'),
        coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's'::"char" ELSE 'r' END, relowner))::text,
        CASE relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END
        FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE {USERS}""",
    "columns": f"""SELECT nspname, relname, attname, format_type(atttypid, atttypmod), attacl::text,
        col_description(attrelid, attnum)
        FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
        WHERE {USERS} AND attnum > 0 AND NOT attisdropped""",
    "functions": f"""SELECT nspname, p.oid::regprocedure::text, prosrc, proacl::text, prosecdef
        FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE {USERS}""",
    "triggers": "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal",
    "roles": """SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication,
        rolbypassrls, shobj_description(oid, 'pg_authid') FROM pg_roles""",
    "members": "SELECT roleid::regrole::text, member::regrole::text, admin_option FROM pg_auth_members",
    "settings": "SELECT setrole::regrole::text, setdatabase, setconfig::text FROM pg_db_role_setting",
    "defaults": "SELECT defaclrole::regrole::text, defaclobjtype::text, defaclacl::text FROM pg_default_acl",
    "database": """SELECT datname, privilege_type, grantee::regrole::text
        FROM pg_database, LATERAL aclexplode(coalesce(datacl, acldefault('d', datdba)))
        WHERE datname = current_database()""",
}


def snapshot(conninfo: str) -> dict[str, list[tuple[object, ...]]]:
    with psycopg.connect(conninfo) as connection:
        return {name: sorted(connection.execute(asks).fetchall(), key=repr) for name, asks in QUESTIONS.items()}
