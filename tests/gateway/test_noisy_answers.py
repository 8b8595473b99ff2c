from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.errors import BudgetError, DataError, DeniedError, StatementError
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.noisy_answers import NoisyAnswers
from sfumato.gateway.people import Person
from sfumato.gateway.policy import Policy
from tests.gateway.test_statistical_access import ADA, students

PERMISSION = {"role": "analyst", "table": "student", "purpose": "Research", "only_aggregates": True, "epsilon": 1.0}


def policy(**change) -> Policy:
    return Policy.of({
        "name": "students", "purposes": {"Research": []},
        "tables": {"student": {
            "key": "id", "allowed": ["Research"], "new_columns": "as_table",
            "columns": {"score": {"bounds": [0.0, 100.0]}},
        }},
        "roles": {"analyst": {}},
        "permissions": [{**PERMISSION, **change}],
    })  # fmt: skip


@pytest.fixture
def gateway(tmp_path: Path):
    made = Gateway(policy(), students(), noise=NoisyAnswers(tmp_path / "epsilon.jsonl"))
    yield made
    made.close()


def test_noise_is_new_every_time_and_of_the_right_size(tmp_path: Path) -> None:
    given = policy(epsilon=1000.0, epsilon_a_question=1.0)
    gate = Gateway(given, students(), noise=NoisyAnswers(tmp_path / "epsilon.jsonl"))
    try:
        found = [gate.query("SELECT sum(score) AS s FROM student", person=ADA) for _ in range(400)]
    finally:
        gate.close()
    values = [answer.rows()[0][0] for answer in found]
    assert len(set(values)) > 100
    assert abs(sum(values) / len(values) - 376) < 40  # eight standard errors of Laplace noise of scale 100
    inside = sum(abs(value - 376) <= found[0].margins["s"] for value in values)
    assert 355 < inside < 398  # 380 of 400 expected, with a standard deviation of 4.4


def test_the_allowance_is_spent_question_by_question(gateway) -> None:
    for _ in range(10):
        gateway.query("SELECT count(*) AS n FROM student", person=ADA)
    with pytest.raises(BudgetError, match=r"asks for 0\.1 epsilon but 0\.0 of 1\.0 is left"):
        gateway.query("SELECT count(*) AS n FROM student", person=ADA)
    bob = Person("bob", frozenset({"analyst"}), {})
    assert gateway.query("SELECT count(*) AS n FROM student", person=bob).margins["n"] == pytest.approx(
        29.957, abs=0.001
    )


def test_a_restart_forgets_nothing(tmp_path: Path) -> None:
    for _ in range(2):
        gate = Gateway(policy(epsilon=0.15), students(), noise=NoisyAnswers(tmp_path / "epsilon.jsonl"))
        try:
            answered = gate.query("SELECT count(*) AS n FROM student", person=ADA)
        except BudgetError:
            answered = None
        finally:
            gate.close()
    assert answered is None
    (tmp_path / "epsilon.jsonl").write_text("{}\n")
    with pytest.raises(DataError, match="line 1"):
        NoisyAnswers(tmp_path / "epsilon.jsonl")


def test_values_beyond_their_bounds_count_as_the_bound(tmp_path: Path) -> None:
    """With noise of scale 100 / 1e6 a sum is exact after rounding; a score of a million counts as 100."""
    gate = Gateway(
        policy(epsilon=1e9, epsilon_a_question=1e6), students(), noise=NoisyAnswers(tmp_path / "epsilon.jsonl")
    )
    gate.source.raw.execute("UPDATE student SET score = 1000000 WHERE id = 4")
    gate.source.raw.execute("INSERT INTO student VALUES (9, 'X', 'X', NULL)")
    try:
        found = gate.query(
            "SELECT sum(score) AS s, count(*) AS n, count(score) AS c, avg(score) AS a FROM student", person=ADA
        )
    finally:
        gate.close()
    assert found.rows() == [(380, 5, 4, 95.0)]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT department, count(*) AS n FROM student GROUP BY department",
        "SELECT count(*) + 1 AS n, sum(score) FROM student WHERE max(score) > 1",
        "SELECT sum(id) AS s FROM student",
        "SELECT score FROM student",
        "SELECT count(*) AS n FROM student HAVING count(*) > 1",
        "SELECT sum(score) / count(*) AS a FROM student",
        "SELECT min(score) AS m FROM student",
    ],
)
def test_what_noise_is_not_offered_for_is_refused_and_free(gateway, text: str) -> None:
    with pytest.raises(StatementError):
        gateway.query(text, person=ADA)
    for _ in range(10):
        gateway.query("SELECT count(*) AS n FROM student", person=ADA)


def test_nobody_who_keeps_the_account_no_answer() -> None:
    with pytest.raises(DeniedError, match="nobody keeps the account"):
        Gateway(policy(), students()).query("SELECT count(*) AS n FROM student", person=ADA)
