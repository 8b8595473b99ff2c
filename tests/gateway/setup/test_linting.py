from __future__ import annotations

from datetime import date

import pytest

from sfumato.gateway.people.people import People
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.setup.linting import lint, lint_with_tables
from sfumato.gateway.transforms.column_types import ColumnType
from tests.gateway import kabir
from tests.gateway.memory import customers

DAY = date(2026, 11, 15)
GOOD = {
    "name": "shop",
    "purposes": {"General": ["Admin", "Marketing"]},
    "tables": {"customer": {"key": "id", "allowed": ["General"], "columns": {"income": {}}}},
    "roles": {"clerk": {}},
    "permissions": [{"role": "clerk", "table": "customer", "purpose": "Admin"}],
}
COLUMNS = {"customer": {name: ColumnType.of_duckdb("INTEGER") for name in ("id", "income")}}


def found(**change) -> list[tuple[str, str]]:
    return [(one.kind, one.where) for one in lint(Policy.of({**GOOD, **change}), COLUMNS, day=DAY)]


def test_a_good_policy_has_nothing_to_find() -> None:
    assert found() == []
    numbers = ("id", "age", "income")
    kinds = {name: "INTEGER" if name in numbers else "VARCHAR" for name in ("id", *kabir.COLUMNS)}
    columns = {"customer": {name: ColumnType.of_duckdb(kind) for name, kind in kinds.items()}}
    assert lint(Policy.of(kabir.policy()), columns, day=DAY) == []
    chosen = kabir.policy()
    chosen["permissions"].append({"role": "owner", "table": "customer", "purpose": "Admin", "operation": "choose"})
    assert lint(Policy.of(chosen), columns, day=DAY) == []


@pytest.mark.parametrize(
    ("change", "kind", "where"),
    [
        (
            {"rules": [{"name": "r", "table": "customer", "allowed": ["Marketing"], "prohibited": ["Marketing"]}]},
            "contradiction",
            "rule 'r'",
        ),
        (
            {
                "tables": {
                    "customer": {
                        "key": "id",
                        "allowed": ["General"],
                        "columns": {"income": {"conditional": ["Marketing"]}},
                    }
                }
            },
            "no weaker form",
            "column 'income' of 'customer'",
        ),
        (
            {"tables": {"customer": {"key": "id", "allowed": ["General"]}}},
            "new column",
            "column 'income' of 'customer'",
        ),
        (
            {"tables": {"customer": {"key": "id", "columns": {"id": {"allowed": ["General"]}, "income": {}}}}},
            "not covered",
            "column 'income' of 'customer'",
        ),
        ({"rules": [{"name": "r", "table": "customer", "allowed": ["Admin"]}]}, "unreachable", "rule 'r'"),
        (
            {"rules": [{"name": "r", "table": "customer", "prohibited": ["Admin"], "valid_until": date(2026, 1, 1)}]},
            "expired",
            "rule 'r'",
        ),
        (
            {"conditional_roles": {"late": {"role": "clerk", "when": "hour > 18"}}},
            "unreachable",
            "conditional role 'late'",
        ),
        (
            {
                "permissions": [
                    {"role": "clerk", "table": "customer", "purpose": "Admin", "valid_until": date(2026, 1, 1)}
                ]
            },
            "expired",
            "permission of 'clerk' on 'customer'",
        ),
        (
            {"rules": [{"name": "r", "table": "customer", "prohibited": ["Admin"]}]},
            "fruitless",
            "permission of 'clerk' on 'customer'",
        ),
        (
            {"permissions": [{**GOOD["permissions"][0], "only_aggregates": True}]},
            "fruitless",
            "permission of 'clerk' on 'customer'",
        ),
        (
            {"permissions": [{**GOOD["permissions"][0], "operation": "choose"}]},
            "fruitless",
            "permission of 'clerk' on 'customer'",
        ),
    ],
)
def test_what_is_probably_not_meant_is_found(change, kind, where) -> None:
    assert (kind, where) in found(**change)


def test_aggregates_need_columns_to_select_by_and_noise_needs_bounds() -> None:
    def said(permission, **income) -> list[str]:
        table = {"key": "id", "allowed": ["General"], "columns": {"income": income}}
        given = {**GOOD, "tables": {"customer": table}, "permissions": [{**GOOD["permissions"][0], **permission}]}
        return [one.said for one in lint(Policy.of(given), COLUMNS, day=DAY)]

    noisy = {"only_aggregates": True, "epsilon": 1.0}
    assert said({"only_aggregates": True}, selects=True) == []
    assert said(noisy, selects="with_noise", bounds=[0.0, 5.0]) == []
    assert "no column has bounds" in said(noisy, selects=True)[0]
    assert "no column may be used in conditions" in said(noisy, bounds=[0.0, 5.0])[0]


def test_columns_that_a_permission_names_and_nobody_has() -> None:
    permission = {**GOOD["permissions"][0], "columns": ["id", "incom"]}
    (one,) = lint(Policy.of({**GOOD, "permissions": [permission]}), COLUMNS, day=DAY)
    assert (one.kind, one.where) == ("no such column", "permission of 'clerk' on 'customer'")
    assert "did you mean 'income'?" in one.said


def test_what_does_not_fit_the_tables_is_found() -> None:
    tables = {"customer": {**GOOD["tables"]["customer"], "key": "idd"}}
    assert ("does not fit", "table 'customer'") in found(tables=tables)


@pytest.mark.parametrize("noise", [{}, {"epsilon": 1.0}])
@pytest.mark.parametrize(("key", "number"), [({}, 0), ({"prohibited": ["Admin"]}, 1), ({"conditional": ["Admin"]}, 1)])
def test_aggregates_need_a_key_that_is_shown(noise, key, number) -> None:
    columns = {"id": key, "income": {"selects": True, "bounds": [0.0, 5.0]}}
    table = {"key": "id", "allowed": ["General"], "columns": columns}
    permission = {**GOOD["permissions"][0], "only_aggregates": True, **noise}
    given = Policy.of({**GOOD, "tables": {"customer": table}, "permissions": [permission]})
    said = [one.said for one in lint(given, COLUMNS, day=DAY)]
    assert len([one for one in said if "people are identified by the key 'id'" in one]) == number


def test_attributes_that_nobody_has() -> None:
    def said(when: str, *roles: str, **attributes: object) -> list[str]:
        conditional = {"late": {"role": "clerk", "when": when}}
        permission = {**GOOD["permissions"][0], "role": "late"}
        people = People()
        people.add("ann", roles, attributes)
        policy = Policy.of({**GOOD, "conditional_roles": conditional, "permissions": [permission]})
        return [one.said for one in lint(policy, COLUMNS, day=DAY, people=people)]

    assert "'hours', which no user has" in said("hours > 18")[0]
    assert "did you mean 'hour'?" in said("hours > 18")[0]
    assert said("hour > 18", "clerk") == []
    assert said("experience > 2") == []  # somebody may get the role, and the attribute with it
    assert "give it to users" in said("experience > 2", "clerk")[0]
    assert said("experience > 2", "clerk", experience=1) == []


def test_a_policy_held_against_a_source() -> None:
    tables = {**kabir.policy()["tables"], "orders": {"key": "id"}}
    source = customers()
    found = lint_with_tables(Policy.of({**kabir.policy(), "tables": tables}), source, day=DAY)
    assert ("does not fit", "table 'orders'") in [(one.kind, one.where) for one in found]
    assert [
        one for one in lint_with_tables(Policy.of(kabir.policy()), source, day=DAY) if one.kind == "does not fit"
    ] == []
