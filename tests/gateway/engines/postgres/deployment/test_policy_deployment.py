"""What a policy puts into a database, without a database; `test_source.py` tries it in one."""

from __future__ import annotations

from datetime import date

import pytest

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.deployment.policy_deployment import deployment_of, tools_logins
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.transforms.column_types import ColumnType
from tests.gateway import kabir

DAY = date(2026, 11, 16)


def test_purposes_with_the_same_schema_are_refused() -> None:
    given = kabir.policy()
    given["purposes"] = {**given["purposes"], "Shipping": ["D Phone"]}
    with pytest.raises(PolicyError, match="same schema"):
        deployment_of(Policy.of(given), {"customer": {}}, day=date(2026, 1, 1))


def test_logins_of_tools_are_known_without_the_database() -> None:
    given = kabir.policy()
    stat = {"role": "marketing", "table": "customer", "purpose": "Marketing", "only_aggregates": True}
    owner = {"role": "owner", "table": "customer", "purpose": "General"}
    for permissions in ([owner], [owner, stat], [stat], []):
        policy = Policy.of({**given, "permissions": permissions})
        types = {"customer": {name: ColumnType.of_postgres("integer" if name in ("id", "age", "income") else "text")
                              for name in ("id", *kabir.COLUMNS)}}  # fmt: skip
        made = deployment_of(policy, types, day=DAY, prefix="gate")
        assert tools_logins(policy, day=DAY, prefix="gate") == made.tools_roles
