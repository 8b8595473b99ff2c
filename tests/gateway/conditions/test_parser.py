from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import product

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from sfumato.errors import PolicyError
from sfumato.gateway.conditions.parser import MAX_CHARACTERS, MAX_DEPTH, parse_condition
from sfumato.gateway.conditions.tree import And, Comparison, Name, Not, NullTest, Or, SetMembership, Value
from tests.oracles.condition_oracle import holds
from tests.oracles.sqlglot_conditions import read_as_sql

A, B, C = (Comparison(Name(name), "=", Value(1, "integer")) for name in "abc")
PIECES = [
    *"()=<>,'\"-.;%",
    *("and", "OR", "not", "in", "is", "null", "true", "date", "hour", "level", "'x'", "'2026-01-31'", "12", "1.5", " "),
    *("<=", "!=", "<>", "==", '"', "''", "é", "²", "\n", "\0", "\ud800", "٣", "a.b", "1e5", "--", "/*"),
]
ATOMS = [
    *("a = 1", "a == 1", "b <> 'x'", "1 <= b", "a < b", "a < b < 2", "0 < a <= b", "a = b < c", "a < b = c != 1"),
    *("c >= -1", "c < 1.5", "c = true", "a in (0, 'x')", "b NOT IN (1, -1.5)", "c is null", "a IS NOT NULL"),
    *("d = date '2026-01-31'", "d in (date '2026-01-31', 1)", '"or" > 0', '"a ""b""" = \'it\'\'s\'', "\n a\t=1 "),
]
WORDS = [
    *("and", "or", "not", "in", "is", "null", "true", "date", "(", ")", ",", "=", "<", "a", "1", "-1", "'x'", "-", "b")
]
ROWS = [
    {**dict(zip("abc", chosen, strict=True)), "d": date(2026, 1, 31), "or": 1, 'a "b"': "it's"}
    for chosen in product((None, 0, 1, "x", True), repeat=3)
]
UNGROUPED = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        inner.map("not {}".format),
        inner.map("({})".format),
        st.tuples(inner, st.sampled_from(["and", "or", "AND", "Or"]), inner).map(" ".join),
    ),
    max_leaves=8,
)
"""Conditions in which precedence decides what belongs together."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1", A),
        ("a == 1 and b=1 AND c = 1", And((A, B, C))),
        ("a = 1 or b = 1 and c = 1", Or((A, And((B, C))))),
        ("(a = 1 Or b = 1) and c = 1", And((Or((A, B)), C))),
        ("((a = 1) and (b = 1 and c = 1))", And((A, B, C))),
        ("not a = 1 and b = 1", And((Not(A), B))),
        ("NOT NOT a = 1", Not(Not(A))),
        ("9 <= hour <= 17", parse_condition("9 <= hour and hour <= 17")),
        ("a < b < c <= 9", parse_condition("a < b and b < c and c <= 9")),
        ("not 9 <= hour <= 17", Not(parse_condition("9 <= hour and hour <= 17"))),
        ("a <> 'it''s'", Comparison(Name("a"), "!=", Value("it's", "text"))),
        ("a = ''", Comparison(Name("a"), "=", Value("", "text"))),
        ("a > -1.50", Comparison(Name("a"), ">", Value(Decimal("-1.50"), "decimal"))),
        ("a = TRUE", Comparison(Name("a"), "=", Value(True, "boolean"))),
        ("day >= DATE '2026-01-31'", Comparison(Name("day"), ">=", Value(date(2026, 1, 31), "date"))),
        ("date >= date '2026-01-31'", Comparison(Name("date"), ">=", Value(date(2026, 1, 31), "date"))),
        ('"not" = 1', Comparison(Name("not"), "=", Value(1, "integer"))),
        ('"a ""b""" = 1', Comparison(Name('a "b"'), "=", Value(1, "integer"))),
        ("größe_2 = 1", Comparison(Name("größe_2"), "=", Value(1, "integer"))),
        ("a in (1, 'x')", SetMembership(Name("a"), (Value(1, "integer"), Value("x", "text")))),
        ("a NOT IN (true)", SetMembership(Name("a"), (Value(True, "boolean"),), inside=False)),
        ("not a in (1)", Not(SetMembership(Name("a"), (Value(1, "integer"),)))),
        ("a IS NULL", NullTest(Name("a"))),
        ("a is Not null", NullTest(Name("a"), missing=False)),
    ],
)
def test_what_a_text_says(text: str, expected: object) -> None:
    assert parse_condition(text) == expected
    assert parse_condition(str(expected)) == expected


