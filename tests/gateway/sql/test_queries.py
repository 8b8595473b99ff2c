"""Questions about plain values mean what they mean to the engine itself."""

from __future__ import annotations

from contextlib import suppress

import duckdb
import pytest
from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.sql.compiling import compile_query
from sfumato.gateway.sql.expressions import value_from_parts
from sfumato.gateway.sql.reading import parse_query
from sfumato.gateway.sql.values import Doubt, Range
from sfumato.gateway.views.views import PurposeView
from tests.examples import seeds
from tests.gateway.questions import TABLES, Questions
from tests.gateway.shops import DAY, Shop, insert, types

OPEN = Policy.of(
    {
        "name": "open",
        "purposes": {"General": []},
        "tables": {
            "person": {"key": "id", "allowed": ["General"], "new_columns": "as_table"},
            "visit": {"key": "visit", "allowed": ["General"], "new_columns": "as_table"},
        },
    }
)


def compiled(text: str) -> str:
    return compiled_tree(parse_query(text, "duckdb").tree)


def compiled_tree(tree: exp.Expr) -> str:
    def view(table: str, referencing: frozenset[str]) -> PurposeView | None:
        if table not in TABLES:
            return None
        return PurposeView.of(OPEN, table, "General", types()[table], day=DAY, referencing=referencing)

    return compile_query(tree, "duckdb", view, tuple(TABLES)).sql


@pytest.fixture(scope="module")
def con():
    con = duckdb.connect()
    con.execute("CREATE TABLE person (id INT, age INT, income INT, name VARCHAR, town VARCHAR)")
    con.execute("CREATE TABLE visit (visit INT, person INT, cost INT, ward VARCHAR)")
    shop = Shop(7)
    for number in range(4):
        more = Shop(number)
        shop.rows["person"] += [{**row, "id": row["id"] + 10 * (number + 1)} for row in more.rows["person"]]
        shop.rows["visit"] += [{**row, "visit": row["visit"] + 10 * (number + 1)} for row in more.rows["visit"]]
    for table, columns in TABLES.items():
        insert(con, table, [[row[name] for name in columns] for row in shop.rows[table]])
    return con


def rows(con, text: str):
    return con.execute(text).fetchall()


