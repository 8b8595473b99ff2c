"""The customers of Kabir (2010) in a real PostgreSQL: the same answers as from DuckDB."""

from __future__ import annotations

from datetime import UTC, date, datetime

import psycopg
import pytest

from sfumato.errors import PolicyError, StatementError
from sfumato.gateway.engines.postgres.deployment.deployed_names import schema_of
from sfumato.gateway.engines.postgres.deployment.deployment import undeploy
from sfumato.gateway.engines.postgres.deployment.policy_deployment import deployment_of
from sfumato.gateway.engines.postgres.source import PostgresSource, owner_types
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from tests.gateway import kabir
from tests.gateway.memory import customers

OWNER = Person("olga", frozenset({"owner"}), {})
AT_TEN = datetime(2026, 11, 16, 10, tzinfo=UTC)
PREFIX = "gate"


def fill(conninfo: str, choices=kabir.TABLE_3_2) -> None:
    with psycopg.connect(conninfo) as connection:
        connection.execute(
            "CREATE TABLE customer (id integer PRIMARY KEY, name text, age integer, address text, income integer)"
        )
        for row in kabir.CUSTOMERS:
            connection.execute("INSERT INTO customer VALUES (%s, %s, %s, %s, %s)", row)


def choose(conninfo: str, choices=kabir.TABLE_3_2) -> None:
    with psycopg.connect(conninfo) as connection:
        for key, chosen in kabir.chosen(choices).items():
            for column, place in chosen.items():
                connection.execute(f'UPDATE customer SET "{column}.choice" = {place} WHERE id = {key}'.encode())


def deployed(conninfo: str, policy: Policy, choices=kabir.TABLE_3_2) -> None:
    fill(conninfo)
    deployment_of(policy, {"customer": owner_types(conninfo, "customer")}, day=AT_TEN.date(), prefix=PREFIX).deploy(
        conninfo
    )
    choose(conninfo, choices)


def gateway(conninfo: str, policy: Policy) -> Gateway:
    return Gateway(policy, PostgresSource(policy, conninfo, owner=conninfo, prefix=PREFIX), clock=lambda: AT_TEN)


TEXTS = [
    "SELECT name, age, address, income FROM customer",
    "SELECT name FROM customer WHERE income > 15000",
    "SELECT name FROM customer WHERE income > 25000",
    "SELECT sum(income) AS s, avg(income) AS a, min(age) AS l, max(age) AS h, count(*) AS n FROM customer",
    "SELECT age, count(*) AS n FROM customer GROUP BY age ORDER BY age",
    "SELECT c.name, d.id FROM customer c JOIN customer d ON c.income = d.income",
    "SELECT name FROM customer WHERE income > (SELECT avg(income) FROM customer)",
    "WITH old AS (SELECT * FROM customer WHERE age >= 40) SELECT name, income FROM old UNION SELECT 'x', 5",
    "SELECT id, sum(income) OVER (ORDER BY id) AS s FROM customer ORDER BY id",
    "SELECT upper(exact(name)) AS n, id / 2 AS h FROM customer WHERE address LIKE '2%' ORDER BY id",
]


@pytest.mark.parametrize("row_policy", ["mask_cell", "drop_row", "drop_if_all_hidden"])
def test_both_engines_answer_alike(postgres: str, row_policy: str) -> None:
    policy = Policy.of(kabir.policy(row_policy))
    deployed(postgres, policy)
    gate, twin = gateway(postgres, policy), Gateway(policy, customers(), clock=lambda: AT_TEN)
    try:
        for purpose in ("Marketing", "Admin", "Shipping", "General", "T-Email"):
            for text in TEXTS:
                answers = []
                for one in (gate, twin):
                    try:
                        answers.append(sorted(one.query(text, person=OWNER, purpose=purpose).rows(), key=repr))
                    except StatementError as error:
                        answers.append(str(error))
                assert answers[0] == answers[1], (purpose, text)
    finally:
        gate.close()


def test_tables_2_6_and_3_5(postgres: str) -> None:
    policy = Policy.of(kabir.policy("drop_row"))
    deployed(postgres, policy, kabir.TABLE_2_2)
    gate = gateway(postgres, policy)
    try:
        found = gate.query("SELECT name, income FROM customer", person=OWNER, purpose="Marketing").rows()
        assert set(found) == {("Ron", "56000"), ("Bob", "20000-30000"), ("Jak", "40000-50000")}
    finally:
        gate.close()


