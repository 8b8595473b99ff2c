"""What is answered is true whatever the hidden truth is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import duckdb
import pytest

from sfumato.errors import StatementError
from sfumato.gateway.sql.outputs import Output
from tests.examples import seeds
from tests.gateway.questions import TABLES, Questions
from tests.gateway.shops import Shop, load
from tests.oracles.certain_answers import covers

WORLDS, ASKED = 8, 12


@seeds(24)
def test_every_answered_row_holds_in_every_world(seed: int) -> None:
    shop, chance = Shop(seed), random.Random(seed)
    con = duckdb.connect()
    shop.masked(con)
    worlds = [shop.world(chance) for _ in range(WORLDS)]
    for number, world in enumerate(worlds):
        for table in TABLES:
            load(con, f"w{number}.{table}", world[table])
    questions = Questions(seed)
    answered = 0
    for _ in range(ASKED):
        text = questions.next()
        try:
            made = shop.compiled(text)
        except StatementError:
            continue
        con.execute("USE memory.main")
        answer = con.execute(made.sql).fetchall()
        answered += 1
        for number in range(WORLDS):
            con.execute(f"USE memory.w{number}")
            true = con.execute(text).fetchall()
            for flat in answer:
                assert any(covers(made.outputs, flat, row) for row in true), text
    assert answered, "every question was refused"


COMPUTED = [
    "SELECT id, income > 5 AS x FROM person",
    "SELECT id, CASE WHEN income > 5 THEN 'a' WHEN age < 20 THEN 'b' ELSE 'c' END AS x FROM person",
    "SELECT id FROM person WHERE CASE WHEN income > 5 THEN 'a' WHEN age < 20 THEN 'b' ELSE 'c' END = 'a'",
    "SELECT id FROM person WHERE (income > 5) = (age > 5)",
    "SELECT id FROM person WHERE (income > 5) IN (age > 5, town = 'Rome')",
    "SELECT id FROM person WHERE CASE income WHEN 5 THEN age ELSE income END > 10",
    "SELECT id FROM person WHERE CASE WHEN id < 1 THEN town ELSE CASE WHEN age > 5 THEN 'Rome' END END = 'Rome'",
    "SELECT id FROM person WHERE (income > 5) IS NOT NULL",
    "SELECT person, count(*) AS n FROM visit WHERE cost > 5 GROUP BY person HAVING count(*) > 1",
    "SELECT person FROM visit GROUP BY person HAVING count(cost) >= 1",
    "SELECT person FROM visit GROUP BY person HAVING count(DISTINCT ward) > 0",
    "SELECT person FROM visit GROUP BY person HAVING count(*) FILTER (WHERE cost > 5) >= 1",
    "SELECT person FROM visit GROUP BY person HAVING max(cost) > 10",
    "SELECT person FROM visit GROUP BY person HAVING 30 > min(cost)",
    "SELECT person FROM visit GROUP BY person HAVING max(ward) > 'A'",
    "SELECT person FROM visit GROUP BY person HAVING max(cost) IS NOT NULL",
    "SELECT person, bool_or(cost > 5) AS x, bool_and(cost > 5) AS y FROM visit GROUP BY person",
    "SELECT bool_or(cost > 5) AS x, bool_and(visit >= 0) AS y FROM visit WHERE ward = 'A'",
    "SELECT person FROM visit GROUP BY person HAVING bool_or(cost <= 20)",
    "SELECT id FROM person WHERE income < (SELECT max(cost) FROM visit)",
    "SELECT id FROM person p WHERE (SELECT count(*) FROM visit v WHERE v.person = p.id AND v.cost > 5) >= 1",
    "SELECT d.n FROM (SELECT count(*) AS n FROM visit WHERE cost > 5) d WHERE d.n > 0",
    "SELECT id FROM person WHERE EXISTS (SELECT 1 FROM visit WHERE cost > 5 LIMIT 1)",
    "SELECT d.town FROM (SELECT DISTINCT town FROM person) d WHERE d.town = 'Rome'",
    "SELECT town, max(id) AS m FROM person GROUP BY town",
    "SELECT id, coalesce(exact(income), 0) AS x, rank() OVER (ORDER BY exact(age)) AS r FROM person WHERE age > 5",
]
"""Questions with conditions on what is computed of weaker and hidden values; all of them are answered."""


@pytest.mark.parametrize("row_policy", ["mask_cell", "drop_row"])
@pytest.mark.parametrize("text", COMPUTED)
def test_what_is_not_in_doubt_holds_in_every_world(text: str, row_policy: str) -> None:
    answered = 0
    for seed in range(12):
        shop, chance, con = Shop(seed, row_policy, most=6), random.Random(seed), duckdb.connect(config={"threads": 1})
        shop.masked(con)
        made = shop.compiled(text)
        answer = con.execute(made.sql).fetchall()
        answered += len(answer)
        for number in range(WORLDS):
            for table, rows in shop.world(chance).items():
                load(con, f"w{number}.{table}", rows)
            con.execute(f"CREATE MACRO w{number}.exact(x) AS x")
            con.execute(f"USE memory.w{number}")
            true = con.execute(text).fetchall()
            for flat in answer:
                assert any(covers(*certain_part(made.outputs, flat, row)) for row in true), (text, flat, true)
        con.close()
    assert answered, "no row was certain"


def certain_part(
    outputs: Sequence[Output], flat: Sequence[Any], row: Sequence[Any]
) -> tuple[list[Output], list[Any], list[Any]]:
    """Of a row of the answer, and of one of the truth, the columns that are not in doubt."""
    places = iter(flat)
    parts = [[next(places) for _ in output.names] for output in outputs]
    kept = [place for place, output in enumerate(outputs) if not output.value.uncertain]
    return [outputs[at] for at in kept], [one for at in kept for one in parts[at]], [row[at] for at in kept]
