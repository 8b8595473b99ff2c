"""Refusals: a sentence of our own for every state, the same whatever the values were."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BusyError, DataError, LimitError, SfumatoError, StatementError
from sfumato.gateway.engines.postgres.error_messages import error_for_state


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("57014", LimitError), ("53200", LimitError), ("54001", LimitError), ("55P03", BusyError),
        ("53300", BusyError),
        ("42501", StatementError), ("22012", StatementError), ("42883", StatementError), ("25006", StatementError),
        ("08006", DataError), ("57P01", DataError), ("40001", DataError), ("XX000", LimitError), ("XX001", DataError),
    ],
)  # fmt: skip
def test_states_become_errors(state: str, kind: type[SfumatoError]) -> None:
    assert type(error_for_state(state)) is kind


@given(st.text(max_size=5))
def test_there_is_always_a_sentence(state: str) -> None:
    assert str(error_for_state(state)).endswith(".")


def test_a_state_says_more_than_its_class() -> None:
    assert str(error_for_state("42703")) != str(error_for_state("42000"))
    assert str(error_for_state("42999")) == str(error_for_state("42000"))


def test_of_what_fails_in_some_row_the_kind_is_not_told() -> None:
    """The row that is stored first is met first; so nothing is told of two that fail in different ways."""
    assert len({str(error_for_state(state)) for state in ("21000", "22000", "22003", "22012", "22P02", "22999")}) == 1
    assert len({type(error_for_state(state)) for state in ("21000", "22000", "22003", "22012", "22P02", "22999")}) == 1
