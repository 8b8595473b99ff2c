"""Students' scores, of which somebody may ask aggregates alone (Fung et al. 2010, tables 17.1 and 17.2)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import duckdb
import psycopg
import pytest

from sfumato.errors import DeniedError, StatementError
from sfumato.gateway.engines.postgres_source import PostgresSource, deployment_of, owner_types
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people import Person
from sfumato.gateway.policy import Policy
from sfumato.gateway.statistical_access import StatisticalAccess
from tests.gateway.memory import MemorySource

ADA = Person("ada", frozenset({"analyst"}), {})
BEFORE = [
    (1, "Concordia", "CS", 92),
    (2, "Simon Fraser", "EE", 91),
    (3, "Concordia", "CS", 97),
    (4, "Illinois", "CS", 96),
]
NEWCOMER = (5, "Illinois", "CS", 99)
KINDS = {"id": "INTEGER", "university": "VARCHAR", "department": "VARCHAR", "score": "INTEGER"}


def policy(**auditing) -> Policy:
    return Policy.of({
        "name": "students", "purposes": {"Research": []},
        "tables": {"student": {"key": "id", "allowed": ["Research"], "new_columns": "as_table"}},
        "roles": {"analyst": {}},
        "permissions": [{"role": "analyst", "table": "student", "purpose": "Research", "only_aggregates": True}],
        "auditing": auditing,
    })  # fmt: skip


def students() -> MemorySource:
    raw = duckdb.connect()
    raw.execute("CREATE TABLE student (id INT, university VARCHAR, department VARCHAR, score INT)")
    raw.executemany("INSERT INTO student VALUES (?, ?, ?, ?)", [list(row) for row in BEFORE])
    return MemorySource(raw, {"student": KINDS})


@pytest.fixture
def gateway(tmp_path: Path):
    made = Gateway(
        policy(least=1), students(), statistics=StatisticalAccess(policy(least=1).sections.auditing, tmp_path)
    )
    yield made
    made.close()


ILLINOIS = "SELECT sum(score) AS s FROM student WHERE university = 'Illinois'"


def test_a_single_student_is_never_told(gateway) -> None:
    with pytest.raises(DeniedError, match="SumAuditor"):
        gateway.query(ILLINOIS, person=ADA)
    assert gateway.query("SELECT count(*) AS n FROM student WHERE department = 'CS'", person=ADA).rows() == [(3,)]


def test_neither_is_one_who_comes_later(gateway) -> None:
    """Sums before and after: 96 and 195 would tell 99."""
    gateway.query("SELECT sum(score) AS s FROM student WHERE department = 'CS'", person=ADA)
    gateway.source.raw.execute("INSERT INTO student VALUES (?, ?, ?, ?)", list(NEWCOMER))
    assert gateway.query(ILLINOIS, person=ADA).rows() == [(195,)]
    with pytest.raises(DeniedError, match="SumAuditor"):
        gateway.query("SELECT sum(score) AS s FROM student WHERE department = 'CS'", person=ADA)


def test_sums_together_tell_nobody(gateway) -> None:
    assert gateway.query("SELECT sum(score) AS s FROM student WHERE id < 4", person=ADA).rows() == [(280,)]
    with pytest.raises(DeniedError, match="a single value would follow"):
        gateway.query("SELECT avg(score) AS a FROM student WHERE id < 3", person=ADA)


def test_a_changed_value_is_another_record(gateway) -> None:
    """Of 1 and 2 before, of both after 1 has changed, and of 2 and 3: three sums of four values tell none."""
    gateway.query("SELECT sum(score) AS s FROM student WHERE id < 3", person=ADA)
    gateway.source.raw.execute("UPDATE student SET score = 50 WHERE id = 1")
    gateway.query("SELECT sum(score) AS s FROM student WHERE id < 3", person=ADA)
    assert gateway.query("SELECT sum(score) AS s FROM student WHERE id IN (2, 3)", person=ADA).rows() == [(188,)]


def test_sets_and_differences_are_as_large_as_asked_for(tmp_path: Path) -> None:
    given = policy(least=2)
    gate = Gateway(given, students(), statistics=StatisticalAccess(given.sections.auditing, tmp_path))
    try:
        with pytest.raises(DeniedError, match="fewer than 2 records"):
            gate.query("SELECT count(*) AS n FROM student WHERE university = 'Illinois'", person=ADA)
        with pytest.raises(DeniedError, match="fewer than 2 records"):
            gate.query("SELECT university, count(*) AS n FROM student GROUP BY university", person=ADA)
        assert gate.query("SELECT count(*) AS n FROM student WHERE id < 3", person=ADA).rows() == [(2,)]
    finally:
        gate.close()


def test_a_restart_forgets_nothing(tmp_path: Path) -> None:
    given = policy(least=1)
    for text, allowed in (("id < 4", True), ("id < 3", False), ("id < 4", True)):
        gate = Gateway(given, students(), statistics=StatisticalAccess(given.sections.auditing, tmp_path))
        try:
            if allowed:
                gate.query(f"SELECT sum(score) AS s FROM student WHERE {text}", person=ADA)
            else:
                with pytest.raises(DeniedError):
                    gate.query(f"SELECT sum(score) AS s FROM student WHERE {text}", person=ADA)
        finally:
            gate.close()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT score FROM student",
        "SELECT * FROM student",
        "SELECT max(score) AS m FROM student",
        "SELECT sum(score * 2) AS s FROM student",
        "SELECT sum(score) AS s, id FROM student",
        "SELECT count(DISTINCT score) AS n FROM student",
        "SELECT sum(score) FILTER (WHERE id = 4) AS s FROM student",
        "SELECT sum(a.score) AS s FROM student a JOIN student b ON a.id = b.id",
        "SELECT sum(s) AS s FROM (SELECT score AS s FROM student WHERE id = 4) x",
        "WITH w AS (SELECT score FROM student) SELECT sum(score) AS s FROM w",
        "SELECT sum(score) OVER () AS s FROM student",
        "SELECT sum(score) AS s FROM student UNION SELECT 1",
        "SELECT (SELECT score FROM student WHERE id = 4) AS s, count(*) AS n FROM student",
        "SELECT sum(score) AS s FROM student HAVING max(score) > 5",
    ],
)
def test_nothing_else_may_be_asked_for(gateway, text: str) -> None:
    with pytest.raises((StatementError, DeniedError)):
        gateway.query(text, person=ADA)


def test_groups_and_parameters(gateway) -> None:
    text = "SELECT department, count(*) AS n FROM student WHERE score > ? GROUP BY department HAVING count(*) > 1"
    assert gateway.query(text, person=ADA, parameters=[50]).rows() == [("CS", 3)]
    with pytest.raises(StatementError, match="parameters in WHERE"):
        gateway.query("SELECT sum(score) AS s FROM student HAVING count(*) > ?", person=ADA, parameters=[1])


def test_nobody_who_watches_no_answer() -> None:
    gate = Gateway(policy(), students())
    with pytest.raises(DeniedError, match="nobody watches"):
        gate.query("SELECT count(*) AS n FROM student", person=ADA)


def test_postgres_counts_the_same_records(postgres: str, tmp_path: Path) -> None:
    given = policy(least=1)
    with psycopg.connect(postgres) as connection:
        connection.execute(
            "CREATE TABLE student (id integer PRIMARY KEY, university text, department text, score integer)"
        )
        for row in BEFORE:
            connection.execute("INSERT INTO student VALUES (%s, %s, %s, %s)", row)
    types = {"student": owner_types(postgres, "student")}
    deployment_of(given, types, day=datetime.now(UTC).date(), home="stat").deploy(postgres)
    source = PostgresSource(given, postgres, owner=postgres, home="stat")
    gate = Gateway(given, source, statistics=StatisticalAccess(given.sections.auditing, tmp_path))
    try:
        assert gate.query("SELECT sum(score) AS s FROM student WHERE id < ?", person=ADA, parameters=[4]).rows() == [
            (280,)
        ]
        with pytest.raises(DeniedError, match="a single value would follow"):
            gate.query("SELECT avg(score) AS a FROM student WHERE id < 3", person=ADA)
    finally:
        gate.close()
