"""A masked relation shows what the plain definition says, for random policies and rows."""

from __future__ import annotations

import random
from datetime import date
from typing import Any

import pytest
from sqlglot import exp

from sfumato.errors import PolicyError
from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.access_rules import access
from sfumato.gateway.views.views import PurposeView
from tests.examples import seeds
from tests.gateway.memory import fill, memory_database

DAY = date(2026, 11, 15)
PURPOSES = {"General": ["Admin", "Marketing"], "Marketing": ["Phone", "Post"]}
NAMES = ["General", "Admin", "Marketing", "Phone", "Post"]
TYPES = {
    name: ColumnType.of_duckdb(kind)
    for name, kind in {
        "id": "INTEGER",
        "income": "INTEGER",
        "name": "VARCHAR",
        "land": "VARCHAR",
        "since": "DATE",
    }.items()
}
CONDITIONS = ["land = 'DE'", "income > 20", "land <> 'IT' and income < 50", "not (land = 'DE')", "name is null"]


def some(chance: random.Random) -> dict[str, list[str]]:
    return {
        part: chance.sample(NAMES, k=chance.choice([0, 0, 1, 1, 2]))
        for part in ("allowed", "conditional", "prohibited")
    }


def random_policy(chance: random.Random, row_policy: str = "mask_cell") -> Policy:
    income = {"by_choice": True} if chance.random() < 0.5 else some(chance)
    if "by_choice" in income and chance.random() < 0.5:
        income["default_choice"] = "a"
    rules = [
        {
            "name": f"r{place}",
            "table": "t",
            "columns": chance.choice([None, ["income"], ["name"]]),
            "where": chance.choice([None, *CONDITIONS]),
            **some(chance),
        }
        for place in range(chance.randint(0, 3))
    ]
    return Policy.of(
        {
            "name": "random",
            "purposes": PURPOSES,
            "closes_upward": chance.random() < 0.7,
            "choices": {"a": some(chance), "b": some(chance)},
            "rules": [{key: value for key, value in rule.items() if value is not None} for rule in rules],
            "tables": {
                "t": {
                    "key": "id",
                    "row_policy": row_policy,
                    "new_columns": chance.choice(["hidden", "as_table"]),
                    **some(chance),
                    "columns": {
                        "income": {**income, "conditions": [{"transform": "bucket", "width": 10}]},
                        "name": {
                            **some(chance),
                            "conditions": [{"transform": "first_letter"}] if chance.random() < 0.7 else [],
                        },
                    },
                }
            },
        }
    )


def rows(chance: random.Random) -> list[dict[str, Any]]:
    return [
        {
            "id": place,
            "income": chance.choice([5, 25, 45, 65, None]),
            "name": chance.choice(["Ann", "Bob", None]),
            "land": chance.choice(["DE", "IT", None]),
            "since": DAY,
            "income.choice": chance.choice([None, 0, 1, 2, 9]),
        }
        for place in range(12)
    ]


def masked(view: PurposeView, given: list[dict[str, Any]], engine: str = "duckdb") -> list[dict[str, Any]]:
    con = memory_database()
    con.execute('CREATE TABLE t (id INT, income INT, name VARCHAR, land VARCHAR, since DATE, "income.choice" UTINYINT)')
    fill(con, "t", [list(row.values()) for row in given])
    today = exp.cast(exp.Literal.string(DAY.isoformat()), "date")
    made = view.select(exp.to_table("t"), engine, today=today)
    return con.sql(made.sql(engine)).to_arrow_table().to_pylist()


@seeds(150)
def test_every_cell_is_as_defined(seed: int) -> None:
    chance = random.Random(seed)
    policy, given, purpose = random_policy(chance), rows(chance), chance.choice(NAMES)
    view = PurposeView.of(policy, "t", purpose, TYPES, day=DAY)
    if not view.columns:
        return
    found = masked(view, given)
    assert len(found) == len(given)
    for row, shown in zip(given, found, strict=True):
        for column in view.columns:
            seen = access(column.rules, row, row["income.choice"] or 0)
            if seen is Access.CONDITIONAL and column.transform is None:
                seen = Access.HIDDEN
            assert seen in column.access
            assert cell(column.name, column.form, shown) == expected(column.name, column.form, row[column.name], seen)


def cell(name: str, form: str, shown: dict[str, Any]) -> Any:
    if form == "range":
        return shown[f"{name}.lo"], shown[f"{name}.hi"]
    return (shown[name], shown[f"{name}.exact"]) if form == "text" else shown[name]


def expected(name: str, form: str, value: Any, seen: Access) -> Any:
    hidden = seen is Access.HIDDEN or value is None
    if form == "range":
        if hidden:
            return None, None
        low = value // 10 * 10
        return (value, value) if seen is Access.FULL else (low, low + 9)
    if form == "text":
        return (None, None) if hidden else ((value, True) if seen is Access.FULL else (value[0], False))
    return None if hidden else value


@seeds(30)
def test_what_is_hidden_is_told_where_rows_may_be_dropped(seed: int) -> None:
    chance = random.Random(seed)
    policy, given = random_policy(chance, "drop_row"), rows(chance)
    view = PurposeView.of(policy, "t", "Marketing", TYPES, day=DAY)
    if not view.columns:
        return
    for row, shown in zip(given, masked(view, given), strict=True):
        for column in view.columns:
            seen = access(column.rules, row, row["income.choice"] or 0)
            hidden = seen is Access.HIDDEN or (seen is Access.CONDITIONAL and column.transform is None)
            assert shown.get(f"{column.name}.hidden", False) == hidden