def test_a_choice_holds_from_the_next_question_on(postgres: str) -> None:
    policy = Policy.of(kabir.policy())
    deployed(postgres, policy)
    gate = gateway(postgres, policy)
    text = "SELECT income FROM customer WHERE id = ?"

    def asked():
        return gate.query(text, person=OWNER, purpose="Marketing", parameters=[2]).rows()

    try:
        assert asked() == [("20000-30000",)]
        with psycopg.connect(postgres) as connection:
            connection.execute('UPDATE customer SET "income.choice" = 1 WHERE id = 2')
        assert asked() == [("23000",)]
    finally:
        gate.close()


def test_another_policy_is_noticed(postgres: str) -> None:
    policy = Policy.of(kabir.policy())
    deployed(postgres, policy)
    other = Policy.of({**kabir.policy(), "name": "another"})
    gate = gateway(postgres, other)
    try:
        with pytest.raises(PolicyError, match="another policy"):
            gate.query("SELECT name FROM customer", person=OWNER, purpose="Marketing")
    finally:
        gate.close()


def test_deploying_twice_and_taking_back(postgres: str) -> None:
    policy = Policy.of(kabir.policy())
    deployed(postgres, policy)
    made = deployment_of(policy, {"customer": owner_types(postgres, "customer")}, day=AT_TEN.date(), prefix=PREFIX)
    made.deploy(postgres)
    undeploy(postgres, prefix=PREFIX, forget_choices=True)
    with psycopg.connect(postgres) as connection:
        schemas = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'gate%'").fetchall()
        columns = connection.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'customer'::regclass AND attnum > 0 AND NOT attisdropped"
        ).fetchall()
    assert schemas == []
    assert [name for (name,) in columns] == ["id", *kabir.COLUMNS]


def test_views_end_when_a_rule_begins(postgres: str) -> None:
    fill(postgres)
    rule = {"name": "later", "table": "customer", "prohibited": ["General"], "valid_from": date(2026, 1, 1)}
    policy = Policy.of({**kabir.policy(), "rules": [rule]})
    types = {"customer": owner_types(postgres, "customer")}
    before = deployment_of(policy, types, day=date(2025, 6, 1), prefix=PREFIX)
    before.deploy(postgres)
    with psycopg.connect(postgres) as connection:
        shown = connection.execute(
            f'SELECT count(*) FROM "{schema_of("Marketing", PREFIX)}"."customer"'.encode()
        ).fetchone()
    assert shown == (0,)


def test_choices_keep_their_meaning_when_another_policy_is_deployed(postgres: str) -> None:
    deployed(postgres, Policy.of(kabir.policy()))
    types = {"customer": owner_types(postgres, "customer")}
    new = {"new": {"allowed": ["Shipping"]}}
    moved = [{**new, **kabir.choices()}, dict(reversed(kabir.choices().items()))]
    undeploy(postgres, prefix=PREFIX)
    for choices in moved:
        deployment = deployment_of(
            Policy.of({**kabir.policy(), "choices": choices}), types, day=AT_TEN.date(), prefix=PREFIX
        )
        with pytest.raises(PolicyError, match="stored by their position"):
            deployment.deploy(postgres)
    longer = Policy.of({**kabir.policy(), "choices": {**kabir.choices(), **new}})
    deployment_of(longer, types, day=AT_TEN.date(), prefix=PREFIX).deploy(postgres)
    gate = gateway(postgres, longer)
    assert ("Ron", "56000") in gate.query("SELECT name, income FROM customer", person=OWNER, purpose="Marketing").rows()
    gate.close()


def people(**table: object) -> Policy:
    """Whoever chose so shows nothing of the age."""
    return Policy.of(
        {
            "name": "people",
            "purposes": {"P": []},
            "choices": {"all": {"allowed": ["P"]}, "none": {"prohibited": ["P"]}},
            "tables": {
                "person": {
                    "key": "id",
                    "allowed": ["P"],
                    "columns": {"phone": {}, "age": {"by_choice": True, "default_choice": "all"}},
                    **table,
                }
            },
            "roles": {"analyst": {}},
            "permissions": [{"role": "analyst", "table": "person", "purpose": "P"}],
        }
    )


