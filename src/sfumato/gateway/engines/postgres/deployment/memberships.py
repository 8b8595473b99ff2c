"""Logins that are members of a role: they have its rights, but not its settings, which PostgreSQL does not inherit.

A personal login is created as a member of the login of BI tools. It is logged and limited only if that was set for the
personal login itself.
"""

from __future__ import annotations

from typing import LiteralString

_EFFECTIVE: LiteralString = (
    "(coalesce((to_jsonb(a) ->> 'inherit_option')::boolean, true)"
    " OR coalesce((to_jsonb(a) ->> 'set_option')::boolean, true))"
)
"""Since version 16 the creator of a role is a member that can grant it, but neither uses nor becomes it."""

MEMBER_LOGINS: LiteralString = f"""
WITH RECURSIVE held(role, member) AS (
    SELECT a.roleid, a.member FROM pg_auth_members a WHERE {_EFFECTIVE}
    UNION SELECT h.role, a.member FROM pg_auth_members a JOIN held h ON a.roleid = h.member WHERE {_EFFECTIVE}
)
SELECT r.rolname, m.rolname FROM held h JOIN pg_roles r ON r.oid = h.role JOIN pg_roles m ON m.oid = h.member
JOIN pg_database d ON d.datname = current_database()
WHERE m.rolcanlogin AND NOT m.rolsuper AND m.rolname <> current_user AND NOT pg_has_role(m.oid, d.datdba, 'MEMBER')
ORDER BY 1, 2
"""
"""Every role with the logins that are its members, directly or through others; not owners of the database."""

MISSING_MEMBER_SETTINGS: LiteralString = f"""
WITH RECURSIVE held(oid) AS (
    SELECT a.member FROM pg_auth_members a WHERE a.roleid = current_user::regrole AND {_EFFECTIVE}
    UNION SELECT a.member FROM pg_auth_members a JOIN held h ON a.roleid = h.oid WHERE {_EFFECTIVE}
), here AS (SELECT oid, datdba FROM pg_database WHERE datname = current_database()), people AS (
    SELECT m.oid, quote_ident(m.rolname) AS name, m.rolconnlimit FROM held JOIN pg_roles m USING (oid), here
    WHERE m.rolcanlogin AND NOT m.rolsuper AND NOT pg_has_role(m.oid, here.datdba, 'MEMBER')
), wanted AS (
    SELECT split_part(s, '=', 1) AS name, substr(s, strpos(s, '=') + 1) AS value
    FROM here JOIN pg_db_role_setting d ON d.setdatabase = here.oid, unnest(d.setconfig) s
    WHERE d.setrole = current_user::regrole AND split_part(s, '=', 1) <> 'log_statement'
    UNION ALL SELECT 'log_statement', 'all' WHERE NOT EXISTS (
        SELECT FROM pg_settings WHERE name = 'log_statement' AND setting = 'all' AND source = 'configuration file')
), lines AS (
    SELECT p.name, 'ALTER ROLE ' || p.name || ' IN DATABASE ' || quote_ident(current_database()) || ' SET ' || w.name
        || ' TO ' || CASE WHEN w.name = 'search_path' THEN w.value ELSE quote_literal(w.value) END AS line
    FROM people p, wanted w WHERE NOT EXISTS (
        SELECT FROM here, pg_db_role_setting o, unnest(o.setconfig) s
        WHERE o.setrole = p.oid AND o.setdatabase IN (0, here.oid) AND split_part(s, '=', 1) = w.name
        AND (w.name <> 'log_statement' OR s = 'log_statement=all'))
    UNION ALL SELECT name, 'ALTER ROLE ' || name || ' CONNECTION LIMIT ' || coalesce(nullif(
        (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user), -1), 20) FROM people WHERE rolconnlimit < 0
)
SELECT string_agg(line, '; ' ORDER BY line) FROM lines GROUP BY name
"""
"""For every login that is a member of the current role: the ALTER ROLE statements for settings that the role has and
the login lacks."""
