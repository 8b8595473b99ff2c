from __future__ import annotations

import duckdb
import pytest
from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.sql.compiling import CompiledQuery, compile_query
from sfumato.gateway.sql.reading import parse_query
from sfumato.gateway.views.views import PurposeView
from tests.gateway.shops import Shop
from tests.gateway.views.test_views import DAY, HIDING, TYPES

POLICY = Policy.of(HIDING)


def view(table: str, referencing: frozenset[str]) -> PurposeView | None:
    return PurposeView.of(POLICY, table, "Marketing", TYPES, day=DAY, referencing=referencing) if table == "t" else None


def compiled(text: str) -> CompiledQuery:
    return compile_query(parse_query(text, "duckdb").tree, "duckdb", view, ("t",))


@pytest.fixture(scope="module")
def con():
    """Three people, and the two relations in which either their incomes or their names are shown."""
    con = duckdb.connect()
    con.execute(
        "CREATE TABLE raw AS SELECT * FROM (VALUES (1, 10, 'Ann', 'DE', DATE '2026-01-01'), "
        "(2, 20, 'Bob', 'IT', DATE '2026-01-01'), (3, 30, 'Cy', 'DE', NULL)) v(id, income, name, land, since)"
    )
    for referencing in (frozenset(), frozenset({"income"})):
        found = view("t", referencing)
        made = found.select(exp.to_table("raw"), "duckdb", today=exp.Literal.string(str(DAY)))
        con.execute(f'CREATE TABLE "{found.name}" AS {made.sql("duckdb")}')
    return con


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SELECT name FROM t ORDER BY name", [("Ann",), ("Bob",), ("Cy",)]),
        ("SELECT income FROM t ORDER BY income", [(10,), (20,), (30,)]),
        ("SELECT name, income FROM t ORDER BY income", [(None, 10), (None, 20), (None, 30)]),
        ("SELECT name FROM t WHERE income = 20", [(None,)]),
        ("SELECT income FROM t WHERE name = 'Bob'", []),
        ("SELECT a.name, b.income FROM t a JOIN t b ON a.id = b.id", []),
        ("SELECT a.name, b.income FROM t a JOIN t b ON a.land = b.land WHERE b.land = 'IT'", [(None, 20)]),
        ("SELECT x.name FROM (SELECT * FROM t) x ORDER BY 1", [(None,), (None,), (None,)]),
        ("WITH c AS (SELECT id, income FROM t) SELECT name FROM t JOIN c ON c.id = t.id", []),
        (
            "SELECT name FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.income > 5) ORDER BY 1",
            [(None,), (None,), (None,)],
        ),
        ("SELECT count(id) FROM t", [(3,)]),
        ("SELECT count(id), sum(income) FROM t", [(0, 60)]),
    ],
)
def test_whose_a_value_is_stays_hidden_whichever_way_it_is_read(con, text, rows) -> None:
    assert con.execute(compiled(text).sql).fetchall() == rows


def test_what_is_read_is_told() -> None:
    made = compiled("SELECT upper(name) FROM t WHERE land = 'DE' AND id IN (SELECT id FROM t)")
    assert made.columns_read == {"t": ("id", "land", "name")}
    assert [one.name for one in made.views] == ["t"]
    assert [one.name for one in compiled("SELECT income FROM t").views] == ["t.income"]


def test_names_of_the_gateway_cannot_be_named() -> None:
    for text in ('SELECT "income.lo" FROM person', 'SELECT * FROM "t.income"', 'SELECT 1 AS "a.b"', 'SELECT 1 AS ""'):
        with pytest.raises(StatementError):
            Shop(0).compiled(text)


def test_a_table_may_be_spelled_in_any_case() -> None:
    policy = Policy.of({**HIDING, "tables": {"Tall": HIDING["tables"]["t"]}})

    def view(table: str, referencing: frozenset[str] | None) -> PurposeView | None:
        return (
            PurposeView.of(policy, "Tall", "Marketing", TYPES, day=DAY, referencing=referencing)
            if table == "tall"
            else None
        )

    made = compile_query(parse_query("SELECT Income FROM TALL", "duckdb").tree, "duckdb", view, ("tall",))
    assert [one.name for one in made.views] == ["Tall.income"]


def test_no_name_of_a_question_can_stand_for_a_masked_relation() -> None:
    with pytest.raises(StatementError, match="nor have a dot"):
        compiled('WITH "t.income" AS (SELECT 5 AS income) SELECT income FROM t')


def test_nesting_has_an_end() -> None:
    deep = "SELECT id FROM t WHERE " + "NOT " * 3000 + "id = 1"
    with pytest.raises(StatementError):
        compiled(deep)
    joined = "SELECT id FROM t WHERE " + " AND ".join(["id = 1"] * 900)
    assert compiled(joined).sql.count("AND") == 899


@pytest.mark.parametrize(("engine", "said"), [("postgres", "capitals are written in double quotes"), ("duckdb", "")])
def test_names_whose_capitals_got_lost(engine: str, said: str) -> None:
    with pytest.raises(StatementError, match=rf"no table 'visits'; did you mean 'Visits'\?.*{said}"):
        compile_query(parse_query("SELECT 1 FROM Visits", engine).tree, engine, lambda *_: None, ("Visits",))


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
@pytest.mark.parametrize(
    "text",
    [
        "SELECT {0}1.id FROM person {0}1 WHERE NOT EXISTS (SELECT 1 FROM person {0}2 WHERE {0}2.id = {0}1.id + 1)",
        "SELECT id AS {0}1, town AS {0}2 FROM person",
        "SELECT d.{0}1 FROM (SELECT income FROM person) d ({0}1)",
        "WITH {0}1 AS (SELECT 1 AS x), {0}2 AS (SELECT 2 AS x) SELECT x FROM {0}1",
        "SELECT {0}1 FROM person",
        "SELECT id FROM {0}1",
    ],
)
def test_a_name_that_an_engine_would_cut_is_refused(text: str, engine: str) -> None:
    """PostgreSQL takes names that agree in their first 63 bytes for one; the compiler adds `.exact` to some."""
    for name in ("a" * 56, "ä" * 28):
        with pytest.raises(StatementError, match="a name has at most 56 bytes"):
            Shop(0).compiled(text.format(name), engine)


def test_the_longest_name_has_room_for_what_the_compiler_adds() -> None:
    made = Shop(0).compiled(f"SELECT town AS {'a' * 56} FROM person", "postgres")
    assert max(len(name) for output in made.outputs for name in output.names) <= 63
