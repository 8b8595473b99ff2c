from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from sfumato.errors import StatementError
from sfumato.gateway.answers.parameters import kinds_of, supported_parameters
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from tests.gateway import kabir
from tests.gateway.memory import customers

OWNER = Person("olga", frozenset({"owner"}), {})


@pytest.fixture
def ask() -> Callable[..., Any]:
    gate = Gateway(Policy.of(kabir.policy()), customers(), clock=lambda: datetime(2026, 11, 16, 10, tzinfo=UTC))

    def asked(text: str, *parameters: object) -> list[dict[str, Any]]:
        return gate.query(text, person=OWNER, purpose="Marketing", parameters=parameters).flat.to_pylist()

    return asked


def test_every_type_that_can_be_sent_has_its_kind() -> None:
    given = [True, 7, 7.5, Decimal("7.5"), "seven", date(2026, 1, 7), datetime(2026, 1, 7, 7), None]
    assert supported_parameters(given) == tuple(given)
    kinds = ("boolean", "integer", "float", "decimal", "text", "date", "timestamp", "null")
    assert kinds_of(given) == kinds


@pytest.mark.parametrize("value", [np.int64(7), np.float32(7), np.array(7), np.bool_(True), np.str_("seven")])
def test_numbers_of_numpy_become_plain_ones(value: Any) -> None:
    (found,) = supported_parameters([value])
    assert found == value.item()
    assert type(found) is type(value.item())


@pytest.mark.parametrize("value", [b"seven", [7], {"seven": 7}, object(), lambda: 7, np.arange(2), 7j])
def test_other_types_are_refused_by_their_place(value: object) -> None:
    with pytest.raises(StatementError, match="parameter 2 is of a type that cannot be sent"):
        supported_parameters([7, value])


def test_a_value_is_compared_with_its_kind_alone_whether_written_or_given(ask: Callable[..., Any]) -> None:
    assert ask("SELECT id FROM customer WHERE id = ?", 1) == [{"id": 1}]
    assert ask("SELECT id FROM customer WHERE id = 1") == [{"id": 1}]
    for text, given in (
        ("name = 5", ()),
        ("name = ?", (5,)),
        ("id LIKE ?", ("1",)),
        ("id = ?", (True,)),
    ):
        with pytest.raises(StatementError, match="CAST"):
            ask(f"SELECT id FROM customer WHERE {text}", *given)


@pytest.mark.parametrize(
    ("text", "given", "said"),
    [
        ("id = ?", (), "has 1 parameters, and 0 values"),
        ("id = ?", (1, 2), "has 1 parameters, and 2 values"),
        ("id = 1", (1,), "has 0 parameters, and 1 values"),
        ("id = $2", (1,), "has 2 parameters, and 1 values"),
        ("id = $0", (1,), "written as"),
    ],
)
def test_there_are_as_many_values_as_parameters(
    ask: Callable[..., Any], text: str, given: tuple[object, ...], said: str
) -> None:
    with pytest.raises(StatementError, match=said):
        ask(f"SELECT id FROM customer WHERE {text}", *given)


def test_a_text_is_no_number_and_may_be_a_day(ask: Callable[..., Any]) -> None:
    for text in ("id = ?", "id IN (1, ?)", "id + ? > 1", "income > ?"):
        with pytest.raises(StatementError):
            ask(f"SELECT id FROM customer WHERE {text}", "1")
    day = "SELECT id FROM customer WHERE DATE '2026-01-07' = ? AND TIMESTAMP '2026-01-07 08:00:00' > ?"
    for given in (("2026-01-07", "2026-01-07 07:00:00"), (date(2026, 1, 7), datetime(2026, 1, 7, 7))):
        assert len(ask(day, *given)) == 4


def test_a_limit_is_a_whole_number(ask: Callable[..., Any]) -> None:
    assert len(ask("SELECT id FROM customer LIMIT ?", 1)) == 1
    with pytest.raises(StatementError, match="LIMIT is followed by a whole number"):
        ask("SELECT id FROM customer LIMIT ?", "1")
