"""The same question means the same on both engines, and no answer depends on what is hidden."""

from __future__ import annotations

import random

import pytest

from sfumato.errors import StatementError
from tests.examples import seeds
from tests.gateway.questions import Picks, Questions
from tests.gateway.shops import Shop
from tests.gateway.two_engines import FAILED, Told, TwoEngines, interferes, plain, same, unsound

ASKED = 20
ROW_POLICIES = ["mask_cell", "drop_row", "drop_if_all_hidden"]


@pytest.fixture(scope="module")
def two(shared_postgres: str):
    found = TwoEngines(shared_postgres)
    yield found
    found.close()


@pytest.mark.parametrize("monotone", [True, False])
@seeds(6)
def test_both_engines_answer_alike_and_see_nothing_hidden(two: TwoEngines, seed: int, monotone: bool) -> None:
    shop, questions, chance = (
        Shop(seed, ROW_POLICIES[seed % 3], most=8),
        Questions(seed, monotone=monotone),
        random.Random(seed),
    )
    two.open(shop)
    asked = [two.ask(shop, questions.next()) for _ in range(ASKED)]
    assert [one for one in asked if not one.agree] == []
    assert sum(not one.refused for one in asked) > ASKED / 2
    assert interferes(shop, two.duckdb, asked, chance) == 0
    if monotone and shop.row_policy == "mask_cell":
        assert unsound(shop, two.duckdb, asked, 3, chance) == 0


@seeds(6)
def test_no_answer_tells_in_which_order_rows_lie(two: TwoEngines, seed: int) -> None:
    shop, questions, chance = Shop(seed, ROW_POLICIES[seed % 3], most=8), Picks(seed), random.Random(seed)
    two.open(shop)
    asked = [two.ask(shop, questions.next()) for _ in range(ASKED)]
    assert [one for one in asked if not one.agree] == []
    assert sum(not one.refused for one in asked) > ASKED / 2
    for _ in range(3):
        two.open(shop, chance)
        again = [two.ask(shop, one.text) for one in asked]
        changed = [
            (one, other)
            for one, other in zip(asked, again, strict=True)
            if not (same(one.rows, other.rows) and other.agree)
        ]
        assert changed == []
    assert interferes(shop, two.duckdb, asked, chance) == 0


SAME = [
    ("CAST(2.5 AS INTEGER)", 3),
    ("CAST(CAST(2.5 AS DOUBLE PRECISION) AS INTEGER)", 2),
    ("round(CAST(2.5 AS DOUBLE PRECISION))", 3),
    ("round(CAST(1.005 AS DOUBLE PRECISION), 2)", 1.01),
    ("round(1234, -2)", 1200),
    ("round(CAST(2.5 AS DOUBLE PRECISION), 10)", 2.5),
    ("extract(hour FROM DATE '2020-03-04')", 0),
    ("extract(minute FROM TIMESTAMP '2020-03-04 05:06:07')", 6),
    ("CAST('7.6' AS INTEGER)", 8),
    ("CAST(2 > 1 AS BIGINT)", 1),
    ("CASE 1 = 1 AND 1 = 2 WHEN FALSE THEN 'no' ELSE 'yes' END", "no"),
    ("CASE 3 > 2 WHEN TRUE THEN 1 ELSE 0 END", 1),
    ("CASE 2 BETWEEN 1 AND 3 WHEN FALSE THEN 'out' ELSE 'in' END", "in"),
    ("CASE TRUE WHEN 1 IS NULL THEN 1 ELSE 0 END", 0),
    ("3 NOT IN (1, 2) > FALSE", True),
    ("2 BETWEEN 2 AND 3 IS DISTINCT FROM TRUE", False),
    ("CAST(CAST(3 AS BIGINT) AS BOOLEAN)", True),
    ("CAST(12.5 AS DECIMAL)", 12.5),
    ("sign(-2.5)", -1),
    ("7 / 2", 3.5),
    ("7 / 0", None),
    ("-7 % 3", -1),
    ("7 % 0", None),
    ("1e3", 1000),
    ("'a' < 'B'", False),
    ("greatest('a', 'B')", "a"),
    ("'a%' LIKE 'a\\%'", False),
    ("'a\\b' LIKE 'a\\b'", True),
    ("substring('abc', 0, 2)", "a"),
    ("extract(second FROM TIMESTAMP '2026-01-02 03:04:05.9')", 5),
    ("extract(dayofweek FROM DATE '2026-11-15')", 0),
    ("date_trunc('month', DATE '2026-11-15') = TIMESTAMP '2026-11-01 00:00:00'", True),
    ("DATE '2026-11-15' > '2026-11-14'", True),
    ("DATE '2026-11-15' + CAST(3 AS BIGINT) - DATE '2026-11-15'", 3),
    ("CAST(1.50 AS VARCHAR) || DATE '2026-11-15'", "1.502026-11-15"),
    ("lag(1, 1, 2.5) OVER ()", 2.5),
    ("lead(1, 1, 99999999999) OVER ()", 99999999999),
    ("lag('a', 0) OVER ()", "a"),
    ("first_value(7) OVER ()", 7),
    ("last_value(DATE '2026-11-15') OVER () - DATE '2026-11-14'", 1),
]