ASKED = [
    "SELECT * FROM person",
    "SELECT p.*, v.cost FROM person p JOIN visit v ON p.id = v.person",
    "SELECT p.id, v.* FROM person p LEFT JOIN visit v ON p.id = v.person AND v.cost > 10",
    "SELECT p.id, v.visit FROM person p RIGHT JOIN visit v ON p.id = v.person",
    "SELECT p.id, v.visit FROM person p FULL JOIN visit v ON p.id = v.person",
    "SELECT p.id, q.id FROM person p CROSS JOIN person q WHERE p.id < q.id",
    "SELECT id, cost FROM person, visit WHERE person = id",
    "SELECT * FROM (SELECT id AS person, name FROM person) JOIN visit USING (person)",
    "SELECT s.person, s.name, v.cost FROM (SELECT id AS person, name FROM person) s JOIN visit v USING (person)",
    "SELECT * FROM (SELECT id AS person, name FROM person) s LEFT JOIN visit USING (person)",
    "SELECT town, count(*), sum(income), avg(age), min(name), max(name) FROM person GROUP BY town",
    "SELECT town, count(DISTINCT name), count(income) FROM person GROUP BY 1 HAVING count(*) > 1 ORDER BY 2 DESC, town",
    "SELECT age > 20 AS old, count(*) AS n FROM person GROUP BY old ORDER BY old",
    "SELECT upper(town) AS town, count(*) FROM person GROUP BY upper(town)",
    "SELECT stddev(income), variance(income), stddev_pop(age), bool_or(age > 20), bool_and(age > 0) FROM person",
    "SELECT id, percent_rank() OVER (ORDER BY id) / 2, cume_dist() OVER (ORDER BY id) / 2 FROM person",
    "SELECT id, rank() OVER (ORDER BY age) / 2, ntile(5) OVER (ORDER BY id) / 2 FROM person",
    "SELECT count(*) FILTER (WHERE age > 20), sum(income) FILTER (WHERE town = 'Rome') FROM person",
    "SELECT id, row_number() OVER (ORDER BY id), rank() OVER (PARTITION BY town ORDER BY age) FROM person",
    "SELECT id, sum(age) OVER (PARTITION BY town ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM person",
    (
        "SELECT id, lag(age) OVER (ORDER BY id), lead(age, 2, 0) OVER (ORDER BY id), ntile(3) OVER "
        "(ORDER BY id) FROM person"
    ),
    "SELECT id, first_value(age) OVER (ORDER BY id), dense_rank() OVER (ORDER BY town) FROM person",
    "SELECT CASE WHEN age > 20 THEN 'old' WHEN age IS NULL THEN NULL ELSE 'young' END FROM person",
    "SELECT CASE town WHEN 'Rome' THEN 1 WHEN 'Riga' THEN 2 END FROM person",
    "SELECT coalesce(income, age, 0), nullif(age, 5), greatest(age, income), least(age, 10) FROM person",
    "SELECT abs(age - 20), floor(income * 1.5), ceil(income * 0.3), round(income * 0.333, 1), sign(age) FROM person",
    "SELECT age + income * 2 - 1, -age, age % 7, (age + 1) * 2 FROM person",
    "SELECT age / 2, income / nullif(age, 0) FROM person",
    "SELECT lower(name), upper(name), length(name), substring(name, 1, 2), left(name, 1), right(name, 1) FROM person",
    (
        "SELECT trim(name), replace(name, 'A', 'x'), name || '-' || town, starts_with(name, 'A'), "
        "strpos(name, 'e') FROM person"
    ),
    (
        "SELECT CAST(age AS VARCHAR), CAST(income AS DOUBLE), CAST('7' AS INTEGER), age::BIGINT, "
        "CAST(age AS DECIMAL(10, 2)) FROM person"
    ),
    "SELECT DATE '2026-11-15', extract(year FROM DATE '2026-11-15'), date_trunc('month', DATE '2026-11-15')",
    "SELECT 1, 'it''s', NULL, TRUE, 2.5, -3",
    "SELECT DISTINCT town FROM person ORDER BY town",
    "SELECT id FROM person ORDER BY age DESC NULLS LAST, id LIMIT 3 OFFSET 1",
    "SELECT id AS x FROM person ORDER BY x DESC",
    "SELECT id FROM person WHERE age BETWEEN 5 AND 25 AND town IN ('Rome', 'Oslo') OR name LIKE 'B%'",
    "SELECT id FROM person WHERE NOT (age > 10 OR income IS NULL) AND name IS NOT NULL",
    "SELECT id FROM person WHERE age NOT IN (5, 12) AND name NOT LIKE 'A%' AND town ILIKE 'r%'",
    "SELECT id FROM person WHERE age IS DISTINCT FROM income AND (age > 5) IS NOT TRUE",
    "SELECT id FROM person p WHERE EXISTS (SELECT 1 FROM visit v WHERE v.person = p.id AND v.cost > 5)",
    "SELECT id FROM person p WHERE NOT EXISTS (SELECT 1 FROM visit v WHERE v.person = p.id)",
    (
        "SELECT id FROM person WHERE id IN (SELECT person FROM visit) AND id NOT IN (SELECT person FROM "
        "visit WHERE cost > 20)"
    ),
    "SELECT id, (SELECT max(cost) FROM visit v WHERE v.person = p.id) FROM person p",
    "SELECT id FROM person WHERE income > (SELECT avg(income) FROM person)",
    (
        "WITH rich AS (SELECT * FROM person WHERE income > 10), few (a, b) AS (SELECT id, name FROM "
        "rich) SELECT * FROM few"
    ),
    "WITH person AS (SELECT id FROM person WHERE id > 1) SELECT * FROM person",
    "SELECT id FROM person UNION SELECT person FROM visit ORDER BY 1",
    "SELECT id FROM person UNION ALL SELECT person FROM visit",
    "SELECT id FROM person INTERSECT SELECT person FROM visit",
    "SELECT id FROM person EXCEPT SELECT person FROM visit",
    "(SELECT id FROM person ORDER BY id LIMIT 1) UNION ALL (SELECT id FROM person ORDER BY id DESC LIMIT 1)",
    "SELECT t.town, t.n FROM (SELECT town, count(*) AS n FROM person GROUP BY town) AS t WHERE t.n > 1",
    'SELECT "id" AS "Mixed Case" FROM "person"',
    "SELECT ID, Person.NAME FROM PERSON",
    "SELECT id FROM person UNION ALL SELECT person FROM visit INTERSECT SELECT 1",
    "SELECT id FROM person EXCEPT SELECT 1 EXCEPT SELECT 2 UNION ALL SELECT 7",
    "SELECT a.id, c.visit FROM person a, person b JOIN visit c ON b.id = c.person",
    "SELECT a.id, c.visit FROM person a, person b LEFT JOIN visit c ON b.id = c.person",
    "SELECT a.id, c.visit FROM person a CROSS JOIN person b RIGHT JOIN visit c ON b.id = c.person AND a.id = 1",
    "FROM person p JOIN visit v ON p.id = v.person SELECT p.id",
    "SELECT count(*) AS n FROM person OFFSET 1",
    "SELECT id, sum(sum(age)) OVER (ORDER BY id) FROM person GROUP BY id",
    "SELECT town, count(*) FROM person GROUP BY town, TRUE, NULL, -99999999999999999999",
    "SELECT id FROM person WHERE EXISTS ((SELECT 1 FROM visit))",
]