def test_columns_that_nobody_sees_are_not_there() -> None:
    policy = Policy.of(
        {"name": "p", "purposes": PURPOSES, "tables": {"t": {"key": "id", "columns": {"id": {"allowed": ["General"]}}}}}
    )
    view = PurposeView.of(policy, "t", "Admin", TYPES, day=DAY)
    assert [column.name for column in view.columns] == ["id"]
    assert set(view.hidden) == {"income", "name", "land", "since"}


def test_a_column_that_is_added_later_is_hidden_until_the_policy_names_it() -> None:
    said = {"key": "id", "allowed": ["General"], "columns": {"name": {}}}

    def shown(**more) -> set[str]:
        policy = Policy.of({"name": "p", "purposes": PURPOSES, "tables": {"t": {**said, **more}}})
        return {column.name for column in PurposeView.of(policy, "t", "Admin", TYPES, day=DAY).columns}

    assert shown() == {"id", "name"}
    assert shown(columns={"name": {}, "land": {}}) == {"id", "name", "land"}
    assert shown(new_columns="as_table") == set(TYPES)


def test_two_columns_that_look_the_same_are_refused() -> None:
    policy = Policy.of({"name": "p", "purposes": PURPOSES, "tables": {"t": {"key": "id", "allowed": ["General"]}}})
    with pytest.raises(PolicyError, match="two columns of 't' look the same, 'income' and 'Income'"):
        PurposeView.of(policy, "t", "Admin", {**TYPES, "Income": TYPES["income"]}, day=DAY)


HIDING = {
    "name": "p",
    "purposes": PURPOSES,
    "tables": {
        "t": {
            "key": "id",
            "allowed": ["General"],
            "new_columns": "as_table",
            "columns": {
                "income": {
                    "conditional": ["Marketing"],
                    "conditions": [{"transform": "hide_identifiers", "columns": ["name"]}],
                }
            },
        }
    },
}


def test_a_value_is_shown_without_whose_it_is() -> None:
    policy, given = Policy.of(HIDING), rows(random.Random(0))
    without = PurposeView.of(policy, "t", "Marketing", TYPES, day=DAY)
    assert without.withheld == ("income",)
    assert [row["name"] for row in masked(without, given)] == [row["name"] for row in given]
    looked = PurposeView.of(policy, "t", "Marketing", TYPES, day=DAY, referencing=frozenset({"income"}))
    assert looked.name != without.name
    expected = [{"id": None, "income": row["income"], "name": None, "land": row["land"], "since": DAY} for row in given]
    assert sorted(masked(looked, given), key=repr) == sorted(expected, key=repr)


def test_neither_does_its_place_tell_whose_a_value_is() -> None:
    policy, given = Policy.of(HIDING), rows(random.Random(0))
    looked = PurposeView.of(policy, "t", "Marketing", TYPES, day=DAY, referencing=frozenset({"income"}))
    assert masked(looked, given) == masked(looked, given[::-1])
    without = PurposeView.of(policy, "t", "Marketing", TYPES, day=DAY)
    assert masked(without, given) == masked(without, given[::-1])[::-1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"columns": {"incme": {"allowed": ["General"]}}}, "did you mean 'income'"),
        ({"key": "nr"}, "column 'nr'"),
        (
            {"columns": {"name": {"conditional": ["General"], "conditions": [{"transform": "bucket", "width": 5}]}}},
            "bucket",
        ),
    ],
)
def test_policies_that_do_not_fit_the_table_are_refused(change, said) -> None:
    policy = Policy.of({"name": "p", "purposes": PURPOSES, "tables": {"t": {"key": "id", **change}}})
    with pytest.raises(PolicyError, match=said):
        PurposeView.of(policy, "t", "Admin", TYPES, day=DAY)


def test_names_with_dots_are_the_gateways_own() -> None:
    policy = Policy.of({"name": "p", "purposes": PURPOSES, "tables": {"t": {"key": "id", "allowed": ["General"]}}})
    with pytest.raises(PolicyError, match="dot in its name"):
        PurposeView.of(policy, "t", "Admin", {**TYPES, "a.b": TYPES["id"]}, day=DAY)


def test_names_that_postgres_would_cut_cannot_be_shown() -> None:
    """Nor may it cut what the gateway makes of them: `.lo`, `.hi`, `.exact`, `.hidden`."""
    table = {"key": "id", "allowed": ["General"], "new_columns": "as_table"}
    long = {**TYPES, "a" * 56: TYPES["id"], "a" * 57: TYPES["id"]}
    shown, hidden = ({**table, "columns": {"a" * 57: given}} for given in ({}, {"prohibited": ["General"]}))
    policies = [Policy.of({"name": "p", "purposes": PURPOSES, "tables": {"t": one}}) for one in (shown, hidden)]
    with pytest.raises(PolicyError, match="more than 56 bytes; hide or rename what"):
        PurposeView.of(policies[0], "t", "Admin", long, day=DAY)
    assert "a" * 56 in PurposeView.of(policies[1], "t", "Admin", long, day=DAY).by_name


def test_rows_of_which_nothing_is_shown_can_be_counted() -> None:
    table = {"key": "id", "allowed": ["General"], "columns": {name: {"prohibited": ["General"]} for name in TYPES}}
    view = PurposeView.of(
        Policy.of({"name": "p", "purposes": PURPOSES, "tables": {"t": table}}), "t", "Admin", TYPES, day=DAY
    )
    con = memory_database()
    con.execute("CREATE TABLE t AS SELECT 7 AS id FROM range(3)")
    made = view.select(exp.to_table("t"), "duckdb", today=exp.CurrentDate())
    assert con.sql(made.sql("duckdb")).fetchall() == [(True,)] * 3
