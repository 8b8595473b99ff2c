"""What hidden values or missing rows decide is uncertain, and nothing certain is built upon it."""

from __future__ import annotations

from typing import Any

import pytest

from sfumato.errors import StatementError
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.sql.compiling import CompiledQuery, compile_query
from sfumato.gateway.sql.reading import parse_query
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView
from tests.gateway.shops import DAY, Shop, types

ENGINES = ["duckdb", "postgres"]
MISSING_ROWS = [
    "SELECT p.id FROM person p JOIN person q USING (town)",
    "SELECT p.id FROM person p JOIN person q USING (income)",
    "SELECT p.id FROM person p JOIN person q USING (id, age)",
    "SELECT p.id FROM person p GROUP BY p.id HAVING count(p.income) > 0",
    "SELECT p.id FROM person p GROUP BY p.id HAVING 0 < count(*) FILTER (WHERE p.income > 5)",
    "SELECT p.id FROM person p GROUP BY p.id HAVING max(p.income) >= 10",
    "SELECT p.id FROM person p GROUP BY p.id HAVING min(exact(p.name)) < 'B'",
    "SELECT p.id FROM person p GROUP BY p.id HAVING bool_or(p.income > 5)",
    "SELECT p.id FROM person p GROUP BY p.id HAVING max(p.income) IS NOT NULL",
    "SELECT p.id FROM person p WHERE p.income < (SELECT max(v.cost) FROM visit v)",
    "SELECT p.id FROM person p WHERE (p.income > 5) = (p.age > 5)",
    "SELECT p.id FROM person p GROUP BY p.id, p.town",
    "SELECT t.id FROM (SELECT DISTINCT p.id, p.name FROM person p) t",
    "SELECT t.n FROM (SELECT count(DISTINCT v.ward) AS n FROM visit v) t WHERE n > 1",
]
"""Some rows that match may be missing, and those that are there do match."""

COMPUTED = [
    "SELECT count(p.income) AS n FROM person p",
    "SELECT p.town, count(*) AS n FROM person p GROUP BY p.town",
    "SELECT count(*) AS n FROM person p WHERE p.income > 5",
    "SELECT count(*) FILTER (WHERE p.income > 5) AS n FROM person p",
    "SELECT sum(p.income) AS n FROM person p",
    "SELECT min(p.income) AS n FROM person p",
    "SELECT avg(coalesce(exact(p.income), 0)) AS n FROM person p",
    "SELECT stddev(exact(p.income)) AS n FROM person p",
    "SELECT max(p.id) AS n FROM person p WHERE p.income > 5",
    "SELECT bool_or(coalesce(p.income > 5, FALSE)) AS n FROM person p",
    "SELECT bool_and(greatest(p.income > 5, TRUE)) AS n FROM person p",
    "SELECT bool_or(p.id > 1) AS n FROM person p GROUP BY p.town",
    "SELECT bool_or(coalesce(p.income > 5, FALSE)) OVER (PARTITION BY p.id) AS n FROM person p",
    "SELECT coalesce(exact(p.income), 0) AS n FROM person p",
    "SELECT coalesce(exact(p.income), 0) * 2 AS n FROM person p",
    "SELECT upper(coalesce(exact(p.town), 'x')) AS n FROM person p",
    "SELECT exact(CASE WHEN p.id < 0 THEN p.town ELSE coalesce(exact(p.town), 'x') END) AS n FROM person p",
    "SELECT d.n FROM (SELECT p.town AS n FROM person p UNION ALL SELECT coalesce(exact(q.town), 'x') FROM person q) d",
    "SELECT nullif(p.id, exact(p.income)) AS n FROM person p",
    "SELECT rank() OVER (ORDER BY exact(p.name)) AS n FROM person p",
    "SELECT lag(p.id) OVER (PARTITION BY p.town ORDER BY p.id) AS n FROM person p",
    "SELECT row_number() OVER (ORDER BY p.id) AS n FROM person p WHERE p.income > 5",
    "SELECT p.id AS n FROM person p ORDER BY p.income LIMIT 2",
    "SELECT p.id AS n FROM person p WHERE p.income > 5 ORDER BY p.id LIMIT 2",
    "SELECT p.id AS n FROM person p ORDER BY p.town OFFSET 1",
    "SELECT v.visit AS n FROM visit v ORDER BY v.ward LIMIT 1",
    "SELECT (SELECT max(v.cost) FROM visit v WHERE v.person = p.id) AS n FROM person p",
    "SELECT (SELECT count(*) FROM visit v WHERE v.cost > p.income) AS n FROM person p",
    "WITH w AS (SELECT count(v.ward) AS n FROM visit v) SELECT w.n FROM w",
]
"""Numbers, texts and chosen rows that would be others if hidden values counted as well."""

