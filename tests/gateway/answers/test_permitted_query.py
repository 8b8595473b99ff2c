from __future__ import annotations

from datetime import UTC, datetime

from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from tests.gateway import kabir
from tests.gateway.memory import customers

ANN = Person("ann", frozenset({"clerk", "chief"}))


def asked(*permissions: dict[str, object]):
    given = {**kabir.policy(), "roles": {"clerk": {}, "chief": {}}, "conditional_roles": {}}
    given["permissions"] = [{"table": "customer", "purpose": "Admin", **one} for one in permissions]
    gate = Gateway(Policy.of(given), customers(), clock=lambda: datetime(2026, 11, 16, 10, tzinfo=UTC))
    return gate._first_permitted("SELECT count(*) AS n FROM customer WHERE age > 7", ANN, "Admin")


def test_who_may_see_rows_by_one_permission_is_not_kept_to_aggregates_by_another() -> None:
    found = asked({"role": "clerk", "only_aggregates": True}, {"role": "chief"})
    assert (found.only_aggregates, found.grants["customer"].role) == (False, "chief")


def test_what_must_be_done_is_said_once() -> None:
    duty = {"duty": "notify", "to": "officer"}
    found = asked({"role": "clerk", "obligations": [duty, duty]}, {"role": "chief", "columns": ["age"]})
    assert [str(one) for one in found.obligations] == ["notify officer"]


def test_what_is_written_down() -> None:
    event = asked({"role": "clerk"}).audit_event
    assert (event.statement, event.purpose) == ("SELECT count(*) AS n FROM customer WHERE age > ?", "Admin")
    assert dict(event.columns) == {"customer": ("age",)}