@pytest.mark.parametrize("text", ASKED)
def test_a_question_means_what_it_says(con, text: str) -> None:
    found, meant = rows(con, compiled(text)), rows(con, text)
    if "ORDER BY" not in text or "OVER" in text:
        found, meant = sorted(found, key=repr), sorted(meant, key=repr)
    assert [pytest.approx(row) if _has_floats(row) else row for row in found] == meant  # added up in another order


def _has_floats(row: tuple[object, ...]) -> bool:
    return any(isinstance(one, float) for one in row)


@seeds(20)
def test_random_questions_mean_what_they_say(con, seed: int) -> None:
    questions = Questions(seed)
    for _ in range(20):
        text = questions.next()
        assert sorted(rows(con, compiled(text)), key=repr) == sorted(rows(con, text), key=repr), text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SELECT * FROM person p JOIN visit p ON TRUE", "two tables are called 'p'"),
        ("SELECT id FROM person a, person b", "could be a column of several tables"),
        ("SELECT z.id FROM person", "no table 'z'"),
        ("SELECT idd FROM person", "did you mean 'id'"),
        ("SELECT id FROM persons", "did you mean 'person'"),
        ("SELECT x.id FROM (SELECT id, age AS id FROM person) x", "two columns named"),
        ("WITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a", "defines 'a' twice"),
        ("SELECT id FROM person UNION SELECT id, age FROM person", "same number of columns"),
        ("SELECT id FROM person ORDER BY 7", "no column number 7"),
        ("WITH a (x, y) AS (SELECT 1) SELECT * FROM a", "1 columns need 1 names"),
        ("SELECT (SELECT id, age FROM person)", "has one column"),
        ("SELECT * FROM person NATURAL JOIN visit", "does not understand"),
        ("SELECT * FROM person, LATERAL (SELECT person.id) q", "does not understand"),
        ("SELECT DISTINCT ON (town) town FROM person", "does not understand"),
        ("SELECT * EXCLUDE (id) FROM person", "does not understand"),
        ("SELECT COLUMNS('i.*') FROM person", "does not understand"),
        ("SELECT id FROM person GROUP BY ROLLUP (id)", "does not understand"),
        ("SELECT * FROM person TABLESAMPLE 10 PERCENT", "does not understand"),
        ("SELECT * FROM range(3)", "not from functions"),
        ("SELECT * FROM 'file.csv'", "a dot in it"),
        ("SELECT * FROM (VALUES (1)) v", "does not understand"),
        ("WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT * FROM r", "does not understand"),
        ("SELECT id FROM person QUALIFY row_number() OVER () = 1", "does not understand"),
        ("SELECT sum(id ORDER BY id) FROM person", "does not understand"),
        ("SELECT list(id) FROM person", "does not understand"),
        ("SELECT id FROM person LIMIT 1 + 1", "whole number"),
        ("SELECT id INTO copy FROM person", "does not understand"),
        ("SELECT id FROM person FOR UPDATE", "does not understand"),
        ("SELECT t.* EXCLUDE (id) FROM person t", "does not understand EXCEPT of Star"),
        ("SELECT t.* EXCEPT (id) FROM person t", "does not understand EXCEPT of Star"),
        ("SELECT t.* REPLACE (1 AS id) FROM person t", "does not understand REPLACE of Star"),
        ("SELECT t.* RENAME (id AS x) FROM person t", "does not understand RENAME of Star"),
        ("SELECT t.* ILIKE 'i%' FROM person t", "does not understand ILIKE of Star"),
        ("SELECT p.id FROM person p JOIN visit v", "write CROSS JOIN, or ON"),
        ("SELECT p.id FROM person p INNER JOIN visit v", "write CROSS JOIN, or ON"),
        ("SELECT p.id FROM person p LEFT JOIN visit v", "write CROSS JOIN, or ON"),
        ("SELECT p.id FROM person p JOIN visit v USING ()", "write CROSS JOIN, or ON"),
        ("SELECT p.id FROM person p CROSS JOIN visit v ON p.id = v.person", "CROSS JOIN has no ON"),
        ("SELECT p.id FROM person p CROSS JOIN visit v USING (id)", "CROSS JOIN has no ON"),
        ("SELECT p.id FROM person p LEFT CROSS JOIN visit v", "does not understand Join"),
        ("SELECT a.id FROM person a, person b RIGHT JOIN visit c ON b.id = c.person", "in place of the comma"),
        ("SELECT a.id FROM person a, person b FULL JOIN visit c ON b.id = c.person", "in place of the comma"),
        (
            "SELECT p.id FROM person p JOIN visit v JOIN visit w ON v.visit = w.visit ON p.id = v.person",
            "one after the other",
        ),
        ("SELECT age, count(*) FROM person GROUP BY ALL", "does not understand ALL of Group"),
        ("SELECT id FROM person ORDER BY ALL", "one by one"),
        ("SELECT id FROM person USING SAMPLE 3", "does not understand SAMPLE"),
        ("SELECT id FROM person FETCH FIRST 2 ROWS ONLY", "FETCH is not understood; write LIMIT"),
        ("SELECT id FROM person ORDER BY id FETCH FIRST 2 ROWS WITH TIES", "FETCH is not understood; write LIMIT"),
        ("SELECT id FROM person LIMIT 10 PERCENT", "does not understand LIMIT OPTIONS"),
        ("SELECT id FROM person LIMIT -1", "LIMIT is followed by a whole number"),
        ("SELECT id FROM person LIMIT NULL", "LIMIT is followed by a whole number"),
        ("SELECT id FROM person LIMIT 9999999999999999999", "LIMIT is followed by a whole number"),
        ("SELECT id FROM person OFFSET -1", "OFFSET is followed by a whole number"),
        ("SELECT id FROM person OFFSET id", "OFFSET is followed by a whole number"),
        ("SELECT id FROM person LIMIT 1 UNION SELECT 3", "stands in parentheses"),
        ("SELECT id FROM person ORDER BY id UNION SELECT 3", "stands in parentheses"),
        ("SELECT 1 UNION SELECT id FROM person LIMIT 1 UNION SELECT 3", "stands in parentheses"),
        ("SELECT id FROM person UNION SELECT 1 ORDER BY 0", "by name or number"),
        ("SELECT id FROM person UNION SELECT 1 ORDER BY 99", "by name or number"),
        ("SELECT id FROM person UNION SELECT 1 ORDER BY id + 1", "by name or number"),
        ("SELECT id FROM person UNION SELECT 1 ORDER BY age", "by name or number"),
        ("SELECT id FROM person UNION SELECT 1 ORDER BY person.id", "by name or number"),
        ("SELECT id FROM person ORDER BY 0", "no column number 0"),
        ("SELECT id FROM person WHERE EXISTS (1)", "EXISTS is followed by a query"),
        ("SELECT id FROM person WHERE EXISTS (id)", "EXISTS is followed by a query"),
        ("SELECT id FROM person WHERE EXISTS (VALUES (1))", "EXISTS is followed by a query"),
        ("SELECT CAST(1 AS DECIMAL(5, 2, 1))", "DECIMAL takes the number"),
        ("SELECT CAST(1 AS DECIMAL(age))", "DECIMAL takes the number"),
        ("SELECT CAST(1 AS DECIMAL('5'))", "DECIMAL takes the number"),
        ("SELECT CAST('a' AS TEXT COLLATE \"C\")", "does not understand COLLATE"),
        ("SELECT CAST(1 AS INTEGER(5))", "without a length"),
        ("SELECT CAST(1 AS INTEGER[])", "CAST is supported to"),
        ("SELECT row_number() FROM person", "RowNumber needs OVER"),
        ("SELECT lag(age) FROM person", "Lag needs OVER"),
        ("SELECT id FROM person WHERE id IN name", "does not understand FIELD of In"),
        ("SELECT id FROM person WHERE id IN UNNEST([1, 2])", "does not understand UNNEST of In"),
    ],
)
def test_what_is_not_understood_is_refused(text: str, said: str) -> None:
    with pytest.raises(StatementError, match=said):
        compiled(text)


