"""Verification: a sound deployment has no grave finding, and every way to weaken it is found."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from sfumato.errors import DataError
from sfumato.gateway.engines.postgres.deployment.verification import VerificationFinding, verify
from tests.gateway.engines.postgres import shop
from tests.postgres import Server, as_role

SCHEMAS = ("marketing",)


@pytest.fixture(scope="module")
def deployed(postgres_server: Server) -> Iterator[str]:
    with postgres_server.database() as owner:
        shop.fill(owner)
        shop.deployment(shop.role_prefix(owner)).deploy(owner)
        yield owner


def run(conninfo: str, *statements: str) -> None:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


def grave(deployed: str, digest: str | None = "1f") -> list[str]:
    role = f"{shop.role_prefix(deployed)}_marketing"
    return [str(one) for one in verify(as_role(deployed, role), SCHEMAS, digest=digest) if one.grave]


def test_a_deployment_is_sound(deployed: str) -> None:
    assert grave(deployed) == []


def test_the_research_role_too(deployed: str) -> None:
    role = f"{shop.role_prefix(deployed)}_research"
    assert not [one for one in verify(as_role(deployed, role), ["research"], digest="1f") if one.grave]


SLIPS = {
    "GRANT SELECT ON public.customer TO PUBLIC": "can read public.customer",
    "GRANT SELECT (mail) ON public.customer TO {role}": "can read public.customer",
    "GRANT UPDATE ON public.orders TO PUBLIC": "can write to public.orders",
    "GRANT INSERT (id) ON marketing.orders TO {role}": "can write to marketing.orders",
    "GRANT USAGE ON SEQUENCE public.tickets TO PUBLIC": "sequence public.tickets",
    "GRANT TEMPORARY ON DATABASE {database} TO PUBLIC": "TEMPORARY on the database",
    "GRANT CREATE ON DATABASE {database} TO {role}": "CREATE on the database",
    "GRANT CREATE ON SCHEMA public TO PUBLIC": "create things in schema public",
    "GRANT {role_research} TO {role}": "member of",
    "ALTER VIEW marketing.customer RESET (security_barrier)": "not a view with a security barrier",
    "ALTER VIEW marketing.customer SET (security_barrier = false)": "not a view with a security barrier",
    "CREATE FUNCTION f() RETURNS integer LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'": "does what its owner may do",
    "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC": "creates from now on",
    "COMMENT ON SCHEMA marketing IS NULL": "'marketing' was not deployed",
    "SELECT lo_from_bytea(4242, ''); GRANT SELECT ON LARGE OBJECT 4242 TO PUBLIC": "large object 4242",
}
BY_AN_ADMINISTRATOR = {
    "ALTER ROLE {role} SUPERUSER": "has SUPERUSER",
    "ALTER ROLE {role} BYPASSRLS": "has BYPASSRLS",
    "ALTER ROLE {role} CREATEROLE": "has CREATEROLE",
    "GRANT pg_read_all_data TO {role}": "member of pg_read_all_data",
    "GRANT pg_read_server_files TO {role}": "member of pg_read_server_files",
    "GRANT EXECUTE ON FUNCTION pg_read_file(text) TO PUBLIC": "pg_read_file(text)",
    "GRANT SELECT ON pg_catalog.pg_statistic TO PUBLIC": "pg_catalog.pg_statistic",
    "ALTER VIEW marketing.customer OWNER TO {role}": "owns something",
    "CREATE FOREIGN DATA WRAPPER w; GRANT USAGE ON FOREIGN DATA WRAPPER w TO PUBLIC": "wrapper w",
    "ALTER DATABASE {database} SET lo_compat_privileges = on": "large object every number",
}


@pytest.mark.parametrize("slip", [*SLIPS, *BY_AN_ADMINISTRATOR])
def test_every_slip_is_found(postgres_server: Server, slip: str) -> None:
    with postgres_server.database() as owner:
        shop.fill(owner)
        role = shop.role_prefix(owner)
        shop.deployment(role).deploy(owner)
        names = {"role": f'"{role}_marketing"', "role_research": f'"{role}_research"', "database": f'"{role}"'}
        admin = psycopg.conninfo.make_conninfo(postgres_server.admin, dbname=role)
        run(owner if slip in SLIPS else admin, slip.format(**names))
        expected = {**SLIPS, **BY_AN_ADMINISTRATOR}[slip]
        found = grave(owner)
        if "pg_catalog" in slip or "pg_read_file" in slip:
            run(admin, slip.replace("GRANT", "REVOKE").replace(" TO ", " FROM "))
        if "OWNER TO" in slip:
            run(admin, "DROP OWNED BY " + names["role"] + " CASCADE")
    assert [one for one in found if expected in one], found


def test_another_policy_is_found(deployed: str) -> None:
    assert grave(deployed, "2f") == [
        f"schema {name!r} was deployed from another policy; deploy again." for name in SCHEMAS
    ]


def test_notes_are_no_danger(deployed: str) -> None:
    role = f"{shop.role_prefix(deployed)}_marketing"
    run(deployed, "CREATE SCHEMA empty", f'GRANT USAGE ON SCHEMA empty TO "{role}"')
    notes = {one.what for one in verify(as_role(deployed, role), SCHEMAS) if not one.grave}
    assert "the role can connect to the database postgres of the same server" in notes
    assert "the role can look into schema empty" in notes


def test_membership_can_be_meant(deployed: str) -> None:
    role = shop.role_prefix(deployed)
    run(deployed, f'CREATE ROLE "{role}_login" LOGIN IN ROLE "{role}_marketing"')
    login = as_role(deployed, f"{role}_login")
    assert [one.what for one in verify(login, SCHEMAS) if one.grave] == [
        f"the role is a member of {role}_marketing and has the rights of that role"
    ]
    assert [one for one in verify(login, SCHEMAS, through=[f"{role}_marketing"]) if one.grave] == []


def test_a_role_that_cannot_connect(deployed: str) -> None:
    with pytest.raises(DataError, match="is not deployed") as caught:
        verify(as_role(deployed, "nobody_at_all"), SCHEMAS)
    assert caught.value.__context__ is None


def test_a_finding_is_a_line() -> None:
    assert str(VerificationFinding("it leaks", "mend it.")) == "it leaks; mend it."