MISSING = [
    "SELECT 1 AS x FROM (SELECT max(v.visit) AS m FROM visit v) d WHERE m IS NULL",
    "SELECT v.person FROM visit v GROUP BY v.person HAVING max(v.visit) IS NULL",
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", MISSING_ROWS)
def test_rows_that_hidden_values_choose_are_uncertain(text: str, engine: str) -> None:
    assert Shop(0).compiled(text, engine).uncertain
    for above in ("SELECT id FROM person WHERE id NOT IN ({})", "SELECT id FROM person EXCEPT SELECT * FROM ({}) d"):
        with pytest.raises(StatementError, match="not offered on values that may be hidden"):
            Shop(0).compiled(above.format(text), engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", COMPUTED)
def test_what_hidden_values_could_change_is_in_doubt_and_compared_with_nothing(text: str, engine: str) -> None:
    (n,) = [output for output in Shop(0).compiled(text, engine).outputs if output.name == "n"]
    assert n.value.uncertain
    # Either way, since one of both may still be certain: a count may be known to exceed a number, and never not to.
    for condition in ("d.n = d.n", "d.n > d.n", "d.n IN (d.n)", "CASE WHEN d.n = d.n THEN TRUE END"):
        with pytest.raises(StatementError, match="not offered on values that may be hidden"):
            Shop(0).compiled(f"SELECT 1 AS x FROM ({text}) d WHERE {condition}", engine)
    with pytest.raises(StatementError, match="not offered on values that may be hidden"):
        Shop(0).compiled(f"SELECT 1 AS x FROM person r WHERE r.id NOT IN (SELECT d.n FROM ({text}) d)", engine)


@pytest.mark.parametrize("function", ["lag(v.visit)", "max(v.visit)", "row_number()"])
def test_windows_over_rows_that_may_be_missing_are_in_doubt(function: str) -> None:
    text = f"SELECT 1 AS x FROM (SELECT {function} OVER (ORDER BY v.visit) AS m FROM visit v) d WHERE m IS NULL"
    with pytest.raises(StatementError, match="not offered on values that may be hidden"):
        Shop(0, "drop_row").compiled(text)
    assert Shop(0).compiled(text).sql


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 AS x FROM person p WHERE NOT (SELECT count(*) FROM visit v WHERE v.cost > 5) > 3",
        "SELECT 1 AS x FROM (SELECT DISTINCT p.town FROM person p OFFSET 1) d",
        "SELECT 1 AS x WHERE EXISTS (SELECT p.town FROM person p GROUP BY p.town ORDER BY p.town OFFSET 1)",
    ],
)
def test_what_seen_values_alone_would_suggest_is_refused(text: str) -> None:
    with pytest.raises(StatementError, match="not offered on values that may be hidden"):
        Shop(0).compiled(text)


@pytest.mark.parametrize("text", MISSING)
@pytest.mark.parametrize("row_policy", ["drop_row", "drop_if_all_hidden"])
def test_an_aggregate_of_rows_that_may_be_missing_is_never_certainly_null(text: str, row_policy: str) -> None:
    assert "FALSE" in Shop(0, row_policy).compiled(text).sql
    assert "FALSE" not in Shop(0).compiled(text).sql


@pytest.mark.parametrize("text", MISSING)
def test_rows_beyond_retention_are_missing_as_well(text: str) -> None:
    assert "FALSE" in with_retention(text, [{"column": "seen", "days": 30, "purpose": "General"}]).sql
    assert "FALSE" not in with_retention(text, []).sql


def with_retention(text: str, retention: list[dict[str, Any]]) -> CompiledQuery:
    """A query that is compiled on a table of which everything is shown, within so many days."""
    tables = {"visit": {"key": "visit", "allowed": ["General"], "new_columns": "as_table", "retention": retention}}
    policy = Policy.of({"name": "kept", "purposes": {"General": []}, "tables": tables})
    columns = {**types()["visit"], "seen": ColumnType.of_duckdb("DATE")}

    def view(table: str, referencing: frozenset[str] | None) -> PurposeView:
        return PurposeView.of(policy, table, "General", columns, day=DAY, referencing=referencing)

    return compile_query(parse_query(text, "duckdb").tree, "duckdb", view, ("visit",))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "text",
    [
        "SELECT p.town FROM person p LEFT JOIN person q USING (town)",
        "SELECT p.id FROM person p LEFT JOIN person q USING (id, income)",
    ],
)
def test_an_outer_join_using_what_may_be_hidden_is_refused(text: str, engine: str) -> None:
    with pytest.raises(StatementError, match="an outer join is not offered"):
        Shop(0).compiled(text, engine)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT p.income FROM person p ORDER BY p.income",
        "SELECT p.income FROM person p ORDER BY p.id LIMIT 1",
        "SELECT p.id, p.income > 5 AS x, CASE WHEN p.age = 3 THEN 'three' ELSE 'other' END AS y FROM person p",
        "SELECT p.id, bool_or(p.income > 5) AS some FROM person p GROUP BY p.id",
        "SELECT exact(p.town) || '!' AS x, lo(p.income) + 1 AS y, upper(exact(p.town)) AS z FROM person p",
        "SELECT v.person FROM visit v GROUP BY v.person HAVING max(v.visit) FILTER (WHERE v.visit > 3) IS NULL",
        "SELECT p.id FROM person p WHERE p.id NOT IN (SELECT v.person FROM visit v ORDER BY v.visit LIMIT 2)",
    ],
)
def test_what_is_merely_shown_decides_nothing(text: str) -> None:
    made = Shop(0).compiled(text)
    assert not made.uncertain
    assert not any(output.value.uncertain for output in made.outputs)


def test_having_decides_about_groups_and_not_about_their_rows() -> None:
    text = "SELECT v.person, max(v.visit) AS m, max(max(v.visit)) OVER () AS w FROM visit v GROUP BY v.person"
    for rest, hideable in (("", [False] * 3), (" HAVING count(v.ward) > 1", [False, False, True])):
        assert [output.value.uncertain for output in Shop(0).compiled(text + rest).outputs] == hideable


def test_columns_that_group_by_refers_to_count_as_selected() -> None:
    """Under `drop_if_all_hidden` a row goes if all that is selected is hidden, wherever it is compiled first."""
    texts = [f"SELECT ward AS w, count(*) AS n FROM visit GROUP BY {key}" for key in ("w", "1", "ward")]
    made = [Shop(0, "drop_if_all_hidden").compiled(text) for text in texts]
    assert len({one.sql for one in made}) == 1
    assert "ward.hidden" in made[0].sql