HIDING = Policy.of(
    {
        "name": "hiding",
        "purposes": {"General": []},
        "tables": {
            "person": {"key": "id", "allowed": ["General"], "new_columns": "as_table"},
            "visit": {
                "key": "visit",
                "allowed": ["General"],
                "new_columns": "as_table",
                "columns": {"person": {"prohibited": ["General"]}},
            },
        },
    }
)


@pytest.mark.parametrize("name", ["person", "v.person"])
def test_a_hidden_column_is_not_taken_for_one_of_the_question_around(name: str) -> None:
    """The question inside would silently look at something else than its text says."""

    def view(table: str, referencing: frozenset[str]) -> PurposeView | None:
        if table not in TABLES:
            return None
        return PurposeView.of(HIDING, table, "General", types()[table], day=DAY, referencing=referencing)

    text = "SELECT p.id FROM (SELECT id, id AS person FROM person) p"
    text += f" WHERE EXISTS (SELECT 1 FROM visit v WHERE {name} = 1)"
    with pytest.raises(StatementError, match="column 'person' is not shown to you for this purpose"):
        compile_query(parse_query(text, "duckdb").tree, "duckdb", view, tuple(TABLES))


NOTHING_INSIDE = {
    "Boolean", "Column", "DataTypeParam", "Div", "Filter", "Having", "Identifier", "If", "Literal", "Mod", "Neg", "Not",
    "Null", "NullSafeNEQ", "Paren", "Var", "Where",
}  # fmt: skip
"""Nodes for which the grammar has nothing but what is read; columns are looked at where they are values."""