def plan_of_a_look(conninfo: str, policy: Policy) -> str:
    """How the gateway's role looks for a phone, of which most are those of expired records."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("CREATE TABLE person (id integer PRIMARY KEY, phone integer, age integer, since date)")
        connection.execute("INSERT INTO person SELECT i, i, i, '2001-01-01' FROM generate_series(1, 5000) i")
        connection.execute("CREATE INDEX by_phone ON person (phone)")
        deployment_of(policy, {"person": owner_types(conninfo, "person")}, day=AT_TEN.date(), prefix=PREFIX).deploy(
            conninfo
        )
        connection.execute("ANALYZE person")
    asked = f"EXPLAIN SELECT count(*) FROM {schema_of('P', PREFIX)}.person WHERE phone = 777"
    with psycopg.connect(psycopg.conninfo.make_conninfo(conninfo, user=schema_of("P", PREFIX))) as connection:
        found = connection.execute(asked.encode()).fetchall()
    return "\n".join(line for (line,) in found)


@pytest.mark.parametrize(
    "table",
    [
        {"retention": [{"column": "since", "days": 100}]},
        {"row_policy": "drop_row"},
        {"row_policy": "drop_if_all_hidden"},
    ],
)
def test_no_condition_reaches_rows_that_are_left_out(postgres: str, table: dict[str, object]) -> None:
    """An index would find them first, and how long that takes tells how many there are."""
    assert "by_phone" not in plan_of_a_look(postgres, people(**table))


def test_where_no_row_is_left_out_conditions_use_an_index(postgres: str) -> None:
    assert "by_phone" in plan_of_a_look(postgres, people())


SHADOWED = {
    "name": "shop", "purposes": {"P": []}, "roles": {"analyst": {}}, "auditing": {"least": 2},
    "tables": {"staff": {"key": "id", "allowed": ["P"], "columns": {"id": {"selects": True}, "pay": {}}}},
    "permissions": [{"role": "analyst", "table": "staff", "purpose": "P", "only_aggregates": True}],
}  # fmt: skip


@pytest.mark.parametrize("path", ["own", "set", "none"])
def test_a_table_of_another_schema_is_never_looked_at(postgres: str, path: str) -> None:
    """Views read tables in public, also where a schema before it on the owner's path has one of the same name."""
    name = psycopg.conninfo.conninfo_to_dict(postgres)["user"] if path == "own" else "other"
    with psycopg.connect(postgres) as connection:
        connection.execute("CREATE TABLE public.staff (id integer PRIMARY KEY, pay integer NOT NULL UNIQUE)")
        connection.execute("INSERT INTO public.staff SELECT n, 10 * n FROM generate_series(1, 9) AS n")
        if path != "none":
            connection.execute(f'CREATE SCHEMA "{name}"'.encode())
            connection.execute(f'CREATE TABLE "{name}".staff (id text, pay text)'.encode())
    if path == "set":
        postgres = psycopg.conninfo.make_conninfo(postgres, options="-csearch_path=other,public")
    if path == "none":
        postgres = psycopg.conninfo.make_conninfo(postgres, options="-csearch_path=pg_catalog")
    policy = Policy.of(SHADOWED)
    types = owner_types(postgres, "staff")
    assert {name: kind.name for name, kind in types.items()} == {"id": "integer", "pay": "integer"}
    deployment_of(policy, {"staff": types}, day=AT_TEN.date(), prefix=PREFIX).deploy(postgres)
    gate = gateway(postgres, policy)
    try:
        analyst = Person("ada", frozenset({"analyst"}), {})
        assert gate.source.constraints("staff").keys == (("id",), ("pay",))
        assert gate.query("SELECT sum(pay) AS s FROM staff WHERE id < 6", person=analyst).rows() == [(150,)]
        with pytest.raises(StatementError, match="unique in the database"):
            gate.query("SELECT max(pay) AS m FROM staff", person=analyst)
    finally:
        gate.close()


def test_a_table_that_is_elsewhere_is_missing(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        connection.execute("CREATE SCHEMA other")
        connection.execute("CREATE TABLE other.staff (id integer)")
        connection.execute("CREATE TABLE stuff (id integer)")
    with pytest.raises(PolicyError, match=r"no table 'staff'.*'stuff'"):
        owner_types(psycopg.conninfo.make_conninfo(postgres, options="-csearch_path=other"), "staff")
