"""Functions whose kind decides how an answer is bounded and written."""

from __future__ import annotations

import pytest

from sfumato.errors import StatementError
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from tests.gateway.memory import MemorySource, memory_database

KINDS = {"id": "INTEGER", "whole": "INTEGER", "exact": "DECIMAL(9,2)", "rough": "DOUBLE"}
ADA = Person("ada", frozenset({"clerk"}), {})


@pytest.fixture(scope="module")
def gateway() -> Gateway:
    raw = memory_database()
    raw.execute("CREATE TABLE t (id INTEGER, whole INTEGER, exact DECIMAL(9,2), rough DOUBLE)")
    raw.execute("INSERT INTO t VALUES (1, 2, 2.75, 2.75)")
    given = Policy.of({
        "name": "numbers", "purposes": {"Work": []},
        "tables": {"t": {"key": "id", "allowed": ["Work"], "columns": {name: {} for name in KINDS}}},
        "roles": {"clerk": {}},
        "permissions": [{"role": "clerk", "table": "t", "purpose": "Work"}],
    })  # fmt: skip
    return Gateway(given, MemorySource(raw, {"t": KINDS}))


@pytest.mark.parametrize("function", ["floor", "ceil"])
def test_whole_parts_keep_the_kind_of_their_number(gateway: Gateway, function: str) -> None:
    text = f"SELECT {function}(whole) AS a, {function}(exact) AS b, {function}(rough) AS c FROM t"
    kinds = [output.value.kind for output in gateway.compile(text, person=ADA).outputs]
    assert kinds == ["integer", "decimal", "float"]


@pytest.mark.parametrize("text", ["lower(t.*)", "t.* = 1", "sum(t.*)", "count(t.*)", "(t.*)"])
def test_a_whole_row_is_no_value(gateway: Gateway, text: str) -> None:
    with pytest.raises(StatementError, match="the gateway does not understand Column here"):
        gateway.query(f"SELECT {text} AS x FROM t", person=ADA)


def test_a_union_keeps_the_order_that_is_asked_for(gateway: Gateway) -> None:
    text = "SELECT id AS a FROM t UNION SELECT whole AS a FROM t ORDER BY a"
    assert gateway.query(f"{text} DESC", person=ADA).rows() == [(2,), (1,)]
    assert gateway.query(text, person=ADA).rows() == [(1,), (2,)]
