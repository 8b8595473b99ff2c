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
CHOSEN_ROWS = [
    "SELECT p.id FROM person p JOIN person q USING (town)",
    "SELECT p.id FROM person p JOIN person q USING (income)",
    "SELECT p.id FROM person p JOIN person q USING (id, age)",
    "SELECT p.id FROM person p GROUP BY p.id HAVING count(p.income) = 0",
    "SELECT p.id FROM person p GROUP BY p.id HAVING count(*) FILTER (WHERE p.income > 5) = 0",
    "SELECT p.id FROM person p GROUP BY p.id, p.town",
    "SELECT p.id FROM person p ORDER BY p.income LIMIT 2",
    "SELECT p.id FROM person p ORDER BY p.town OFFSET 1",
    "SELECT v.visit FROM visit v ORDER BY v.ward LIMIT 1",
    "SELECT t.id FROM (SELECT p.id, rank() OVER (ORDER BY exact(p.name)) AS r FROM person p) t WHERE r = 1",
    "SELECT t.id FROM (SELECT p.id, row_number() OVER (PARTITION BY p.town ORDER BY p.id) AS r FROM person p) t "
    "WHERE r = 1",
    "SELECT t.id FROM (SELECT p.id, count(*) OVER (PARTITION BY p.age) AS n FROM person p) t WHERE n = 1",
    "SELECT t.id FROM (SELECT DISTINCT p.id, p.name FROM person p) t",
    "SELECT t.n FROM (SELECT count(DISTINCT v.ward) AS n FROM visit v) t WHERE n = 1",
]
MISSING = [
    "SELECT 1 AS x FROM (SELECT max(v.visit) AS m FROM visit v) d WHERE m IS NULL",
    "SELECT v.person FROM visit v GROUP BY v.person HAVING max(v.visit) IS NULL",
    "SELECT 1 AS x FROM (SELECT lag(v.visit) OVER (ORDER BY v.visit) AS m FROM visit v) d WHERE m IS NULL",
    "SELECT 1 AS x FROM (SELECT max(v.visit) OVER () AS m FROM visit v) d WHERE m IS NULL",
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", CHOSEN_ROWS)
def test_rows_that_hidden_values_choose_are_uncertain(text: str, engine: str) -> None:
    assert Shop(0).compiled(text, engine).uncertain
    for above in ("SELECT id FROM person WHERE id NOT IN ({})", "SELECT id FROM person EXCEPT SELECT * FROM ({}) d"):
        with pytest.raises(StatementError, match="not offered on values that may be hidden"):
            Shop(0).compiled(above.format(text), engine)


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
        "SELECT p.id, count(p.income) AS n, max(exact(p.name)) AS m FROM person p GROUP BY p.id",
        "SELECT p.id, rank() OVER (ORDER BY exact(p.name)) AS r FROM person p",
        "SELECT v.person FROM visit v GROUP BY v.person HAVING max(v.visit) FILTER (WHERE v.visit > 3) IS NULL",
        "SELECT p.id FROM person p WHERE p.id NOT IN (SELECT v.person FROM visit v ORDER BY v.visit LIMIT 2)",
    ],
)
def test_what_is_merely_shown_decides_nothing(text: str) -> None:
    assert not Shop(0).compiled(text).uncertain


def test_having_decides_about_groups_and_not_about_their_rows() -> None:
    text = "SELECT v.person, max(v.visit) AS m, max(max(v.visit)) OVER () AS w FROM visit v GROUP BY v.person"
    for rest, hideable in (("", [False] * 3), (" HAVING count(v.ward) > 1", [False, False, True])):
        assert [output.value.hideable for output in Shop(0).compiled(text + rest).outputs] == hideable


def test_columns_that_group_by_refers_to_count_as_selected() -> None:
    """Under `drop_if_all_hidden` a row goes if all that is selected is hidden, wherever it is compiled first."""
    texts = [f"SELECT ward AS w, count(*) AS n FROM visit GROUP BY {key}" for key in ("w", "1", "ward")]
    made = [Shop(0, "drop_if_all_hidden").compiled(text) for text in texts]
    assert len({one.sql for one in made}) == 1
    assert "ward.hidden" in made[0].sql