@pytest.mark.parametrize(("expression", "value"), SAME)
def test_what_engines_see_differently_is_the_same_here(two: TwoEngines, expression: str, value: object) -> None:
    told = two.ask(Shop(0), f"SELECT {expression} AS x")
    assert told.agree
    assert plain(told.rows) == plain([(value,)])


NOTHING_BUT_NULL = [
    "SELECT t.id AS x FROM person t UNION ALL SELECT NULL",
    "SELECT NULL AS x UNION SELECT t.id FROM person t",
    "SELECT t.id AS x FROM person t EXCEPT SELECT NULL",
    "SELECT exact(t.name) AS x FROM person t UNION SELECT n.x FROM (SELECT NULL AS x) n",
    "SELECT DATE '2026-11-15' AS x UNION ALL SELECT NULL",
    "SELECT coalesce(n.x, 1) AS x FROM (SELECT NULL AS x) n",
    "SELECT t.id + n.x AS x FROM person t CROSS JOIN (SELECT NULL AS x) n",
    "SELECT CASE WHEN t.id > 3 THEN n.x ELSE t.id END AS x FROM person t CROSS JOIN (SELECT NULL AS x) n",
    "SELECT n.x FROM (SELECT NULL AS x) n WHERE n.x = 1",
]


@pytest.mark.parametrize("text", NOTHING_BUT_NULL)
def test_a_column_of_nothing_but_null_fits_beside_any_other(two: TwoEngines, text: str) -> None:
    two.open(Shop(1))
    told = two.ask(Shop(1), text)
    assert told.agree
    assert not told.refused


ONE_ORDER = [
    "SELECT t.id FROM person t ORDER BY exact(t.age) DESC, exact(t.name), t.id",
    "SELECT DISTINCT exact(t.name) AS n FROM person t ORDER BY n DESC",
    "SELECT exact(t.name) AS n FROM person t UNION SELECT 'b' UNION SELECT 'B' ORDER BY n",
    "SELECT 2 AS x, t.id FROM person t ORDER BY 1, 2 DESC",
    "SELECT coalesce(exact(t.name), 'B') AS n FROM person t ORDER BY n",
    "SELECT coalesce(exact(t.name), 'B') AS n, t.id FROM person t LIMIT 3",
    "SELECT coalesce(exact(t.age), 7) AS n FROM person t LIMIT 3",
    "SELECT t.id FROM person t ORDER BY NULL, TRUE, 'x', 1.5, t.id DESC",
]


@pytest.mark.parametrize("text", ONE_ORDER)
def test_answers_are_sorted_alike(two: TwoEngines, text: str) -> None:
    for seed in range(5):
        shop = Shop(seed)
        two.open(shop)
        told = two.ask(shop, text)
        assert told.rows == told.others
        assert not told.refused


REFUSED = [
    "SELECT CAST(1 AS VARCHAR(3)) || CAST(7 / 2 AS VARCHAR)",
    "SELECT 1 WHERE 1 = (2 > 1)",
    "SELECT 1 WHERE 'a' = 1",
    "SELECT 1 WHERE 1",
    "SELECT upper(5)",
    "SELECT left(5, 1)",
    "SELECT left('abc', '1')",
    "SELECT right('abc', TRUE)",
    "SELECT 'a' + 1",
    "SELECT coalesce(1, 'a')",
    "SELECT CASE WHEN TRUE THEN 1 ELSE 'a' END",
    "SELECT 1 UNION SELECT 'a'",
    "SELECT sum('a')",
    "SELECT min(2 > 1)",
    "SELECT 7.5 / 2 % 2",
    "SELECT substring('abc', -1, 2)",
    "SELECT CAST(DATE '2026-11-15' AS INTEGER)",
    "SELECT DATE '2026-11-15' * 2",
    "SELECT round(1.5, 1 + 1)",
    "SELECT round(1.5, 11)",
    "SELECT CAST(1 AS DECIMAL(50, 2))",
    "SELECT DISTINCT t.id FROM person t ORDER BY t.town",
    "SELECT p.id FROM person p WHERE EXISTS (SELECT 1 FROM visit p WHERE age > 1)",
    "SELECT p.id FROM person p WHERE EXISTS (SELECT 1 FROM visit p WHERE p.age > 1)",
]


@pytest.mark.parametrize("text", REFUSED)
@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_what_engines_see_differently_is_refused_otherwise(text: str, engine: str) -> None:
    with pytest.raises(StatementError):
        Shop(0).compiled(text, engine)


def test_a_disagreement_would_be_seen() -> None:
    assert not Told("", None, [(1, "a")], [(1, "b")]).agree
    assert not Told("", None, [(1,)], FAILED).agree
    assert not Told("", None, [(1,), (2.0,)], [(2,), (1.0,)]).agree
    assert Told("", None, [(1,), (2.0,)], [(1.0,), (2,)]).agree