@pytest.mark.parametrize(
    ("text", "at", "why"),
    [
        ("", 1, "expected a name or a value, found the end"),
        ("a =", 4, "expected a name or a value, found the end"),
        ("a", 2, "expected a comparison such as = or <=, in, or is null, found the end"),
        ("a = 1 b", 7, "expected and, or, or the end, found 'b'"),
        ("a = 1)", 6, "expected and, or, or the end"),
        ("(a = 1", 7, "expected and, or, or a closing"),
        ("1 = 1", 3, "at least one side must be a name"),
        ("a < 1 < 2", 7, "at least one side must be a name"),
        ("a = 'x", 5, "is not closed"),
        ('"" = 1', 1, "quotes are empty"),
        ("a = 1e5", 5, "a number is digits"),
        ("a = 1.", 5, "a number is digits"),
        ("a = - 1", 5, "a number is digits"),
        ("a = " + "1" * 31, 5, "at most 30 digits"),
        ("a = 12abc", 5, "a number is digits"),
        ("a ; b", 3, "found ';'"),
        ("a = null", 5, "expected a name or a value, found 'null'"),
        ("a is 3", 6, "expected null or not null, found '3'"),
        ("a not = 3", 7, "expected in, found '='"),
        ("a in 3", 6, "expected an opening"),
        ("a in ()", 7, "expected a name or a value, found '\\)'"),
        ("a in (1; 2)", 8, "found ';'"),
        ("a in (1 2)", 9, "expected a comma or a closing"),
        ("a in (b)", 7, "expected a value, found the name 'b'"),
        ("1 in (1)", 1, "expected a name, found the value '1'"),
        ("'x' is null", 1, "expected a name"),
        ("a = date '2026-02-30'", 10, "expected a date"),
        ("a = date '26-02-30'", 10, "expected a date"),
        ("a = date '٢٠٢٦-01-01'", 10, "expected a date"),
        ("a = 'x\0'", 7, "U\\+0000"),
        ("a = '\ud800'", 6, "U\\+D800"),
        ("a.b = 1", 2, "in double quotes"),
        ("__import__('os')", 11, "expected a comparison"),
        ("(a) = 1", 3, "expected a comparison"),
    ],
)
def test_faults_are_refused_with_their_place(text: str, at: int, why: str) -> None:
    with pytest.raises(PolicyError, match=why) as found:
        parse_condition(text)
    assert f"at character {at}:" in str(found.value)


def test_limits() -> None:
    assert parse_condition("(" * MAX_DEPTH + "a = 1" + ")" * MAX_DEPTH) == A
    with pytest.raises(PolicyError, match="levels deep"):
        parse_condition("(" * (MAX_DEPTH + 1) + "a = 1" + ")" * (MAX_DEPTH + 1))
    with pytest.raises(PolicyError, match="levels deep"):
        parse_condition("not " * (MAX_DEPTH + 1) + "a = 1")
    with pytest.raises(PolicyError, match="levels deep"):
        parse_condition("not " * MAX_DEPTH + "1 < a < 2")
    with pytest.raises(PolicyError, match=f"this one has {MAX_CHARACTERS + 1}"):
        parse_condition("a = 1" + " " * (MAX_CHARACTERS - 4))
    with pytest.raises(PolicyError, match="written out in full"):
        parse_condition("<".join("a" * 100 for _ in range(90)))


def test_a_condition_at_the_limits_still_reads_the_same() -> None:
    deep = parse_condition("not " * (MAX_DEPTH - 1) + "1 < a < 2")
    assert parse_condition(str(deep)) == deep
    long = parse_condition(" or ".join(["a = 1"] * 1000))
    assert parse_condition(str(long)) == long


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=40))
def test_any_text_is_a_condition_or_refused(text: str) -> None:
    try:
        found = parse_condition(text)
    except PolicyError:
        return
    assert parse_condition(str(found)) == found


