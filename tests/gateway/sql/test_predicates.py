from __future__ import annotations

import operator
import random
from itertools import product

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.names import NamedRelation, Scope
from sfumato.gateway.sql.predicates import truth
from sfumato.gateway.sql.values import Doubt, Range, Scalar, WeakerText
from tests.examples import seeds
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
        name: Range(*(exp.column(f"{name}.{end}", quoted=True) for end in ("lo", "hi")), doubt=Doubt.ABSENCE)
        for name in "ab"
    }
    weak = {
        name: WeakerText(*(exp.column(part, quoted=True) for part in (name, f"{name}.exact")), doubt=Doubt.ABSENCE)
        for name in "st"
    }
    other = {"c": Scalar(exp.column("c"), doubt=Doubt.NONE)}
    scope = Scope("duckdb", [NamedRelation("t", {**columns, **weak, **other})], None, lambda *_: None)
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
        "CASE WHEN p.id < 0 THEN p.name ELSE coalesce(exact(p.name), 'Al') END = 'Al'",
        "CASE WHEN coalesce(p.income > 5, FALSE) THEN 1 ELSE 2 END = 2",
        "coalesce(exact(p.income), 0) + 1 = 1",
        "p.income = (SELECT max(q.income) FROM person q)",
        "p.id = (SELECT q.id FROM person q ORDER BY q.income LIMIT 1)",
        "p.id IN (SELECT q.id FROM person q ORDER BY q.income LIMIT 2)",
        "(SELECT count(*) FROM visit v WHERE v.person = p.id AND v.cost > 5) < 3",
        "NOT (SELECT count(*) FROM visit v WHERE v.person = p.id AND v.cost > 5) > 3",
        "(SELECT avg(v.cost) FROM visit v WHERE v.person = p.id) > 3",
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
    "text",
    [
        "(a > 1) IN (TRUE, TRUE)",
        "TRUE IN (a > 1)",
        "(a > 1) = TRUE",
        "CASE WHEN a > 1 THEN TRUE ELSE FALSE END",
        "CASE WHEN a > 1 THEN 'x' ELSE 'y' END = 'x'",
        "CASE a WHEN 2 THEN TRUE WHEN b THEN FALSE ELSE b > 1 END",
    ],
)
def test_what_a_condition_on_weaker_values_answers_is_true_where_it_is_shown(pairs, text: str) -> None:
    test_conditions_are_sound(pairs, text)


@pytest.mark.parametrize("name", ["r", "w"])
def test_a_case_on_what_is_hidden_is_never_certainly_missing(name: str) -> None:
    parts = [exp.column(f"{name}{place}") for place in range(2)]
    shown = Range(*parts, "integer", doubt=Doubt.NONE) if name == "r" else WeakerText(*parts, doubt=Doubt.NONE)
    hidden = Scalar(exp.column("h"), "integer", doubt=Doubt.ABSENCE)
    scope = Scope("duckdb", [NamedRelation("t", {name: shown, "h": hidden})], None, lambda *_: None)
    for text in (
        f"CASE WHEN h > 5 THEN {name} ELSE {name} END",
        f"CASE WHEN {name} IS NULL THEN CASE WHEN h > 5 THEN {name} END ELSE {name} END",
    ):
        found = truth(sqlglot.parse_one(f"{text} IS NULL", dialect="duckdb"), scope)
        assert (found.true, found.exact) == (exp.false(), None)


class Unparenthesized:
    """Random conditions on visible columns, in which only precedence says what belongs together."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed).choice

    def number(self) -> str:
        return self.pick(["i", "j", "1", "2", "- i", "i + j", "i - 1", "abs(i)"])

    def condition(self, depth: int) -> str:
        if not depth:
            return self.pick(["p", "q", "r", "TRUE", "FALSE"])
        one, other = self.condition(depth - 1), self.condition(depth - 1)
        return self.pick([
            f"{one} AND {other}", f"{one} OR {other}", f"NOT {one}", f"({one})", f"{one} = {other}",
            f"{one} <> {other}",
            f"{one} IS NULL", f"{one} IS NOT TRUE", f"{one} IS DISTINCT FROM {other}", f"{one} IN ({other}, p)",
            f"{self.number()} {self.pick(['<', '=', '>='])} {self.number()}",
            f"{self.number()} BETWEEN {self.number()} AND {self.number()}",
            f"{self.number()} NOT IN ({self.number()}, {self.number()})",
            f"CASE {one} WHEN {other} THEN {self.condition(0)} ELSE {self.condition(0)} END",
            f"CASE WHEN {one} THEN {other} END",
        ])  # fmt: skip


@seeds(4)
def test_operands_stay_together(seed: int) -> None:
    """A condition on visible columns means the same as before it was compiled, also where it is an operand."""
    con = duckdb.connect()
    con.execute("CREATE TABLE t (i INT, j INT, p BOOLEAN, q BOOLEAN, r BOOLEAN)")
    cells = [(1, 2, None), (0, 1), (True, False, None), (True, False), (True, False)]
    con.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", [list(row) for row in product(*cells)])
    kinds = dict.fromkeys("ij", "integer") | dict.fromkeys("pqr", "boolean")
    columns = {name: Scalar(exp.column(name), kind, doubt=Doubt.NONE) for name, kind in kinds.items()}
    scope = Scope("duckdb", [NamedRelation("t", columns)], None, lambda *_: None)
    conditions, compared = Unparenthesized(seed), 0
    for _ in range(150):
        text = conditions.condition(3)
        try:
            found = truth(sqlglot.parse_one(text, dialect="duckdb"), scope)
            expected = con.execute(f"SELECT {text} FROM t").fetchall()
        except (StatementError, duckdb.Error):
            continue
        assert con.execute(f"SELECT {found.true.sql('duckdb')} FROM t").fetchall() == expected, text
        compared += 1
    assert compared > 100
