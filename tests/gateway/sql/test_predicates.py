from __future__ import annotations

import operator

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.names import NamedRelation, Scope
from sfumato.gateway.sql.predicates import truth
from sfumato.gateway.sql.values import Range, Scalar, WeakerText
from tests.gateway.shops import Shop

OPERATORS = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
ENDS = [(low, high) for low in range(4) for high in range(low, 4)]


def both(text: str) -> tuple[str, str]:
    """Where a condition on two ranges and two texts is certainly true, and where it is certainly false."""
    columns = {
        name: Range(exp.column(f"{name}.lo", quoted=True), exp.column(f"{name}.hi", quoted=True)) for name in "ab"
    }
    weak = {
        name: WeakerText(exp.column(name, quoted=True), exp.column(f"{name}.exact", quoted=True), True) for name in "st"
    }
    scope = Scope(
        "duckdb", [NamedRelation("t", {**columns, **weak, "c": Scalar(exp.column("c"))})], None, lambda *_: None
    )
    found = truth(sqlglot.parse_one(text, dialect="duckdb"), scope)
    return found.true.sql("duckdb"), (found.false or exp.false()).sql("duckdb")


@pytest.fixture(scope="module")
def pairs():
    con = duckdb.connect()
    con.execute('CREATE TABLE t ("a.lo" INT, "a.hi" INT, "b.lo" INT, "b.hi" INT)')
    con.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [[*one, *other] for one in ENDS for other in ENDS])
    return con


@pytest.mark.parametrize("sign", OPERATORS)
def test_ranges_are_compared_as_all_their_values_are(pairs, sign: str) -> None:
    true, false = both(f"a {sign} b")
    compare = OPERATORS[sign]
    for low, high, least, most, said, denied in pairs.execute(f"SELECT *, {true}, {false} FROM t").fetchall():
        outcomes = {compare(one, other) for one in range(low, high + 1) for other in range(least, most + 1)}
        assert (said, denied) == (outcomes == {True}, outcomes == {False})


@pytest.mark.parametrize(
    "text", ["a BETWEEN 1 AND 2", "a IN (1, 3)", "NOT (a > 1)", "a > 1 AND b < 2", "a > 1 OR b < 2"]
)
def test_conditions_are_sound(pairs, text: str) -> None:
    true, false = both(text)
    for low, high, least, most, said, denied in pairs.execute(f"SELECT *, {true}, {false} FROM t").fetchall():
        worlds = [(one, other) for one in range(low, high + 1) for other in range(least, most + 1)]
        held = {duckdb_says(text, one, other) for one, other in worlds}
        assert not said or held == {True}
        assert not denied or held == {False}


def duckdb_says(text: str, a: int, b: int) -> bool:
    return bool(eval_sql(text, a, b))


_SEEN: dict[tuple[str, int, int], bool] = {}


def eval_sql(text: str, a: int, b: int) -> bool:
    if (text, a, b) not in _SEEN:
        _SEEN[text, a, b] = duckdb.execute(f"SELECT {text} FROM (SELECT {a} AS a, {b} AS b)").fetchone()[0]
    return _SEEN[text, a, b]


def test_texts_are_compared_where_both_are_known() -> None:
    true, false = both("s = t")
    con = duckdb.connect()
    query = f'SELECT {true}, {false} FROM (SELECT ? AS s, ? AS "s.exact", ? AS t, ? AS "t.exact")'
    assert con.execute(query, ["A", True, "A", True]).fetchone() == (True, False)
    assert con.execute(query, ["A", True, "B", True]).fetchone() == (False, True)
    for exact in ((True, False), (False, True), (False, False)):
        assert con.execute(query, ["A", exact[0], "A", exact[1]]).fetchone() == (False, False)


@pytest.mark.parametrize(
    "condition",
    [
        "(p.income > 5) IS NULL",
        "(p.income > 5) IS TRUE",
        "p.income IS NOT DISTINCT FROM 5",
        "p.income = p.name",
        "COALESCE(p.income > 5, FALSE)",
        "p.income + 1 > 5",
        "p.ward_",
        "NOT EXISTS (SELECT 1 FROM visit v WHERE v.cost > 5)",
        "p.id NOT IN (SELECT v.person FROM visit v WHERE v.cost > 5)",
        "p.income > ALL (SELECT 1)",
        "p.income SIMILAR TO 'x'",
        "COALESCE(p.town, 'x') = 'x'",
        "CASE WHEN p.income > 5 THEN 1 ELSE 2 END = 2",
        "GREATEST(LENGTH(exact(p.name)), 1) = 1",
    ],
)
def test_what_cannot_be_certain_is_refused(condition: str) -> None:
    with pytest.raises(StatementError):
        Shop(0).compiled(f"SELECT p.id FROM person p WHERE {condition}")


def test_what_may_be_hidden_is_never_certainly_missing() -> None:
    made = Shop(0).compiled("SELECT p.id FROM person p WHERE p.income IS NULL")
    assert made.uncertain
    assert "FALSE" in made.sql
    assert "IS NULL" in Shop(0).compiled("SELECT p.id FROM person p WHERE p.id IS NULL").sql


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("(a > 1) IN (TRUE, FALSE)", "IN of a condition's answer"),
        ("c IN (a > 1)", "IN of a condition's answer"),
        ("(a > 1) = TRUE", "comparing the answer of a condition"),
        ("CASE WHEN a > 1 THEN TRUE ELSE FALSE END", "a condition of a condition's answer"),
    ],
)
def test_whether_a_weaker_value_is_so_is_no_value(text: str, what: str) -> None:
    with pytest.raises(StatementError, match=f"{what} is not offered"):
        both(text)


@pytest.mark.parametrize("name", ["r", "w"])
def test_a_case_on_what_is_hidden_is_never_certainly_missing(name: str) -> None:
    parts = [exp.column(f"{name}{place}") for place in range(2)]
    shown = Range(*parts, "integer", None, False) if name == "r" else WeakerText(*parts, False)
    hidden = Scalar(exp.column("h"), "integer", hideable=True)
    scope = Scope("duckdb", [NamedRelation("t", {name: shown, "h": hidden})], None, lambda *_: None)
    for text in (
        f"CASE WHEN h > 5 THEN {name} ELSE {name} END",
        f"CASE WHEN {name} IS NULL THEN CASE WHEN h > 5 THEN {name} END ELSE {name} END",
    ):
        found = truth(sqlglot.parse_one(f"{text} IS NULL", dialect="duckdb"), scope)
        assert (found.true, found.exact) == (exp.false(), None)
