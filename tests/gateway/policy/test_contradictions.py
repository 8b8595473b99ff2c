"""A policy whose parts contradict each other is refused when it is read."""

from __future__ import annotations

from datetime import date

import pytest

from sfumato.errors import PolicyError
from sfumato.gateway.policy.policy import Policy

PERMISSION = {"role": "clerk", "table": "t", "purpose": "Admin"}
GOOD = {
    "name": "shop",
    "purposes": {"General": ["Admin", "Marketing"]},
    "tables": {"t": {"key": "id", "allowed": ["General"], "columns": {"income": {"bounds": [0.0, 10.0]}}}},
    "roles": {"clerk": {}},
    "permissions": [{**PERMISSION, "only_aggregates": True, "epsilon": 1.0}],
}


def table(**columns) -> dict[str, object]:
    return {"tables": {"t": {"key": "id", "allowed": ["General"], "columns": columns}}}


CONTRADICTIONS = [
    ({"permissions": [PERMISSION, {**PERMISSION, "epsilon": 1.0}]}, "number 2 has epsilon without only_aggregates"),
    (
        {"permissions": [{**PERMISSION, "only_aggregates": True, "epsilon": 1.0, "epsilon_a_question": 1.5}]},
        r"costs 1\.5 epsilon and 1 may be spent",
    ),
    ({"permissions": [{**PERMISSION, "only_aggregates": True, "epsilon_a_question": 0.5}]}, "without epsilon"),
    ({"permissions": [{**PERMISSION, "operation": "choose", "only_aggregates": True}]}, "is to choose"),
    (
        {"permissions": [{**PERMISSION, "valid_from": date(2026, 2, 1), "valid_until": date(2026, 1, 1)}]},
        "ends on 2026-01-01, before it begins",
    ),
    (
        {"rules": [{"name": "r", "table": "t", "valid_from": date(2026, 2, 1), "valid_until": date(2026, 1, 1)}]},
        "rule 'r' ends on",
    ),
    (table(income={"bounds": [10.0, 0.0]}), "bounds 10 and 0"),
    (table(income={"bounds": [5.0, 5.0]}), "bounds 5 and 5"),
    (table(income={"bounds": [0.0, float("inf")]}), "bounds"),
    (table(income={}, Income={"prohibited": ["General"]}), "two columns of 't' look the same"),
    (table(ID={"prohibited": ["General"]}), "two columns of 't' look the same"),
    ({"tables": {"t": {"key": "id"}, "T": {"key": "id"}}}, "two tables look the same"),
    ({"permissions": [{**PERMISSION, "columns": ["Income"]}]}, "two columns of 't' look the same"),
    ({"rules": [{"name": "r", "table": "t", "columns": ["inc\u043eme"]}]}, "two columns of 't' look the same"),
    ({"roles": {"clerk": {}, "Clerk": {}}}, "two roles look the same"),
    ({"purposes": {"General": ["Admin", "admin"]}}, "two purposes look the same"),
    ({"choices": {"yes": {}, "Yes": {}}}, "two choices look the same"),
    ({"purposes": {"General": ["Admin", "Mar\u200bketing"]}}, "cannot be seen"),
]


def test_a_good_policy_is_taken() -> None:
    assert Policy.of(GOOD).sections.permissions[0].price == 0.1
    small = {**PERMISSION, "only_aggregates": True, "epsilon": 0.05}
    assert Policy.of({**GOOD, "permissions": [small]}).sections.permissions[0].price == 0.05


@pytest.mark.parametrize(("change", "said"), CONTRADICTIONS)
def test_a_contradiction_is_refused(change, said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        Policy.of({**GOOD, **change})
