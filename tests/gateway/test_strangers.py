"""Who may not ask cannot tell names that exist from others: refusals of both are the same but for the name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from itertools import product
from typing import Any

import pytest

from sfumato.errors import SfumatoError
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from tests.gateway import kabir
from tests.gateway.memory import customers

AT_TEN = datetime(2026, 11, 16, 10, tzinfo=UTC)
RUSSELL = Person("russell", frozenset({"e-marketing"}), {"experience": 12})
"""May ask customer for Marketing, and nothing else."""

NOBODY = Person("nora", frozenset(), {})
DESK = Person("carl", frozenset({"desk"}), {})
"""May choose for customers, and nothing else."""

PEOPLE = (RUSSELL, NOBODY, DESK)
PURPOSES = ("Marketing", "Shipping", "Flipping", None)
THERE, NOT_THERE = "Shipping", "Flipping"
HIDDEN, NOWHERE = "salary", "celery"
"""A table that nobody here may ask, and one that is not there; neither name is like another one."""


@pytest.fixture
def gate() -> Gateway:
    given = kabir.policy()
    given["roles"]["desk"] = {}
    given["tables"] = {
        HIDDEN: {"key": "id", "allowed": ["General"], "columns": {"amount": {"by_choice": True}}},
        "customer": given["tables"]["customer"],
    }
    given["permissions"] += [
        {"role": "owner", "table": HIDDEN, "purpose": "General"},
        {"role": "owner", "table": HIDDEN, "purpose": "General", "operation": "choose"},
        {"role": "desk", "table": "customer", "purpose": "Admin", "operation": "choose"},
    ]
    source = customers()
    source.columns = {**source.columns, HIDDEN: {"id": "INTEGER", "amount": "INTEGER"}}
    return Gateway(Policy.of(given), source, clock=lambda: AT_TEN)


def refusal(ask: Callable[[], Any], *names: str) -> tuple[str, str]:
    """The kind of error and its sentence, with the names that differ left out."""
    with pytest.raises(SfumatoError) as raised:
        ask()
    said = str(raised.value)
    for name in names:
        said = said.replace(name, "...")
    return type(raised.value).__name__, said


def asking(gate: Gateway, way: str, person: Person) -> Callable[..., Any]:
    """Asks a table for a purpose, in one of three ways."""

    def ask(table: str, purpose: str | None) -> Any:
        if way == "choose":
            return gate.choose(table, [("2", "income", "G||")], person=person, purpose=purpose)
        text = f"SELECT id FROM {table}"
        if way == "explain":
            return gate.explain(text, person=person, purpose=purpose)
        return gate.query(text, person=person, purpose=purpose)

    return ask


ASKING = ("query", "explain")
WAYS = pytest.mark.parametrize("way", [*ASKING, "choose"])


@WAYS
def test_purposes(gate: Gateway, way: str) -> None:
    for person, table in product(PEOPLE, ("customer", HIDDEN, NOWHERE)):
        ask = partial(asking(gate, way, person), table)
        assert refusal(partial(ask, THERE), THERE) == refusal(partial(ask, NOT_THERE), NOT_THERE)


@WAYS
def test_tables(gate: Gateway, way: str) -> None:
    for person, purpose in product(PEOPLE, PURPOSES):
        ask = partial(asking(gate, way, person), purpose=purpose)
        assert refusal(partial(ask, HIDDEN), HIDDEN) == refusal(partial(ask, NOWHERE), NOWHERE)


@WAYS
def test_no_message_names_what_somebody_did_not_write_and_may_not_ask(gate: Gateway, way: str) -> None:
    for person, purpose, table in product(PEOPLE, PURPOSES, (NOWHERE, "customers", "salaries")):
        may = person is RUSSELL if way != "choose" else person is DESK
        _, said = refusal(partial(asking(gate, way, person), table, purpose), table)
        named = [name for name in gate.policy.sections.tables if name in said]
        assert named in ([], ["customer"] if may else [])


@pytest.mark.parametrize("way", ASKING)
def test_a_table_beside_one_that_may_be_asked(gate: Gateway, way: str) -> None:
    for person in PEOPLE:
        ask = partial(asking(gate, way, person), purpose="Marketing")
        there = refusal(partial(ask, f"customer AS c JOIN {HIDDEN} AS t USING (id)"), HIDDEN)
        other = refusal(partial(ask, f"customer AS c JOIN {NOWHERE} AS t USING (id)"), NOWHERE)
        assert there == other


@pytest.mark.parametrize("way", ["query", "explain"])
def test_columns_of_a_table_that_may_not_be_asked(gate: Gateway, way: str) -> None:
    for person in PEOPLE:
        ask = partial(getattr(gate, way), person=person, purpose="Marketing")
        there = refusal(partial(ask, f"SELECT amount FROM {HIDDEN}"), "amount")
        assert there == refusal(partial(ask, f"SELECT nonsense FROM {HIDDEN}"), "nonsense")


def test_columns_and_choices_of_a_table_that_may_not_be_chosen_in(gate: Gateway) -> None:
    for person in PEOPLE:
        told = set()
        for column, choice in product(("amount", "id", "nope"), ("G||", "nope")):
            chosen = [("2", column, choice)]
            told.add(refusal(partial(gate.choose, HIDDEN, chosen, person=person, purpose="Admin")))
        assert len(told) == 1
