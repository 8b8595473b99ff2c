from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.sql.expression_size import demand_small
from tests.gateway import kabir
from tests.gateway.memory import customers

OWNER = Person("olga", frozenset({"owner"}), {})
NESTED: list[tuple[Callable[[str], str], str]] = [
    (lambda x: f"({x} BETWEEN false AND true)", "(id BETWEEN 1 AND 2)"),
    (lambda x: f"CASE {x} WHEN 1 THEN 1 WHEN 2 THEN 2 WHEN 3 THEN 3 END", "id"),
    (lambda x: f"CASE WHEN {x} = 5 THEN income ELSE 1 END", "income"),
    (lambda x: f"exact(CASE WHEN {x} > 5 THEN income ELSE income END)", "income"),
]


@pytest.mark.parametrize(("wrapped", "inner"), NESTED)
def test_what_doubles_with_every_level_is_refused(wrapped: Callable[[str], str], inner: str) -> None:
    gate = Gateway(Policy.of(kabir.policy()), customers())
    asked = wrapped(inner)
    gate.compile(f"SELECT {asked} AS c FROM customer", person=OWNER, purpose="Marketing")
    for _ in range(14):
        asked = wrapped(asked)
    with pytest.raises(StatementError, match="nested so deeply"):
        gate.compile(f"SELECT {asked} AS c FROM customer", person=OWNER, purpose="Marketing")


def test_what_is_long_is_not_large() -> None:
    gate = Gateway(Policy.of(kabir.policy()), customers())
    branches = " ".join(f"WHEN income > {at} THEN {at}" for at in range(60))
    listed = ", ".join(map(str, range(1500)))
    for text in (f"SELECT CASE {branches} END AS c FROM customer", f"SELECT id FROM customer WHERE id IN ({listed})"):
        assert gate.compile(text, person=OWNER, purpose="Marketing").sql


def test_parts_count_together() -> None:
    many = exp.and_(*[exp.column("a") for _ in range(1000)])
    demand_small(many, None)
    with pytest.raises(StatementError):
        demand_small(many, many, many)
