"""Deployments: the same when made twice, gone without a trace when removed, all or nothing in between."""

from __future__ import annotations

import threading
from dataclasses import replace

import psycopg
import pytest
from psycopg.sql import SQL
from sqlglot import exp

from sfumato.errors import DataError, PolicyError
from sfumato.gateway.engines.postgres.deployment import transactions
from sfumato.gateway.engines.postgres.deployment.deployment import Deployment, PurposeSchema, undeploy
from sfumato.gateway.engines.postgres.deployment.ownership_comments import OwnershipComment
from tests.gateway.engines.postgres import shop
from tests.gateway.engines.postgres.shop import role_prefix
from tests.gateway.engines.postgres.snapshot import snapshot
from tests.postgres import Server, as_role


@pytest.fixture
def filled(postgres: str) -> str:
    shop.fill(postgres)
    return postgres


def rows(conninfo: str, question: str) -> list[tuple[object, ...]]:
    with psycopg.connect(conninfo) as connection:
        return connection.execute(question).fetchall()


def run(conninfo: str, *statements: str) -> None:
    with psycopg.connect(conninfo) as connection:
        for statement in statements:
            connection.execute(statement)


def test_the_owner_is_no_superuser(filled: str) -> None:
    assert rows(filled, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") == [(False,)]


def test_the_role_sees_what_the_views_show(filled: str) -> None:
    role = role_prefix(filled)
    shop.deployment(role).deploy(filled)
    shop.choose(filled)
    assert rows(as_role(filled, f"{role}_marketing"), "SELECT * FROM customer ORDER BY id") == [
        (1, "Alice", False, None, None, None),
        (2, "Bob", True, 45, 20000, 29999),
        (3, "Ron", True, 52, 38120, 38120),
        (4, "Jak", True, 28, None, None),
    ]


def test_the_login_of_tools_sees_flat_views(filled: str) -> None:
    role = role_prefix(filled)
    shop.deployment(role).deploy(filled)
    shop.choose(filled)
    flat = "SELECT id, name_shown, income_lo, income_hi, income_exact, income_shown FROM customer_flat ORDER BY id"
    assert rows(as_role(filled, f"{role}_marketing_bi"), flat) == [
        (1, "Alice", None, None, None, None),
        (2, "Bob", 20000, 29999, False, "20000-29999"),
        (3, "Ron", 38120, 38120, True, "38120"),
        (4, "Jak", None, None, None, None),
    ]


@pytest.mark.parametrize(
    ("login", "relation"),
    [
        ("marketing", "marketing_bi.customer_flat"),
        ("marketing_bi", "marketing.customer"),
        ("marketing_bi", "research.customer"),
        ("marketing_bi", "research_bi.customer_flat"),
        ("marketing_bi", "public.customer"),
        ("research_bi", "marketing_bi.customer_flat"),
    ],
)
def test_a_login_reads_its_own_schema_alone(filled: str, login: str, relation: str) -> None:
    role = role_prefix(filled)
    shop.deployment(role).deploy(filled)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
        rows(as_role(filled, f"{role}_{login}"), f"SELECT * FROM {relation}")


def test_a_login_that_may_read_both_is_corrected(filled: str) -> None:
    """As deployments were made before: one role for a purpose, which read masked and flat views."""
    role = role_prefix(filled)
    deployment = shop.deployment(role)
    deployment.deploy(filled)
    first = snapshot(filled)
    run(
        filled,
        f'GRANT USAGE ON SCHEMA marketing_bi TO "{role}_marketing"',
        f'GRANT SELECT ON ALL TABLES IN SCHEMA marketing_bi TO "{role}_marketing"',
        f'GRANT USAGE ON SCHEMA marketing TO "{role}_marketing_bi"',
        f'GRANT SELECT ON marketing.customer TO "{role}_marketing_bi"',
    )
    assert rows(as_role(filled, f"{role}_marketing"), "SELECT id FROM marketing_bi.customer_flat WHERE id = 1")
    deployment.deploy(filled)
    assert snapshot(filled) == first
    for login, relation in (("marketing", "marketing_bi.customer_flat"), ("marketing_bi", "marketing.customer")):
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
            rows(as_role(filled, f"{role}_{login}"), f"SELECT * FROM {relation}")


def test_a_login_of_tools_goes_with_its_views(filled: str) -> None:
    role = role_prefix(filled)
    deployment = shop.deployment(role)
    deployment.deploy(filled)
    bare = tuple(replace(purpose, flat_views={}) for purpose in deployment.purposes)
    replace(deployment, purposes=bare).deploy(filled)
    found = snapshot(filled)
    assert {row[0] for row in found["schemas"]} == {"public", "sfumato", "marketing", "research"}
    assert [row[0] for row in found["roles"] if str(row[0]).startswith(f"{role}_")] == [
        f"{role}_marketing",
        f"{role}_owner",
        f"{role}_research",
    ]
    deployment.deploy(filled)
    assert len(rows(as_role(filled, f"{role}_marketing_bi"), "SELECT * FROM customer_flat")) == 4


def test_a_role_cannot_be_the_gateways_and_of_tools(filled: str) -> None:
    deployment = shop.deployment(role_prefix(filled))
    marketing, research = deployment.purposes
    with pytest.raises(PolicyError, match="would belong to the gateway and to other tools"):
        replace(deployment, purposes=(marketing, replace(research, role=marketing.tools_role))).deploy(filled)


def test_so_many_sessions_of_tools_are_let_in(filled: str) -> None:
    role = role_prefix(filled)
    shop.deployment(role, tools_connections=1).deploy(filled)
    login = as_role(filled, f"{role}_marketing_bi")
    with (
        psycopg.connect(login),
        pytest.raises(psycopg.OperationalError, match="too many connections for role"),
        psycopg.connect(login),
    ):
        pass
    with psycopg.connect(as_role(filled, f"{role}_marketing")), psycopg.connect(as_role(filled, f"{role}_marketing")):
        pass


def test_a_role_sees_its_own_purpose_only(filled: str) -> None:
    role = role_prefix(filled)
    shop.deployment(role).deploy(filled)
    assert len(rows(as_role(filled, f"{role}_research"), "SELECT * FROM research.customer")) == 3
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        rows(as_role(filled, f"{role}_research"), "SELECT * FROM marketing.customer")


def test_deploying_twice_changes_nothing(filled: str) -> None:
    deployment = shop.deployment(role_prefix(filled))
    deployment.deploy(filled)
    shop.choose(filled)
    first = snapshot(filled)
    deployment.deploy(filled)
    assert snapshot(filled) == first
    assert rows(filled, 'SELECT "income.choice" FROM customer ORDER BY id') == [(3,), (2,), (1,), (None,)]


def test_undeploying_leaves_the_database_as_it_was(filled: str) -> None:
    before = snapshot(filled)
    shop.deployment(role_prefix(filled)).deploy(filled)
    assert snapshot(filled) != before
    undeploy(filled, forget_choices=True)
    assert snapshot(filled) == before


def test_choices_outlive_the_deployment_unless_forgotten(filled: str) -> None:
    before = snapshot(filled)
    deployment = shop.deployment(role_prefix(filled))
    deployment.deploy(filled)
    shop.choose(filled)
    undeploy(filled)
    left = snapshot(filled)
    after = {name: [row for row in found if row[0] != "sfumato"] for name, found in left.items()}
    assert [row[:3] for row in after["columns"] if row not in before["columns"]] == [
        ("public", "customer", "income.choice")
    ]
    assert {name: after[name] for name in after if name != "columns"} == {
        name: before[name] for name in before if name != "columns"
    }
    assert {row[1] for row in left["relations"] if row[0] == "sfumato"} == {
        "choice_history", "choice_history_number_seq", "choice_history_of_key",
    }  # fmt: skip
    assert not [row for row in left["functions"] if row[0] == "sfumato"]
    deployment.deploy(filled)
    assert rows(filled, 'SELECT "income.choice" FROM customer ORDER BY id') == [(3,), (2,), (1,), (None,)]
    undeploy(filled)
    undeploy(filled, forget_choices=True)
    assert snapshot(filled) == before


def test_undeploying_nothing_is_nothing(filled: str) -> None:
    before = snapshot(filled)
    assert undeploy(filled, forget_choices=True).statements == ()
    assert snapshot(filled) == before


def test_a_dry_run_only_says_what_it_would_do(filled: str) -> None:
    before = snapshot(filled)
    deployment = shop.deployment(role_prefix(filled))
    said = deployment.deploy(filled, dry=True).text
    assert snapshot(filled) == before
    assert 'CREATE OR REPLACE VIEW "marketing"."customer" WITH (security_barrier = true) AS SELECT' in said
    run(filled, said)
    by_hand = snapshot(filled)
    undeploy(filled, forget_choices=True)
    deployment.deploy(filled)
    assert snapshot(filled) == by_hand
    assert "DROP ROLE" in undeploy(filled, dry=True).text
    assert snapshot(filled) == by_hand


def test_a_crash_between_any_two_statements_leaves_nothing(filled: str) -> None:
    deployment = shop.deployment(role_prefix(filled))
    before = snapshot(filled)
    steps = deployment.deploy(filled, dry=True).statements
    assert len(steps) > 50
    for place in range(0, len(steps), 5):
        broken = transactions.TransactionSteps((*steps[:place], SQL("SELECT 1 / 0")))
        with pytest.raises(DataError, match="nothing was changed"):
            transactions.run_in_transaction(filled, lambda connection, broken=broken: broken)
        assert snapshot(filled) == before


def test_a_crash_while_removing_leaves_everything(filled: str) -> None:
    shop.deployment(role_prefix(filled)).deploy(filled)
    deployed = snapshot(filled)
    steps = undeploy(filled, forget_choices=True, dry=True).statements
    for place in range(1, len(steps), 4):
        broken = transactions.TransactionSteps((*steps[:place], SQL("SELECT 1 / 0")))
        with pytest.raises(DataError):
            transactions.run_in_transaction(filled, lambda connection, broken=broken: broken)
        assert snapshot(filled) == deployed
    undeploy(filled, forget_choices=True)
    assert not [row for row in snapshot(filled)["schemas"] if row[0] == "sfumato"]


def test_a_killed_connection_leaves_nothing(filled: str, postgres_server: Server) -> None:
    before = snapshot(filled)
    killer = threading.Thread(target=_kill, args=(postgres_server.admin, role_prefix(filled)))
    steps = shop.deployment(role_prefix(filled)).deploy(filled, dry=True).statements
    slow = transactions.TransactionSteps((*steps[:40], SQL("SELECT pg_sleep(3600)")))
    killer.start()
    with pytest.raises(DataError, match="nothing was changed"):
        transactions.run_in_transaction(filled, lambda connection: slow)
    killer.join()
    assert snapshot(filled) == before


def _kill(admin: str, database: str) -> None:
    """Ends the session that sleeps, as soon as there is one."""
    sleeping = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND wait_event = 'PgSleep'"
    with psycopg.connect(admin, autocommit=True) as connection:
        while connection.execute(sleeping, [database]).fetchone() is None:
            pass


def test_columns_can_change(filled: str) -> None:
    role = role_prefix(filled)
    first = shop.deployment(role)
    first.deploy(filled)
    marketing, research = first.purposes
    views = {"customer": shop.select('SELECT "id" FROM "public"."customer"')}
    narrow = shop.purpose("Marketing", marketing.role, views)
    second = replace(first, purposes=(narrow, research), digest="2f")
    said = second.deploy(filled).text
    assert 'DROP VIEW IF EXISTS "marketing_bi"."customer_flat"' in said
    assert 'DROP VIEW IF EXISTS "marketing"."orders"' in said
    assert rows(as_role(filled, f"{role}_marketing"), "SELECT * FROM customer ORDER BY id") == [(1,), (2,), (3,), (4,)]
    with pytest.raises(psycopg.errors.UndefinedTable):
        rows(as_role(filled, f"{role}_marketing"), "SELECT * FROM marketing.orders")
    first.deploy(filled)
    assert len(rows(as_role(filled, f"{role}_marketing"), "SELECT * FROM customer")[0]) == 6


def test_a_view_that_keeps_its_columns_keeps_what_others_were_granted(filled: str, postgres_server: Server) -> None:
    role = role_prefix(filled)
    deployment = shop.deployment(role)
    deployment.deploy(filled)
    run(filled, f'CREATE ROLE "{role}_tool"', f'GRANT SELECT ON marketing_bi.customer_flat TO "{role}_tool"')
    marketing, research = deployment.purposes
    other = {**marketing.views, "customer": shop.select(shop.CUSTOMER.replace('"id" > 1', '"id" > 2'))}
    replace(deployment, purposes=(replace(marketing, views=other), research)).deploy(filled)
    asked = f"SELECT has_table_privilege('{role}_tool', 'marketing_bi.customer_flat', 'SELECT')"
    assert rows(filled, asked) == [(True,)]
    assert rows(as_role(filled, f"{role}_marketing"), "SELECT age FROM customer WHERE id = 2") == [(None,)]


def test_a_purpose_and_its_role_can_go(filled: str) -> None:
    role = role_prefix(filled)
    both = shop.deployment(role)
    both.deploy(filled)
    replace(both, purposes=both.purposes[:1]).deploy(filled)
    found = snapshot(filled)
    assert not [row for row in found["schemas"] if str(row[0]).startswith("research")]
    assert not [row for row in found["roles"] if row[0] == f"{role}_research"]


def test_a_purpose_can_change_its_role(filled: str) -> None:
    role = role_prefix(filled)
    both = shop.deployment(role)
    both.deploy(filled)
    marketing, research = both.purposes
    swapped = (replace(marketing, role=research.role), replace(research, role=marketing.role))
    replace(both, purposes=swapped).deploy(filled)
    assert len(rows(as_role(filled, f"{role}_research"), "SELECT * FROM marketing.customer")) == 4
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        rows(as_role(filled, f"{role}_marketing"), "SELECT * FROM marketing.customer")


def test_sessions_of_the_role_start_with_limits(filled: str) -> None:
    role = role_prefix(filled)
    shop.deployment(role, statement_seconds=7, lock_seconds=3, idle_seconds=9).deploy(filled)
    names = (
        "statement_timeout lock_timeout idle_in_transaction_session_timeout default_transaction_read_only search_path"
    )
    for login, path in (("marketing", "marketing, pg_temp"), ("marketing_bi", "marketing_bi, pg_temp")):
        with psycopg.connect(as_role(filled, f"{role}_{login}")) as connection:
            found = [connection.execute(f"SHOW {name}").fetchall()[0][0] for name in names.split()]
        assert found == ["7s", "3s", "9s", "on", path]


def meant_for(conninfo: str, role: str, *, prefix: str = "sfumato", database: str | None = None) -> str:
    """How a role is handed to a deployment."""
    mark = OwnershipComment("role", prefix, {"database": database or role_prefix(conninfo)}).text
    return f"COMMENT ON ROLE \"{role}\" IS '{mark}'"


def test_a_login_of_another_database_of_the_server_is_not_used(filled: str, postgres_server: Server) -> None:
    """Whoever has the password there would be let in here."""
    role = role_prefix(filled)
    shop.deployment(role).deploy(filled)
    with postgres_server.database() as other:
        shop.fill(other)
        before = snapshot(other)
        with pytest.raises(PolicyError, match="another database of the server"):
            shop.deployment(role).deploy(other)
        assert snapshot(other) == before
        rights = "SELECT a.grantee::regrole::text FROM pg_database, aclexplode(datacl) a WHERE datname = "
        granted = rows(filled, f"{rights}'{role_prefix(other)}'")
        assert f"{role}_marketing" not in [name for (name,) in granted]
        shop.deployment(role_prefix(other)).deploy(other)


@pytest.mark.parametrize("name", ["marketing", "research_bi"])
@pytest.mark.parametrize("said", [{}, {"prefix": "other"}, {"database": "elsewhere"}])
def test_a_role_that_was_not_made_for_this_deployment_is_refused(filled: str, name: str, said: dict[str, str]) -> None:
    role = f"{role_prefix(filled)}_{name}"
    run(filled, f'CREATE ROLE "{role}" LOGIN')
    if said:
        run(filled, meant_for(filled, role, **said))
    deployment = shop.deployment(role_prefix(filled))
    for dry in (True, False):
        with pytest.raises(PolicyError, match=f"role '{role}' exists already") as raised:
            deployment.deploy(filled, dry=dry)
    assert "choose another home, or drop the role" in str(raised.value)
    run(filled, str(raised.value).split("an administrator can run: ")[1])
    deployment.deploy(filled)
    undeploy(filled, forget_choices=True)
    assert rows(filled, f"SELECT 1 FROM pg_roles WHERE rolname = '{role}'") == [(1,)]


def test_a_role_that_was_given_is_left_as_it_was(filled: str) -> None:
    role = role_prefix(filled)
    run(filled, f'CREATE ROLE "{role}_marketing" LOGIN', meant_for(filled, f"{role}_marketing"))
    run(filled, f"""ALTER ROLE "{role}_marketing" IN DATABASE "{role}" SET search_path TO 'a b', public""")
    before = snapshot(filled)
    deployment = shop.deployment(role)
    deployment.deploy(filled)
    deployment.deploy(filled)
    assert rows(as_role(filled, f"{role}_marketing"), "SELECT id FROM customer WHERE id = 1") == [(1,)]
    undeploy(filled, forget_choices=True)
    assert snapshot(filled) == before


def test_settings_of_an_administrator_are_left_as_they_were(filled: str, postgres_server: Server) -> None:
    """The owner may not set some of them, and so could not set them again."""
    role = role_prefix(filled)
    run(filled, f'CREATE ROLE "{role}_marketing_bi" LOGIN', meant_for(filled, f"{role}_marketing_bi"))
    run(
        postgres_server.admin,
        f'ALTER ROLE "{role}_marketing_bi" IN DATABASE "{role}" SET log_statement TO \'all\'',
        f'ALTER ROLE "{role}_marketing_bi" IN DATABASE "{role}" SET lock_timeout TO \'7s\'',
    )
    before = snapshot(filled)
    notes = shop.deployment(role).deploy(filled).notes
    silent = [note for note in notes if "are not logged" in note]
    assert len(silent) == 1
    assert f"{role}_research_bi" in silent[0]
    assert f"{role}_marketing_bi" not in silent[0]
    undeploy(filled, forget_choices=True)
    assert [sorted(row[2].strip("{}").split(",")) for row in snapshot(filled)["settings"]] == [
        sorted(row[2].strip("{}").split(",")) for row in before["settings"]
    ]


def test_an_owner_without_the_right_to_create_roles(filled: str, postgres_server: Server) -> None:
    role, owner = role_prefix(filled), f"{role_prefix(filled)}_owner"
    run(postgres_server.admin, f'ALTER ROLE "{owner}" NOCREATEROLE')
    deployment = shop.deployment(role)
    with pytest.raises(PolicyError, match='an administrator can: CREATE ROLE "') as raised:
        deployment.deploy(filled)
    roles = [f"{role}_{name}" for name in ("marketing", "research", "marketing_bi", "research_bi")]
    run(postgres_server.admin, str(raised.value).split("an administrator can: ")[1])
    run(postgres_server.admin, *[f'GRANT "{name}" TO "{owner}" WITH ADMIN OPTION' for name in roles])
    notes = [note for note in deployment.deploy(filled).notes if "statement_timeout" in note]
    assert notes == [
        f"an administrator should set a statement_timeout for {name!r}: {owner!r} may not." for name in roles
    ]
    assert len(rows(as_role(filled, f"{role}_marketing"), "SELECT * FROM marketing.customer")) == 4
    undeploy(filled)
    assert len(rows(filled, f"SELECT 1 FROM pg_roles WHERE rolname ~ '^{role}_(marketing|research)'")) == len(roles)


def test_a_deployer_who_does_not_rule_the_database(filled: str, postgres_server: Server) -> None:
    role = role_prefix(filled)
    run(
        postgres_server.admin,
        f'ALTER DATABASE "{role}" OWNER TO postgres',
        f'GRANT CREATE ON DATABASE "{role}" TO "{role}_owner"',
    )
    notes = shop.deployment(role).deploy(filled).notes
    assert (
        f"the owner of database {role!r} should revoke TEMPORARY and CREATE from PUBLIC: '{role}_owner' may not."
    ) in notes


def test_a_role_may_connect_where_not_everybody_may(filled: str) -> None:
    role = role_prefix(filled)
    run(filled, f'REVOKE CONNECT ON DATABASE "{role}" FROM PUBLIC')
    before = snapshot(filled)
    shop.deployment(role).deploy(filled)
    assert len(rows(as_role(filled, f"{role}_marketing"), "SELECT * FROM customer")) == 4
    undeploy(filled, forget_choices=True)
    assert snapshot(filled) == before


def test_what_others_made_is_not_touched(filled: str) -> None:
    run(filled, "CREATE SCHEMA marketing")
    with pytest.raises(PolicyError, match="schema 'marketing' exists already"):
        shop.deployment(role_prefix(filled)).deploy(filled)
    run(filled, "DROP SCHEMA marketing", 'ALTER TABLE customer ADD COLUMN "income.choice" text')
    with pytest.raises(PolicyError, match="not created for choices"):
        shop.deployment(role_prefix(filled)).deploy(filled)
    run(filled, 'ALTER TABLE customer DROP COLUMN "income.choice"')
    shop.deployment(role_prefix(filled)).deploy(filled)
    run(
        filled, "CREATE VIEW marketing.mine AS SELECT 1 AS one", "CREATE VIEW mine AS SELECT id FROM marketing.customer"
    )
    deployed = snapshot(filled)
    with pytest.raises(PolicyError, match="nothing was changed: cannot drop"):
        undeploy(filled)
    assert snapshot(filled) == deployed
    run(filled, "DROP VIEW mine", "DROP VIEW marketing.mine")
    undeploy(filled)
    assert "marketing" not in [row[0] for row in snapshot(filled)["schemas"]]


def test_a_view_of_somebody_else_in_our_schema_is_not_replaced(filled: str) -> None:
    deployment = shop.deployment(role_prefix(filled))
    marketing, research = deployment.purposes
    deployment.deploy(filled)
    run(filled, "CREATE VIEW marketing.extra AS SELECT 1 AS one")
    more = replace(marketing, views={**marketing.views, "extra": shop.select('SELECT "id" FROM "public"."orders"')})
    with pytest.raises(PolicyError, match="'extra' that was not created by this deployment"):
        replace(deployment, purposes=(more, research)).deploy(filled)


def test_two_deployments_live_beside_each_other(filled: str) -> None:
    role = role_prefix(filled)
    shop.deployment(role).deploy(filled)
    first = snapshot(filled)
    other = PurposeSchema(
        purpose="Care",
        schema="care",
        role=f"{role}_care",
        views={"orders": shop.select('SELECT "id" FROM "public"."orders"')},
    )
    Deployment(digest="3f", purposes=(other,), prefix="other").deploy(filled)
    undeploy(filled, prefix="other")
    assert snapshot(filled) == first


def test_two_deployments_at_a_time_wait_for_each_other(filled: str) -> None:
    deployment = shop.deployment(role_prefix(filled))
    failures: list[Exception] = []

    def deploy() -> None:
        try:
            deployment.deploy(filled)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=deploy) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_names_are_quoted(filled: str) -> None:
    role = role_prefix(filled)
    odd = 'it\'s "odd"; DROP TABLE customer; --'
    odd_role = f'{role} "x"; --'
    one = PurposeSchema(
        purpose=odd, schema=odd, role=odd_role, views={odd: shop.select('SELECT "id" FROM "public"."customer"')}
    )
    before = snapshot(filled)
    Deployment(
        digest=odd, purposes=(one,), prefix="home'; --", choices=(odd, "%s {}"), choice_columns=(shop.INCOME,)
    ).deploy(filled)
    found = psycopg.sql.SQL("SELECT * FROM {} LIMIT 1").format(psycopg.sql.Identifier(odd, odd))
    with psycopg.connect(as_role(filled, odd_role)) as connection:
        assert connection.execute(found).fetchall() == [(1,)]
    undeploy(filled, prefix="home'; --", forget_choices=True)
    assert snapshot(filled) == before


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"prefix": "marketing"}, "two schemas would be called 'marketing'"), ({"prefix": "x" * 64}, "cannot be a name")],
)
def test_names_that_cannot_be(filled: str, changes: dict[str, object], said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        shop.deployment(role_prefix(filled), **changes).deploy(filled)


def test_a_view_of_what_is_not_there(filled: str) -> None:
    one = PurposeSchema(
        purpose="A", schema="a", role=f"{role_prefix(filled)}_a", views={"v": exp.select('"x"').from_("nowhere")}
    )
    with pytest.raises(PolicyError, match='relation "nowhere" does not exist') as caught:
        Deployment(digest="1f", purposes=(one,)).deploy(filled)
    assert caught.value.__context__ is None


def test_adding_choices_writes_no_rows(filled: str) -> None:
    asked = "SELECT pg_relation_filenode('customer')"
    before = rows(filled, asked)
    shop.deployment(role_prefix(filled)).deploy(filled)
    assert rows(filled, asked) == before
