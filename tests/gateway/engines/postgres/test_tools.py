"""What tools see of a table: what every permission of the day grants, and nothing where that cannot be told."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import psycopg
import pytest

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.deployment.deployed_names import schema_of
from sfumato.gateway.engines.postgres.deployment.policy_deployment import deployment_of, tools_login
from sfumato.gateway.engines.postgres.source import owner_types
from sfumato.gateway.engines.postgres.tools import ToolsView, select_permissions
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView
from tests.postgres import as_role

TODAY = datetime.now(UTC).date()
DAY = timedelta(days=1)
TYPES = {
    "customer": {"id": "integer", "name": "text", "age": "integer", "income": "integer", "illness": "text",
                 "since": "date"},
    "orders": {"id": "integer", "amount": "numeric(10,2)"},
}  # fmt: skip
TREE = {"General": ["Marketing", "Research"], "Marketing": ["Direct"]}


def policy(*permissions: dict[str, Any], **changes: Any) -> Policy:
    """Names are shown; incomes as their owner chose; illnesses for research, but not whose they are."""
    customer = {
        "key": "id",
        "allowed": ["General"],
        "columns": {
            "name": {},
            "age": {},
            "income": {"by_choice": True, "conditions": [{"transform": "bucket", "width": 10_000}]},
            "illness": {
                "conditional": ["Research"],
                "prohibited": ["Marketing"],
                "conditions": [{"transform": "hide_identifiers", "columns": ["name"]}],
            },
        },
        **changes.pop("customer", {}),
    }
    return Policy.of(
        {
            "name": "tools",
            "purposes": TREE,
            "choices": {
                "all": {"allowed": ["General"]},
                "range": {"allowed": ["General"], "conditional": ["General"]},
                "none": {"prohibited": ["General"]},
            },
            "tables": {"customer": customer, "orders": {"key": "id", "allowed": ["General"]}},
            "roles": {"clerk": {}, "boss": {}, "stat": {}},
            "conditional_roles": {"senior": {"role": "clerk", "when": "experience > 10"}},
            "permissions": [
                {"role": "clerk", "table": "customer", "purpose": "Marketing", **one} for one in permissions
            ],
            **changes,
        }
    )


def types(table: str) -> dict[str, ColumnType]:
    return {name: ColumnType.of_postgres(kind) for name, kind in TYPES[table].items()}


def offered(given: Policy, purpose: str = "Marketing", table: str = "customer") -> ToolsView:
    return ToolsView(PurposeView.of(given, table, purpose, types(table), day=TODAY), "shop")


def columns(found: ToolsView) -> list[str]:
    return [column.name for column in found.columns]


def test_columns_that_every_permission_grants() -> None:
    some, others = {"columns": ["id", "name", "income"]}, {"role": "boss", "columns": ["income", "name", "age"]}
    assert columns(offered(policy({}))) == ["id", "name", "age", "income"]
    assert columns(offered(policy(some, {"role": "boss"}))) == ["id", "name", "income"]
    assert columns(offered(policy(some, others))) == ["name", "income"]
    assert columns(offered(policy(some, {**others, "purpose": "Research"}))) == ["id", "name", "income"]
    assert columns(offered(policy(some, {**others, "purpose": "General"}), "Direct")) == ["name", "income"]
    assert columns(offered(policy(some, {**others, "operation": "choose"}))) == ["id", "name", "income"]


@pytest.mark.parametrize(
    ("permissions", "why"),
    [
        ([{}, {"role": "stat", "only_aggregates": True}], "role 'stat' may ask for aggregates only"),
        ([{}, {"role": "senior"}], "role 'senior' depends on a condition that the database cannot check"),
        ([{"valid_from": TODAY + DAY}], "no permission holds today; deploy again on the day when one begins"),
        ([{"columns": ["id"]}, {"role": "boss", "columns": ["age"]}], "no column in common that may be shown"),
        ([{"columns": ["illness"]}], "no column in common that may be shown"),
    ],
)
def test_no_view_where_it_cannot_be_told(permissions: list[dict[str, Any]], why: str) -> None:
    given = policy(*permissions)
    refusal = offered(given).refusal
    assert refusal is not None
    assert why in refusal
    made = deployment_of(given, {name: types(name) for name in TYPES}, day=TODAY)
    assert not made.tools_roles
    assert f"no view of 'customer' for tools of Marketing: {refusal}." in made.notes
    assert "no login for tools of Marketing: there is no view that it could read." in made.notes


def test_a_permission_that_does_not_hold_today_grants_and_forbids_nothing() -> None:
    later = {"role": "stat", "only_aggregates": True, "valid_from": TODAY + DAY}
    earlier = {"role": "senior", "valid_until": TODAY - DAY}
    assert offered(policy({}, later, earlier)).refusal is None


def test_without_tools_there_is_neither_view_nor_note() -> None:
    kinds = {name: types(name) for name in TYPES}
    made = deployment_of(policy({"role": "stat", "only_aggregates": True}), kinds, day=TODAY, tools=False)
    assert (made.tools_roles, made.notes) == ([], ())
    made = deployment_of(policy({}), kinds, day=TODAY, tools=False)
    assert (made.tools_roles, made.notes) == ([], ())


def test_a_purpose_reads_tables_that_somebody_may_ask_for_it() -> None:
    given = policy(
        {},
        {"table": "orders", "purpose": "Direct"},
        {"role": "boss", "purpose": "Research", "valid_until": TODAY - DAY},
        {"role": "boss", "table": "orders", "purpose": "Research", "valid_from": TODAY + DAY},
    )
    made = deployment_of(given, {name: types(name) for name in TYPES}, day=TODAY)
    assert {one.purpose: (sorted(one.views), sorted(one.flat_views)) for one in made.purposes} == {
        "Marketing": (["customer"], ["customer_flat"]),
        "Direct": (["customer", "orders"], ["customer_flat", "orders_flat"]),
        "Research": (["orders"], []),
    }


def test_columns_that_hide_whose_they_are_are_left_out() -> None:
    given = policy({"purpose": "Research"})
    made = deployment_of(given, {name: types(name) for name in TYPES}, day=TODAY)
    assert sorted(made.purposes[0].views) == ["customer", "customer.illness"]
    assert list(made.purposes[0].flat_views) == ["customer_flat"]
    assert "illness" not in made.purposes[0].flat_views["customer_flat"].sql("postgres")
    assert made.notes == (
        "the view of 'customer' for tools of Research leaves out 'illness': whose values these are must stay hidden, "
        "and tools could join them to the people.",
    )


def test_duties_are_told() -> None:
    duty = {"obligations": [{"duty": "notify", "to": "the officer"}, {"duty": "log"}]}
    assert list(offered(policy(duty)).notes()) == [
        "the database does not enforce duties of tools of Marketing that read 'customer': 'notify the officer'."
    ]


def test_names_that_meet_are_refused() -> None:
    kinds = {**types("customer"), "income_lo": ColumnType.of_postgres("integer")}
    given = policy({}, customer={"new_columns": "as_table"})
    view = PurposeView.of(given, "customer", "Marketing", kinds, day=TODAY)
    with pytest.raises(PolicyError, match="deploy without logins for tools"):
        ToolsView(view, "shop").select(["income_lo", "income.lo", "income.hi"])


def test_two_purposes_of_one_name_are_refused() -> None:
    given = policy({}, purposes={"General": ["Marketing", "Research", "Marketing BI"], "Marketing": ["Direct"]})
    given = Policy.of({**given.sections.model_dump(), "permissions": [
        {"role": "clerk", "table": "customer", "purpose": "General"}
    ]})  # fmt: skip
    with pytest.raises(PolicyError, match="same schema"):
        deployment_of(given, {name: types(name) for name in TYPES}, day=TODAY)


def test_permissions_of_a_purpose_are_those_of_its_ancestors_too() -> None:
    assert [one.role for one in select_permissions(policy({}, {"role": "boss", "purpose": "Research"}), "Direct",
                                                   "customer")] == ["clerk"]  # fmt: skip


ROWS = [(1, "Ann", 31, 23_457, "flu", 1), (2, "Bob", 45, 38_120, "cold", 2), (3, "Cy", 52, 77_123, None, 3)]
"""Id, name, age, income, illness and choice: all of the income, its range, nothing."""


@pytest.fixture
def filled(postgres: str) -> str:
    with psycopg.connect(postgres) as connection:
        for table, kinds in TYPES.items():
            listed = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
            connection.execute(f"CREATE TABLE {table} ({listed}, PRIMARY KEY (id))".encode())
    return postgres


def deploy(conninfo: str, given: Policy, day: date = TODAY) -> str:
    """How the tools of Marketing connect."""
    prefix = psycopg.conninfo.conninfo_to_dict(conninfo)["dbname"]
    found = {name: owner_types(conninfo, name) for name in TYPES}
    deployment_of(given, found, day=day, prefix=str(prefix)).deploy(conninfo)
    with psycopg.connect(conninfo) as connection:
        connection.execute("DELETE FROM customer")
        for *row, choice in ROWS:
            connection.execute(
                'INSERT INTO customer (id, name, age, income, illness, since, "income.choice")'
                " VALUES (%s, %s, %s, %s, %s, now() AT TIME ZONE 'UTC', %s)",
                [*row, choice],
            )
    return as_role(conninfo, tools_login("Marketing", str(prefix)))


def asked(login: str, text: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(login) as connection:
        return connection.execute(text.encode()).fetchall()


def test_weaker_values_are_written_as_the_gateway_does(filled: str) -> None:
    login = deploy(filled, policy({}))
    text = "SELECT id, name, income_lo, income_hi, income_exact, income_shown FROM customer_flat ORDER BY id"
    assert asked(login, text) == [
        (1, "Ann", 23457, 23457, True, "23457"),
        (2, "Bob", 30000, 39999, False, "30000-40000"),
        (3, "Cy", None, None, None, None),
    ]


@pytest.mark.parametrize(
    ("row_policy", "named", "ids"),
    [
        ("mask_cell", None, [1, 2, 3]),
        ("drop_row", None, [1, 2]),
        ("drop_row", ["id", "age"], [1, 2, 3]),
        ("drop_if_all_hidden", None, [1, 2, 3]),
        ("drop_if_all_hidden", ["income"], [1, 2]),
    ],
)
def test_rows_are_dropped_as_the_policy_says(
    filled: str, row_policy: str, named: list[str] | None, ids: list[int]
) -> None:
    login = deploy(filled, policy({} if named is None else {"columns": named}, customer={"row_policy": row_policy}))
    assert len(asked(login, "SELECT * FROM customer_flat")) == len(ids)
    if named is None or "id" in named:
        assert asked(login, "SELECT id FROM customer_flat ORDER BY id") == [(one,) for one in ids]
    names = asked(login, "SELECT attname FROM pg_attribute WHERE attrelid = 'customer_flat'::regclass AND attnum > 0")
    assert not [name for (name,) in names if "hidden" in name]


@pytest.mark.parametrize(
    ("window", "day", "seen"),
    [
        ({"valid_from": TODAY, "valid_until": TODAY}, TODAY, 3),
        ({"valid_until": TODAY - DAY}, TODAY - DAY, 0),
        ({"valid_from": TODAY + DAY}, TODAY + DAY, 0),
        ({"valid_until": date.max}, TODAY, 3),
    ],
)
def test_a_view_shows_nothing_outside_the_days_of_its_permissions(
    filled: str, window: dict[str, date], day: date, seen: int
) -> None:
    login = deploy(filled, policy(window), day)
    assert len(asked(login, "SELECT * FROM customer_flat")) == seen


def test_a_view_ends_when_another_permission_begins(filled: str) -> None:
    later = {"role": "stat", "only_aggregates": True, "valid_from": TODAY}
    login = deploy(filled, policy({}, later), TODAY - DAY)
    assert asked(login, "SELECT * FROM customer_flat") == []


def test_a_view_ends_when_a_rule_begins(filled: str) -> None:
    rule = {"name": "later", "table": "customer", "prohibited": ["General"], "valid_from": TODAY}
    login = deploy(filled, policy({}, rules=[rule]), TODAY - DAY)
    assert asked(login, "SELECT * FROM customer_flat") == []


@pytest.mark.parametrize("row_policy", ["mask_cell", "drop_row"])
def test_a_transaction_that_is_kept_open_does_not_keep_the_day(filled: str, row_policy: str) -> None:
    """The clock is read for every question, and not when the transaction began."""
    login = deploy(filled, policy({"valid_until": TODAY}, customer={"row_policy": row_policy}))
    made = asked(login, "SELECT pg_get_viewdef('customer_flat'::regclass)")[0][0]
    assert "clock_timestamp()" in made
    assert "now()" not in made
    assert "CURRENT_DATE" not in made


def plan(login: str, condition: str) -> str:
    with psycopg.connect(login) as connection:
        text = f"EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, BUFFERS OFF) SELECT * FROM customer_flat WHERE {condition}"
        found = connection.execute(text.encode())
        return "\n".join(line for (line,) in found)


def test_a_plan_does_not_tell_which_rows_are_missing(filled: str) -> None:
    """With an index on a column, the rows that a condition finds would be counted before others are dropped."""
    login = deploy(filled, policy({}, customer={"retention": [{"column": "since", "days": 30}]}))
    with psycopg.connect(filled) as connection:
        connection.execute("CREATE INDEX ON customer (age)")
        connection.execute("INSERT INTO customer SELECT i, 'x', 60, i, NULL, '2001-01-01' FROM"
                           " generate_series(100, 5000) i")  # fmt: skip
        connection.execute("UPDATE customer SET age = 61 WHERE id = 777")
        connection.commit()
        connection.autocommit = True
        connection.execute("ANALYZE customer")
    plans = {plan(login, f"age = {age}").replace(str(age), "?") for age in (60, 61, 62)}
    assert len(plans) == 1
    assert "Index" not in plans.pop()


def test_a_view_without_missing_rows_can_use_an_index(filled: str) -> None:
    login = deploy(filled, policy({}))
    with psycopg.connect(filled) as connection:
        connection.execute("INSERT INTO customer SELECT i, 'x', 60, i, NULL, NULL FROM generate_series(100, 5000) i")
        connection.commit()
        connection.autocommit = True
        connection.execute("ANALYZE customer")
    assert "Index" in plan(login, "id = 777")


def test_rows_come_in_the_order_of_what_they_show(filled: str) -> None:
    """Not in that of an index over a hidden column, and not in that in which they were written."""
    login = deploy(filled, policy({"columns": ["age", "name"]}))
    with psycopg.connect(filled, autocommit=True) as connection:
        connection.execute("CREATE INDEX by_income ON customer (income, age, name)")
        connection.execute("INSERT INTO customer SELECT i, 'x', i % 70, 100000 - i, repeat('long', 100), NULL FROM"
                           " generate_series(100, 5000) i")  # fmt: skip
        connection.execute('UPDATE customer SET "income.choice" = 2 WHERE id = 700')
        connection.execute("VACUUM ANALYZE customer")
    with psycopg.connect(login) as connection:
        connection.execute("SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off")
        found = connection.execute("SELECT age, name FROM customer_flat").fetchall()
    assert len(found) == 4904
    assert found == sorted(found, key=lambda row: row[::-1])


@pytest.mark.parametrize("inherited", [False, True])
def test_a_plan_does_not_tell_in_which_partition_somebodys_row_lies(filled: str, inherited: bool) -> None:
    kinds = ", ".join(f"{name} {kind}" for name, kind in TYPES["customer"].items())
    parts = (
        ["CREATE TABLE poor () INHERITS (customer)", "CREATE TABLE rich () INHERITS (customer)"]
        if inherited
        else [
            "DROP TABLE customer",
            f"CREATE TABLE customer ({kinds}) PARTITION BY RANGE (income)",
            "CREATE TABLE poor PARTITION OF customer FOR VALUES FROM (0) TO (50000)",
            "CREATE TABLE rich PARTITION OF customer FOR VALUES FROM (50000) TO (1000000)",
        ]
    )
    with psycopg.connect(filled) as connection:
        for statement in parts:
            connection.execute(statement.encode())
    login = deploy(filled, policy({}))
    if inherited:
        with psycopg.connect(filled) as connection:
            connection.execute("WITH gone AS (DELETE FROM ONLY customer WHERE id = 3 RETURNING *)"
                               " INSERT INTO rich SELECT * FROM gone")  # fmt: skip
    plans = {plan(login, f"id = {key}").replace(f"id = {key})", "?") for key in (1, 3)}
    assert len(plans) == 1
    assert "rich" in plans.pop()


def test_the_gateways_role_and_that_of_tools_are_two(filled: str) -> None:
    login = deploy(filled, policy({}))
    prefix = psycopg.conninfo.conninfo_to_dict(filled)["dbname"]
    gateway = as_role(filled, schema_of("Marketing", str(prefix)))
    assert len(asked(gateway, "SELECT * FROM customer")) == 3
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for schema"):
        asked(gateway, f'SELECT * FROM "{tools_login("Marketing", str(prefix))}".customer_flat')
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for schema"):
        asked(login, f'SELECT * FROM "{schema_of("Marketing", str(prefix))}".customer')
