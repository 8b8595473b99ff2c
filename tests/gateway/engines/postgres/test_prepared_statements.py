"""Prepared statements: named from the second time on, and given back when they are too many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.engines.postgres.prepared_statements import PreparedStatements, Statement


def statement(number: int) -> Statement:
    return Statement(b"SELECT %d" % number, ())


def test_types_make_another_statement() -> None:
    prepared = PreparedStatements()
    prepared.name_for(Statement(b"SELECT $1", (23,)))
    assert prepared.name_for(Statement(b"SELECT $1", (20,))) == (None, False)


def test_a_failed_statement_starts_again_under_another_name() -> None:
    prepared = PreparedStatements()
    names = [prepared.name_for(statement(1)) for _ in range(2)]
    prepared.forget(statement(1))
    names += [prepared.name_for(statement(1)) for _ in range(2)]
    assert names == [(None, False), (b"s1", True), (None, False), (b"s2", True)]
    assert prepared.take_unused() == [b"s1"]
    assert prepared.take_unused() == []


def test_none_are_kept_where_none_can_be_given_back() -> None:
    prepared = PreparedStatements(limit=0)
    assert [prepared.name_for(statement(1)) for _ in range(3)] == [(None, False)] * 3


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(1, 5))
def test_the_server_never_holds_more_than_allowed(asked: list[int], limit: int) -> None:
    """A plain server beside it: what is prepared, used and closed must fit."""
    prepared, server = PreparedStatements(limit), set()
    for number in asked:
        name, fresh = prepared.name_for(statement(number))
        server -= set(prepared.take_unused())
        if fresh:
            assert name not in server
            server.add(name)
        assert name is None or name in server
        assert len(server) <= limit
