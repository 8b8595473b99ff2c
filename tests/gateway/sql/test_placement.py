from __future__ import annotations

import pytest
import sqlglot

from sfumato.errors import StatementError
from sfumato.gateway.sql.placement import demand_no_windows, demand_row_level
from tests.gateway.shops import Shop


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SELECT id FROM person WHERE count(*) > 1", "WHERE is about single rows"),
        ("SELECT id FROM person WHERE row_number() OVER (ORDER BY id) = 1", "WHERE is about single rows"),
        ("SELECT count(*) FROM person GROUP BY 1", "GROUP BY is about single rows"),
        ("SELECT 2 AS a, count(*) AS n FROM person GROUP BY 2", "GROUP BY is about single rows"),
        ("SELECT row_number() OVER () AS n FROM person GROUP BY n", "GROUP BY is about single rows"),
        ("SELECT p.id FROM person p JOIN visit v ON max(p.id) = v.person", "ON is about single rows"),
        ("SELECT sum(count(*)) FROM person", "SUM is about single rows"),
        ("SELECT sum(row_number() OVER ()) FROM person", "SUM is about single rows"),
        ("SELECT count(*) FILTER (WHERE max(id) > 1) FROM person", "FILTER is about single rows"),
        ("SELECT count(*) FROM person HAVING row_number() OVER () = 1", "HAVING has no windows"),
        ("SELECT sum(row_number() OVER ()) OVER () FROM person", "SUM has no windows"),
        ("SELECT lag(row_number() OVER ()) OVER () FROM person", "LAG has no windows"),
        ("SELECT rank() OVER (ORDER BY row_number() OVER ()) FROM person", "a window has no windows"),
        ("SELECT rank() OVER (PARTITION BY row_number() OVER ()) FROM person", "a window has no windows"),
    ],
)
@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_what_stands_in_the_wrong_place_is_refused(engine: str, text: str, said: str) -> None:
    with pytest.raises(StatementError, match=said):
        Shop(0).compiled(text, engine)


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_an_aggregate_of_the_query_around_is_refused(engine: str) -> None:
    """SQL computes it from the rows of that query, and not from those of the query in which it stands."""
    text = "SELECT (SELECT {} FROM visit v) AS m FROM person p"
    for aggregate in ("max(p.id)", "max(1) FILTER (WHERE p.id >= 0)", "count(*) FILTER (WHERE p.id >= 0)"):
        with pytest.raises(StatementError, match="names a column of that query"):
            Shop(0).compiled(text.format(aggregate), engine)
    for aggregate in ("max(p.id + v.visit)", "max(v.visit) FILTER (WHERE p.id >= 0)", "count(*)"):
        assert Shop(0).compiled(text.format(aggregate), engine).sql


def test_a_question_inside_may_compute_what_it_likes() -> None:
    inside = sqlglot.parse_one("a > (SELECT max(b) FROM t) AND EXISTS (SELECT row_number() OVER () FROM t)")
    demand_row_level(inside, "WHERE")
    demand_no_windows(inside, "HAVING")
    demand_no_windows(sqlglot.parse_one("max(b) > 1"), "HAVING")
