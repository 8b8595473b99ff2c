from __future__ import annotations

from typing import Any

import pytest

from sfumato.errors import PolicyError
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.policy.purposes import PurposeTree
from sfumato.gateway.policy.roles import checked_roles
from sfumato.gateway.policy.sections import PolicySections
from tests.gateway.kabir import TREE

POLICY: dict[str, Any] = {
    "name": "shop",
    "purposes": TREE,
    "tables": {"customer_info": {"key": "id"}, "orders": {"key": "id"}},
    "roles": {"Marketing": {}, "E-Marketing": {"parent": "Marketing"}},
}


def roles(**changes: Any) -> Any:
    return checked_roles(PolicySections.model_validate({**POLICY, **changes}), PurposeTree.of_children(TREE))


def permission(role: str, purpose: str, table: str = "customer_info") -> dict[str, Any]:
    return {"role": role, "table": table, "purpose": purpose}


def test_roles_with_their_parents_and_conditions() -> None:
    parents, conditional = roles(conditional_roles={"office": {"role": "Marketing", "when": "hour >= 9"}})
    assert parents == {"Marketing": None, "E-Marketing": "Marketing"}
    assert (conditional["office"].role, conditional["office"].when.check({"hour": 9})) == ("Marketing", True)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"roles": {"a": {"parent": "b"}}}, r"\[roles.a\] parent: there is no role 'b'"),
        ({"roles": {"a": {"parent": "b"}, "b": {"parent": "c"}, "c": {"parent": "a"}}}, "in a circle"),
        ({"roles": {"a": {"parent": "a"}}}, "in a circle"),
        ({"roles": {"a": {}}, "conditional_roles": {"a": {"role": "a", "when": "x = 1"}}}, "'a' is a role already"),
        ({"conditional_roles": {"c": {"role": "Marketng", "when": "x = 1"}}}, "did you mean 'Marketing'"),
        (
            {"conditional_roles": {"c": {"role": "Marketing", "when": "x ="}}},
            r"\[conditional_roles.c\] when: condition",
        ),
        ({"permissions": [permission("Nobody", "Admin")]}, "number 1: there is no role 'Nobody'"),
        ({"permissions": [permission("Marketing", "Admn")]}, "there is no purpose 'Admn'; did you mean 'Admin'"),
        ({"permissions": [permission("Marketing", "Admin", table="*")]}, r"there is no table '\*'"),
        ({"roles": {}, "permissions": [permission("Marketing", "Admin")]}, "the policy names none"),
    ],
)
def test_what_cannot_be_meant_is_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(PolicyError, match=why):
        roles(**changes)
    with pytest.raises(PolicyError, match=why):
        Policy.of({**POLICY, **changes})
