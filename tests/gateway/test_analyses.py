"""Ordinary analytic questions are answered, the same on both engines, and as DuckDB itself answers them."""

from __future__ import annotations

import random
from typing import Any

import duckdb
import psycopg
import pytest

from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from tests.gateway.questions import NAMES, TABLES, TOWNS, WARDS
from tests.gateway.shops import CHOSEN, NOW
from tests.gateway.temporary import TemporaryDuckDb, TemporaryPostgres
from tests.gateway.two_engines import plain

OPEN = Policy.of(
    {
        "name": "open",
        "purposes": {"General": []},
        "tables": {
            "person": {"key": "id", "allowed": ["General"], "new_columns": "as_table"},
            "visit": {"key": "visit", "allowed": ["General"], "new_columns": "as_table"},
        },
        "roles": {"analyst": {}},
        "permissions": [{"role": "analyst", "table": name, "purpose": "General"} for name in ("person", "visit")],
    }
)
ADA = Person("ada", frozenset({"analyst"}))
KINDS = {"int": "INT", "text": "VARCHAR"}

QUESTIONS = """
SELECT town, count(*) AS people, avg(income) AS mean FROM person GROUP BY town ORDER BY people DESC, town

SELECT p.town, sum(v.cost) AS total FROM person p JOIN visit v ON v.person = p.id GROUP BY p.town ORDER BY total

SELECT p.name, count(v.visit) AS visits FROM person p LEFT JOIN visit v ON v.person = p.id
GROUP BY p.id, p.name HAVING count(v.visit) = 0 ORDER BY p.name

WITH totals AS (SELECT person, sum(cost) AS total FROM visit GROUP BY person)
SELECT p.name, t.total FROM person p JOIN totals t ON t.person = p.id WHERE t.total > 20 ORDER BY t.total DESC, p.id

WITH rich AS (SELECT * FROM person WHERE income > 15), old AS (SELECT * FROM rich WHERE age > 15)
SELECT count(*) AS n FROM old

SELECT id, income, rank() OVER (ORDER BY income DESC) AS place FROM person WHERE income IS NOT NULL ORDER BY place, id

SELECT id, row_number() OVER (PARTITION BY town ORDER BY age, id) AS n FROM person ORDER BY town, n

SELECT visit, cost, sum(cost) OVER (ORDER BY visit ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS moving
FROM visit ORDER BY visit

SELECT visit, cost - lag(cost) OVER (PARTITION BY person ORDER BY visit) AS change FROM visit ORDER BY visit

SELECT id, income / sum(income) OVER () AS share FROM person WHERE income > 0 ORDER BY id

SELECT income, ntile(4) OVER (ORDER BY income, id) AS quarter FROM person WHERE income IS NOT NULL ORDER BY 2, 1

SELECT extract(month FROM DATE '2026-01-28' + id) AS month, count(*) AS n FROM person GROUP BY 1 ORDER BY month

SELECT date_trunc('month', DATE '2026-01-28' + id) AS month, max(income) AS most FROM person GROUP BY 1 ORDER BY 1

SELECT id FROM person WHERE DATE '2026-01-28' + id BETWEEN '2026-02-01' AND '2026-02-05' ORDER BY id

SELECT id, DATE '2026-01-28' + id - DATE '2026-01-01' AS days FROM person ORDER BY id LIMIT 5

SELECT name FROM person UNION SELECT town FROM person ORDER BY 1

SELECT town FROM person EXCEPT SELECT 'Rome' ORDER BY town

SELECT id FROM person INTERSECT SELECT person FROM visit ORDER BY id

SELECT name FROM person WHERE id IN (SELECT person FROM visit WHERE cost > 20) ORDER BY id

SELECT name FROM person p WHERE NOT EXISTS (SELECT 1 FROM visit v WHERE v.person = p.id) ORDER BY p.id

SELECT id FROM person WHERE income > (SELECT avg(income) FROM person) ORDER BY id

SELECT p.id, (SELECT max(v.cost) FROM visit v WHERE v.person = p.id) AS dearest FROM person p ORDER BY p.id

SELECT CASE WHEN age < 18 THEN 'young' WHEN age < 30 THEN 'middle' ELSE 'old' END AS band, count(*) AS n
FROM person GROUP BY 1 ORDER BY 1

SELECT count(*) FILTER (WHERE income > 20) AS rich, count(*) FILTER (WHERE income <= 20) AS poor FROM person

SELECT town, count(DISTINCT name) AS names FROM person GROUP BY town ORDER BY town

SELECT upper(substring(name, 1, 1)) AS letter, count(*) AS n FROM person GROUP BY 1 ORDER BY n DESC, letter

SELECT DISTINCT town, ward FROM person p JOIN visit v ON v.person = p.id ORDER BY town, ward

SELECT a.id, b.id AS other FROM person a JOIN person b ON a.town = b.town AND a.id < b.id ORDER BY 1, 2 LIMIT 10

SELECT coalesce(name, 'nobody') AS name, round(CAST(income AS DECIMAL(10, 2)) * 1.25, 1) AS more
FROM person ORDER BY id LIMIT 9 OFFSET 2

SELECT stddev(income) AS spread, min(age) AS youngest, max(age) AS oldest FROM person WHERE town LIKE 'R%'

SELECT q.town, q.mean FROM (SELECT town, avg(income) AS mean FROM person GROUP BY town) q
WHERE q.mean > 10 ORDER BY q.mean DESC, q.town

SELECT town, sum(income) AS s, rank() OVER (ORDER BY sum(income) DESC) AS place
FROM person GROUP BY town ORDER BY 3, 1
""".strip().split("\n\n")


def shop(seed: int) -> dict[str, list[dict[str, Any]]]:
    chance = random.Random(seed)
    numbers, texts = [0, 3, 5, 12, 17, 20, 25, 29, 30, 100, None], {"name": NAMES, "town": TOWNS, "ward": WARDS}

    def row(table: str, place: int) -> dict[str, Any]:
        made = {name: chance.choice(texts.get(name, numbers)) for name in TABLES[table]}
        made |= {"id": place} if table == "person" else {"visit": place, "person": chance.randrange(12)}
        return made | {f"{name}.choice": None for name in CHOSEN[table]}

    return {table: [row(table, place) for place in range(size)] for table, size in (("person", 15), ("visit", 30))}


def by_itself(rows: dict[str, list[dict[str, Any]]], text: str) -> list[tuple[Any, ...]]:
    """What DuckDB answers to the text as it was written."""
    con = duckdb.connect()
    for table, columns in TABLES.items():
        con.execute(f"CREATE TABLE {table} ({', '.join(f'{name} {KINDS[kind]}' for name, kind in columns.items())})")
        places = ", ".join("?" for _ in columns)
        con.executemany(
            f"INSERT INTO {table} VALUES ({places})", [[one[name] for name in columns] for one in rows[table]]
        )
    return con.execute(text).fetchall()


@pytest.mark.parametrize("text", QUESTIONS)
def test_an_ordinary_question(text: str, shared_postgres: str) -> None:
    rows, found = shop(5), []
    with psycopg.connect(shared_postgres, autocommit=True) as connection:
        for source in (TemporaryDuckDb(duckdb.connect(), rows), TemporaryPostgres(connection, rows)):
            answer = Gateway(OPEN, source, clock=lambda: NOW).query(text, person=ADA)
            assert not answer.uncertain
            found.append(plain(answer.rows()))
    assert found[0] == found[1] == plain(by_itself(rows, text))
    assert found[0]


def test_there_are_enough_of_them() -> None:
    assert len(set(QUESTIONS)) >= 30
