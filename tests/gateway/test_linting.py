from __future__ import annotations

from datetime import date

import pytest

from sfumato.gateway.linting import lint
from sfumato.gateway.policy import Policy
from sfumato.transforms.column_types import ColumnType
from tests.gateway import kabir

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
    names = ("id", *kabir.COLUMNS)
    columns = {"customer": {name: ColumnType.of_duckdb("VARCHAR") for name in names}}
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
    assert "no column is open" in said(noisy, bounds=[0.0, 5.0])[0]


def test_a_finding_is_plain_data() -> None:
    rule = {"name": "r", "table": "customer", "allowed": ["Admin"]}
    (one,) = lint(Policy.of({**GOOD, "rules": [rule]}), COLUMNS, day=DAY)
    assert one.to_dict() == {"kind": "unreachable", "where": "rule 'r'", "said": one.said}