@given(st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join))
def test_any_words_are_a_condition_or_refused(text: str) -> None:
    try:
        found = parse_condition(text)
    except PolicyError:
        return
    assert parse_condition(str(found)) == found
    assert found.names


def demand_the_same_meaning(text: str) -> None:
    """What the parser accepts is a condition in SQL too, apart from chains, and means the same there."""
    found, expected = parse_condition(text), read_as_sql(text)
    assert expected is not None
    for row in ROWS:
        assert found.check(row) is holds(expected, row)


@given(UNGROUPED)
def test_precedence_is_that_of_sql(text: str) -> None:
    demand_the_same_meaning(text)


@given(UNGROUPED, st.data())
def test_what_is_accepted_of_spoiled_conditions_means_the_same_in_sql(text: str, data: st.DataObject) -> None:
    words = text.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split()
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.integers(0, len(words) - 1))
        instead = data.draw(st.lists(st.sampled_from(WORDS), max_size=2))
        words[place : place + data.draw(st.integers(0, 1))] = instead
        words = words or ["a"]
    spoiled = " ".join(words)
    try:
        parse_condition(spoiled)
    except PolicyError:
        event("refused")
        return
    event("accepted")
    demand_the_same_meaning(spoiled)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a not null", "expected in, found 'null'"),
        ("a in (1,)", r"expected a name or a value, found '\)'"),
        ("a in (,1)", "expected a name or a value, found ','"),
        ("(, a = 1)", "expected a name or a value, found ','"),
        ("a = 1 or (b = 1,)", r"expected and, or, or a closing \), found ','"),
        ("a = in", "expected a name or a value, found 'in'"),
        ("is not null and a = 1", "expected a name or a value, found 'is'"),
        ("a = .5", "in double quotes it can be part of a name"),
        ("a = +1", "found '\\+'"),
        ("a = 0xFF", "a number is digits"),
        ("a = 1e999", "a number is digits"),
        ("a = 1_000", "a number is digits"),
        ("a = date 1", "expected and, or, or the end, found '1'"),
        ("a = 1;", "found ';'"),
        ("a = 1 -- or b = 1", "a number is digits"),
        ("a = /* or b */ 1", "found '/'"),
        ("a in (select 1)", "expected a value, found the name 'select'"),
        ("a in b", r"expected an opening \(, found 'b'"),
        ("a = 'x' 'y'", "expected and, or, or the end, found \"'y'\""),
        ("a = n'x'", "expected and, or, or the end, found \"'x'\""),
        ("a = 'x\\'y'", "the quote ' is not closed"),
        ("a = 1 b", "expected and, or, or the end, found 'b'"),
        ("(a = 1 b)", r"expected and, or, or a closing \), found 'b'"),
        ("a is not distinct from b", "expected null, found 'distinct'"),
        ("a is true", "expected null or not null, found 'true'"),
        ("a between 1 and 2", "expected a comparison such as = or <=, in, or is null, found 'between'"),
        ("a like 'x'", "expected a comparison such as = or <=, in, or is null, found 'like'"),
        ("a <=> 1", "expected a name or a value, found '>'"),
        ("a = $1", r"found '\$'"),
        ("a = ?", r"found '\?'"),
        ("a = b + 1", r"found '\+'"),
        ("a :: int = 1", "found ':'"),
    ],
)
def test_sql_that_is_no_condition_is_refused(text: str, why: str) -> None:
    """Much of this leaves no trace in the tree of an SQL parser, and all of it is SQL somewhere."""
    with pytest.raises(PolicyError, match=why):
        parse_condition(text)


@pytest.mark.parametrize("name", ["case", "select", "between", "current_date", "like", "end", "interval", "for", "xor"])
def test_words_of_sql_are_names(name: str) -> None:
    assert parse_condition(f"{name} = 1 and date '2026-01-31' < {name}").names == {name}