@pytest.mark.parametrize("text", ASKED)
def test_a_part_that_nobody_reads_is_refused(text: str) -> None:
    """What the parser understands and the compiler does not know must not be left out silently."""
    tree = parse_query(text, "duckdb").tree
    ignored = set()
    for place in range(len(list(tree.walk()))):
        changed = tree.copy()
        node = list(changed.walk())[place]
        node.args["strange_part"] = exp.Literal.number(1)
        with suppress(StatementError):
            compiled_tree(changed)
            ignored.add(type(node).__name__)
    assert ignored <= NOTHING_INSIDE


def test_a_range_of_two_columns_comes_from_neither() -> None:
    """How large its bounds are follows from a column's type only where all of them come from that column."""
    view = PurposeView.of(OPEN, "person", "General", types()["person"], day=DAY)
    age, income = (
        Range(exp.column("lo"), exp.column("hi"), "integer", view.by_name[name], doubt=Doubt.NONE)
        for name in ("age", "income")
    )
    assert value_from_parts([age, age], age.parts).column is view.by_name["age"]  # type: ignore[union-attr]
    assert value_from_parts([age, income], age.parts).column is None  # type: ignore[union-attr]


@pytest.mark.parametrize("counted", ["*", "name", "DISTINCT name"])
def test_counts_are_added_up_in_one_sum(counted: str) -> None:
    """No sum of counts leaves 128 bits, so positive and negative numbers need not be added up apart."""
    text = compiled(f"SELECT town, sum(count({counted})) OVER () AS s FROM person GROUP BY town")
    assert "SUM(COUNT(" in text
    assert "CASE" not in text
