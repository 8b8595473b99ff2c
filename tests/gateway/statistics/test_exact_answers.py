"""Students' scores, of which somebody may ask aggregates alone (Fung et al. 2010, tables 17.1 and 17.2)."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import psycopg
import pytest

from sfumato.errors import DataError, DeniedError, LimitError, LockedError, PolicyError, SfumatoError, StatementError
from sfumato.gateway.engines.postgres.deployment.policy_deployment import deployment_of
from sfumato.gateway.engines.postgres.source import PostgresSource, owner_types
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.statistics.ledger import Heads
from tests.gateway.memory import MemorySource, fill, memory_database

ADA = Person("ada", frozenset({"analyst"}), {})
BEFORE = [
    (1, "Concordia", "CS", 92),
    (2, "Simon Fraser", "EE", 91),
    (3, "Concordia", "CS", 97),
    (4, "Illinois", "CS", 96),
]
NEWCOMER = (5, "Illinois", "CS", 99)
KINDS = {"id": "INTEGER", "university": "VARCHAR", "department": "VARCHAR", "score": "INTEGER"}
OPEN = {"id": {"selects": True}, "university": {"selects": True}, "department": {"selects": True}}
REFUSED = "could tell about too few people"


def policy(columns: dict | None = None, permission: dict | None = None, **auditing) -> Policy:
    columns = {**OPEN, "score": {}, **(columns or {})}
    given = {"role": "analyst", "table": "student", "purpose": "Research", "only_aggregates": True}
    return Policy.of({
        "name": "students", "purposes": {"Research": ["Teaching", "Planning"]},
        "tables": {"student": {"key": "id", "allowed": ["Research"], "columns": columns}},
        "roles": {"analyst": {}},
        "permissions": [{**given, **(permission or {})}],
        "auditing": auditing,
    })  # fmt: skip


def students(rows=BEFORE, constraint: str = "NOT NULL") -> MemorySource:
    """Everybody's number is the key of the table; where somebody has several rows, they have numbers of their own."""
    raw, kinds = memory_database(), dict(KINDS)
    raw.execute(
        f"CREATE TABLE student (id INT NOT NULL, university VARCHAR, department VARCHAR, score INT {constraint})"
    )
    fill(raw, "student", rows)
    if len({row[0] for row in rows}) == len(rows):
        raw.execute("ALTER TABLE student ADD PRIMARY KEY (id)")
    else:
        raw.execute("ALTER TABLE student ADD COLUMN visit INT")
        raw.execute("UPDATE student SET visit = rowid")
        raw.execute("ALTER TABLE student ADD PRIMARY KEY (visit)")
        kinds["visit"] = "INTEGER"
    return MemorySource(raw, {"student": kinds})


def gate(given: Policy, source: MemorySource, day: date = date(2026, 11, 16)) -> Gateway:
    return Gateway(given, source, clock=lambda: datetime.combine(day, time(10), UTC))


@pytest.fixture
def gateway():
    made = gate(policy(least=1), students())
    yield made
    made.close()


ILLINOIS = "SELECT sum(score) AS s FROM student WHERE university = 'Illinois'"


def test_a_single_student_is_never_told(gateway) -> None:
    with pytest.raises(DeniedError, match=REFUSED):
        gateway.query(ILLINOIS, person=ADA)
    assert gateway.query("SELECT count(*) AS n FROM student WHERE department = 'CS'", person=ADA).rows() == [(3,)]


def test_neither_is_one_who_comes_later(gateway) -> None:
    """Sums before and after: 96 and 195 would tell 99."""
    gateway.query("SELECT sum(score) AS s FROM student WHERE department = 'CS'", person=ADA)
    gateway.source.raw.execute("INSERT INTO student VALUES (?, ?, ?, ?)", list(NEWCOMER))
    assert gateway.query(ILLINOIS, person=ADA).rows() == [(195,)]
    with pytest.raises(DeniedError, match=REFUSED):
        gateway.query("SELECT sum(score) AS s FROM student WHERE department = 'CS'", person=ADA)


def test_sums_together_tell_nobody(gateway) -> None:
    assert gateway.query("SELECT sum(score) AS s FROM student WHERE id < 4", person=ADA).rows() == [(280,)]
    with pytest.raises(DeniedError, match=REFUSED):
        gateway.query("SELECT avg(score) AS a FROM student WHERE id < 3", person=ADA)


def test_a_changed_value_is_not_told_by_asking_again() -> None:
    """Neither by the answer, which is the earlier one, nor by a refusal; after so many days the answer is a new one."""
    given, source = policy(least=2, keeps_answers=30), students()
    text = "SELECT sum(score) AS s FROM student WHERE id < 3"
    first = gate(given, source)
    once, twice = first.query(text, person=ADA), first.query(text, person=ADA)
    assert [(one.rows(), one.repeated) for one in (once, twice)] == [([(183,)], False), ([(183,)], True)]
    source.raw.execute("UPDATE student SET score = 50 WHERE id = 1")
    again = first.query(text, person=ADA)
    assert (again.rows(), again.repeated) == ([(183,)], True)
    assert first.query("SELECT sum(score) AS s FROM student WHERE id IN (3, 4)", person=ADA).rows() == [(193,)]
    later = gate(given, source, date(2026, 12, 15)).query(text, person=ADA)
    assert (later.rows(), later.repeated) == ([(183,)], True)
    latest = gate(given, source, date(2026, 12, 16)).query(text, person=ADA)
    assert (latest.rows(), latest.repeated) == ([(141,)], False)


def test_a_changed_value_is_not_told_by_asking_for_another_purpose() -> None:
    source = students()
    gateway = gate(policy(least=2, keeps_answers=30), source)
    text = "SELECT sum(score) AS s FROM student WHERE id < 3"
    assert gateway.query(text, person=ADA, purpose="Research").rows() == [(183,)]
    source.raw.execute("UPDATE student SET score = 50 WHERE id = 1")
    again = gateway.query(text, person=ADA, purpose="Teaching")
    assert (again.rows(), again.repeated) == ([(183,)], True)


def test_a_weaker_form_is_not_answered_with_what_another_purpose_shows() -> None:
    """Nor is it answered of the same people at all: the difference would tell more than each of the two."""
    weaker = [{"transform": "bucket", "width": 50}]
    columns = {"score": {"missing": "open", "conditional": ["Teaching"], "conditions": weaker}}
    given, text = policy(columns, least=1, keeps_answers=30), "SELECT sum(score) AS s FROM student WHERE id < 4"
    for first, second, answer in (("Planning", "Teaching", (280,)), ("Teaching", "Planning", ("150-297",))):
        gateway = gate(given, students())
        assert gateway.query(text, person=ADA, purpose=first).rows() == [answer]
        assert gateway.query(text, person=ADA, purpose=first).repeated
        with pytest.raises(DeniedError, match=REFUSED):
            gateway.query(text, person=ADA, purpose=second)


def test_sets_and_differences_are_as_large_as_asked_for() -> None:
    made = gate(policy(least=2), students([*BEFORE, NEWCOMER]))
    with pytest.raises(DeniedError, match=REFUSED):
        made.query("SELECT count(*) AS n FROM student WHERE university = 'Simon Fraser'", person=ADA)
    with pytest.raises(DeniedError, match=REFUSED):
        made.query("SELECT university, count(*) AS n FROM student GROUP BY university", person=ADA)
    with pytest.raises(DeniedError, match=REFUSED):
        made.query("SELECT count(*) AS n FROM student WHERE id < 5", person=ADA)
    assert made.query("SELECT count(*) AS n FROM student WHERE id < 3", person=ADA).rows() == [(2,)]
    with pytest.raises(DeniedError, match=REFUSED):
        made.query("SELECT count(*) AS n FROM student WHERE id < 4", person=ADA)
    assert made.query("SELECT count(*) AS n FROM student", person=ADA).rows() == [(5,)]


def test_least_counts_people_and_not_rows() -> None:
    visits = [(1, "A", "x", cost) for cost in range(12)] + [(person, "A", "x", 5) for person in range(2, 8)]
    made = gate(policy({"visit": {}}, least=5), students(visits))
    with pytest.raises(DeniedError, match=REFUSED):
        made.query("SELECT sum(score) AS s FROM student WHERE id = 1", person=ADA)
    with pytest.raises(DeniedError, match=REFUSED):
        made.query("SELECT sum(score) AS s FROM student WHERE id < 5", person=ADA)
    assert made.query("SELECT sum(score) AS s, count(*) AS n FROM student", person=ADA).rows() == [(96, 18)]


def test_a_person_with_several_rows_is_not_told_by_parts() -> None:
    """January of everybody, then January of all but the last and February of the last: no row, but one person."""
    visits = [(person, "Jan", "x", 10 * person) for person in range(1, 6)] + [(5, "Feb", "x", 77)]
    made = gate(policy({"visit": {}}, least=1), students(visits))
    january = "SELECT sum(score) AS s FROM student WHERE university = 'Jan'"
    assert made.query(january, person=ADA).rows() == [(150,)]
    with pytest.raises(DeniedError, match=REFUSED):
        made.query(january + " AND id < 5 OR university = 'Feb'", person=ADA)


CLOSED = [
    "SELECT sum(score) AS s FROM student WHERE score > 90",
    "SELECT count(*) AS n FROM student WHERE id IN (1, 2, 3) OR (id = 4 AND score > 95)",
    "SELECT score, count(*) AS n FROM student GROUP BY score",
    "SELECT count(*) AS n FROM student WHERE CASE WHEN score > 90 THEN CAST(university AS INTEGER) ELSE score END > 1",
    "SELECT score > 95 AS high, count(*) AS n FROM student GROUP BY score > 95",
]


@pytest.mark.parametrize("text", CLOSED)
def test_conditions_and_groups_are_over_columns_open_to_selection(gateway, text: str) -> None:
    with pytest.raises(StatementError, match="open to selection; 'score' is not"):
        gateway.query(text, person=ADA)


OTHERS = [
    ("SELECT score FROM student", "only aggregates may be asked for"),
    ("SELECT * FROM student", "only aggregates may be asked for"),
    ("SELECT sum(score * 2) AS s FROM student", "a column here"),
    ("SELECT sum(CASE WHEN id = 4 THEN score END) AS s FROM student", "a column here"),
    ("SELECT sum(score) AS s, id FROM student", "must be in GROUP BY"),
    ("SELECT sum(score) AS s, max(id) + id AS x FROM student", "must be in GROUP BY"),
    ("SELECT count(DISTINCT score) AS n FROM student", "no windows, FILTER, DISTINCT"),
    ("SELECT sum(score) FILTER (WHERE id = 2) AS s FROM student", "no windows, FILTER, DISTINCT"),
    ("SELECT sum(score) FILTER (WHERE id IN (1, 2, 3)) AS s FROM student", "no windows, FILTER, DISTINCT"),
    ("SELECT DISTINCT sum(score) AS s FROM student", "about one table, without joins or WITH"),
    ("SELECT sum(a.score) AS s FROM student a JOIN student b ON a.id = b.id", "without joins or WITH"),
    ("SELECT sum(a.score) AS s FROM student a, student b", "without joins or WITH"),
    ("SELECT sum(s) AS s FROM (SELECT score AS s FROM student WHERE id = 4) x", "is about one table"),
    ("WITH w AS (SELECT score FROM student) SELECT sum(score) AS s FROM w", "without joins or WITH"),
    ("SELECT sum(score) OVER () AS s FROM student", "no windows"),
    ("SELECT sum(score) AS s FROM student UNION SELECT 1", "without joins or WITH"),
    ("SELECT (SELECT score FROM student WHERE id = 4) AS s, count(*) AS n FROM student", "DISTINCT or subqueries"),
    ("SELECT count(*) AS n FROM student WHERE id IN (SELECT id FROM student)", "DISTINCT or subqueries"),
    ("SELECT count(*) AS n FROM student WHERE EXISTS (SELECT 1 FROM student)", "DISTINCT or subqueries"),
    ("SELECT stddev(score) AS s FROM student", "count, sum, avg, min and max"),
    ("SELECT median(score) AS m FROM student", "with noise only"),
    ("SELECT count(*) AS n FROM student GROUP BY ROLLUP (department)", "does not understand Rollup"),
    ("SELECT count(*) AS n FROM student GROUP BY department WITH ROLLUP", "no ROLLUP, CUBE or GROUPING SETS"),
    ("SELECT department, count(*) AS n FROM student GROUP BY ALL", "no ROLLUP, CUBE or GROUPING SETS"),
    ("SELECT max(university) AS m FROM student", "a text could name somebody"),
    ("SELECT sum(score) AS s, max(score) AS m FROM student", "is answered about the same people"),
    ("SELECT min(score) AS s, max(score) AS m FROM student", "is answered about the same people"),
    ("SELECT count(*) AS n FROM student WHERE sum(score) > 5", "not in WHERE and GROUP BY"),
    ("SELECT count(*) AS n FROM student GROUP BY department HAVING score > 5", "must be in GROUP BY"),
]


@pytest.mark.parametrize(("text", "why"), OTHERS)
def test_nothing_else_may_be_asked_for(text: str, why: str) -> None:
    """Of a table of many, so that nothing but the reason that is named can refuse."""
    many = [(place, f"U{place % 3}", "CS", 50 + place) for place in range(60)]
    with pytest.raises(StatementError, match=why):
        gate(policy(least=2), students(many)).query(text, person=ADA)


def test_who_has_a_value_is_a_secret_unless_the_policy_says_otherwise() -> None:
    rows = [*BEFORE, NEWCOMER, (6, "Illinois", "CS", None), (7, "Illinois", "CS", None)]
    secret = gate(policy(least=2), students(rows, ""))
    for function in ("sum", "avg", "count", "min"):
        with pytest.raises(StatementError, match="who has one is a secret"):
            secret.query(f"SELECT {function}(score) AS s FROM student", person=ADA)
    opened = gate(policy({"score": {"missing": "open"}}, least=2), students(rows, ""))
    assert opened.query("SELECT sum(score) AS s, count(score) AS n FROM student", person=ADA).rows() == [(475, 5)]
    with pytest.raises(DeniedError, match=REFUSED):  # of three people one has a value
        opened.query("SELECT sum(score) AS s FROM student WHERE id > 4", person=ADA)


def test_a_column_that_people_can_hide_needs_to_be_open_too() -> None:
    rule = {"name": "r", "table": "student", "columns": ["score"], "where": "id = 4", "prohibited": ["Research"]}
    given = {**policy(least=2).sections.model_dump(exclude_none=True), "rules": [rule]}
    made = gate(Policy.of(given), students([*BEFORE, NEWCOMER]))
    with pytest.raises(StatementError, match="who has one is a secret"):
        made.query("SELECT sum(score) AS s FROM student", person=ADA)


def test_parameters_stand_in_where_only(gateway) -> None:
    with pytest.raises(StatementError, match="parameters are allowed in WHERE"):
        gateway.query("SELECT sum(score) AS s FROM student HAVING count(*) > ?", person=ADA, parameters=[1])
    with pytest.raises(StatementError, match="parameters are allowed in WHERE"):
        gateway.query("SELECT count(*) AS n FROM student GROUP BY id % ?", person=ADA, parameters=[2])


def test_extremes_are_answered_while_several_could_have_them() -> None:
    many = [(place, f"U{place // 20}", "CS", 50 + place) for place in range(60)]
    made = gate(policy(least=5), students(many))
    assert made.query("SELECT max(score) AS m FROM student WHERE id < 20", person=ADA).rows() == [(69,)]
    assert made.query("SELECT max(score) AS m FROM student WHERE id < 20", person=ADA).rows() == [(69,)]
    for measure, where in (
        ("max(score)", "id < 16"),
        ("min(score)", "id < 40"),
        ("sum(score)", "id >= 0"),
        ("max(score)", "id >= 16 AND id < 23"),
    ):
        with pytest.raises(DeniedError, match=REFUSED):
            made.query(f"SELECT {measure} AS m FROM student WHERE {where}", person=ADA)
    assert made.query("SELECT min(score) AS m FROM student WHERE id > 39", person=ADA).rows() == [(90,)]
    assert made.query("SELECT university, sum(id) AS m FROM student GROUP BY university ORDER BY 1", person=ADA).rows()


def hiding(row_policy: str, columns: dict, where: str = "id = 1") -> Policy:
    """Some columns are hidden for some people, and rows are left out by that."""
    given = policy(columns, least=2).sections.model_dump(exclude_none=True)
    given["tables"]["student"]["row_policy"] = row_policy
    given["rules"] = [
        {"name": "r", "table": "student", "columns": list(columns), "where": where, "prohibited": ["Research"]}
    ]
    return Policy.of(given)


def test_rows_that_are_left_out_are_audited_as_left_out() -> None:
    """Whose department is hidden is left out where departments are asked for, and there alone."""
    made = gate(
        hiding("drop_row", {"department": {"selects": True, "missing": "open"}}),
        students([*BEFORE, NEWCOMER, (6, "X", "CS", 60)]),
    )
    text = "SELECT sum(score) AS s, count(*) AS n FROM student WHERE department = 'CS'"
    assert made.query(text, person=ADA).rows() == [(97 + 96 + 99 + 60, 4)]
    with pytest.raises(DeniedError, match=REFUSED):  # all but one, and it is known who
        made.query("SELECT sum(score) AS s FROM student WHERE id <> 2", person=ADA)


def test_rows_that_are_left_out_for_what_is_shown_are_not_measured() -> None:
    given = hiding("drop_if_all_hidden", {"department": {"selects": True, "missing": "open"}})
    made = gate(given, students([*BEFORE, NEWCOMER]))
    with pytest.raises(StatementError, match="leaves out rows of which nothing is shown"):
        made.query("SELECT department, count(*) AS n FROM student GROUP BY department", person=ADA)
    assert made.query("SELECT count(*) AS n FROM student", person=ADA).rows() == [(5,)]


def test_whose_open_values_are_hidden_is_a_secret_too() -> None:
    """The rule looks at scores: otherwise whether a question about five people is refused would tell one of them."""
    for score in (50, 110):
        given = hiding("mask_cell", {"department": {"selects": True}}, "score > 100")
        source = students([*BEFORE, (5, "Illinois", "CS", score)])
        with pytest.raises(StatementError, match=r"over 'department' are not offered .* whose is a secret"):
            gate(given, source).query("SELECT count(*) AS n FROM student WHERE department = 'CS'", person=ADA)


def visits(secret: int, key: str = "visit") -> MemorySource:
    """Three visits each of twenty people; the second one of person 4 is old, of another kind, and cost the secret."""
    raw = memory_database()
    raw.execute("CREATE TABLE visit (visit INT NOT NULL, id INT NOT NULL, kind VARCHAR, day DATE, cost INT NOT NULL)")
    rows = []
    for person in range(1, 21):
        for place in range(3):
            other = person == 4 and place == 1
            kind, day = ("psychiatry", date(2020, 1, 1)) if other else ("other", date(2026, 11, 10))
            rows.append([3 * person + place, person, kind, day, secret if other else 10 * person + place])
    fill(raw, "visit", rows)
    if key:
        raw.execute(f"ALTER TABLE visit ADD PRIMARY KEY ({key})")
    kinds = {"visit": "INTEGER", "id": "INTEGER", "kind": "VARCHAR", "day": "DATE", "cost": "INTEGER"}
    return MemorySource(raw, {"visit": kinds})


def visit_policy(table: dict | None = None, rules: list | None = None, **columns) -> Policy:
    said = {"visit": {}, "id": {"selects": True}, "kind": {}, "day": {"selects": True}, "cost": {"missing": "open"}}
    return Policy.of({
        "name": "visits", "purposes": {"Work": ["Planning", "Marketing"]}, "closes_upward": False,
        "tables": {"visit": {"key": "id", "allowed": ["Work"], "columns": {**said, **columns}, **(table or {})}},
        "rules": rules or [],
        "roles": {"analyst": {}},
        "permissions": [
            {"role": "analyst", "table": "visit", "purpose": purpose, "only_aggregates": True}
            for purpose in ("Planning", "Marketing")
        ],
    })  # fmt: skip


KEPT = {"retention": [{"column": "day", "days": 30, "purpose": "Marketing"}]}
HIDES = [
    {"name": "r", "table": "visit", "columns": ["cost"], "where": "kind = 'psychiatry'", "prohibited": ["Marketing"]}
]
OPEN_KIND = {"kind": {"selects": True, "prohibited": ["Marketing"]}}


@pytest.mark.parametrize(
    ("given", "first", "second"),
    [
        ({"table": KEPT}, "id <= 10", "id <= 10"),
        ({"rules": HIDES}, "id <= 10", "id <= 10"),
        (OPEN_KIND, "id <= 10 AND kind = 'other'", "id <= 10"),
    ],
)
def test_a_row_that_one_purpose_leaves_out_is_not_told_by_two_of_them(given: dict, first: str, second: str) -> None:
    """Not kept, hidden, or not asked for: in both questions the same people are asked about, and one row differs."""
    gateway = gate(visit_policy(**given), visits(777))
    answer = 1639 if "kind" in first else 2416
    found = gateway.query(f"SELECT sum(cost) AS s FROM visit WHERE {first}", person=ADA, purpose="Planning")
    assert found.rows() == [(answer,)]
    for measure in ("avg(cost) AS a, count(cost) AS n", "sum(cost) AS s"):
        with pytest.raises(DeniedError, match=REFUSED):
            gateway.query(f"SELECT {measure} FROM visit WHERE {second}", person=ADA, purpose="Marketing")
    assert gateway.query("SELECT sum(cost) AS s FROM visit WHERE id > 10", person=ADA, purpose="Marketing").rows()


@pytest.mark.parametrize("given", [{"table": KEPT}, {"rules": HIDES}])
def test_what_a_team_was_answered_is_not_given_to_one_of_them_whose_purpose_has_other_rows(given: dict) -> None:
    bob = Person("bob", frozenset({"analyst"}), {}, account="x")
    ada = Person("ada", frozenset({"analyst"}), {}, account="x")
    gateway = gate(visit_policy(**given), visits(777))
    text = "SELECT sum(cost) AS s FROM visit WHERE id <= 10"
    assert gateway.query(text, person=ada, purpose="Planning").rows() == [(2416,)]
    with pytest.raises(DeniedError, match=REFUSED):
        gateway.query(text, person=bob, purpose="Marketing")


def test_rows_are_known_again_when_open_values_change_or_others_come() -> None:
    """The visits of one person get another kind, and everybody has another visit: the old ones are the same rows."""
    source = visits(777)
    gateway = gate(visit_policy(kind={"selects": True}), source)
    assert gateway.query("SELECT sum(cost) AS s FROM visit WHERE id <= 10", person=ADA, purpose="Planning").rows()
    source.raw.execute("UPDATE visit SET kind = 'new' WHERE id = 1")
    source.raw.execute("INSERT INTO visit SELECT visit + 100, id, 'later', day, cost FROM visit WHERE visit % 3 = 0")
    text = "SELECT sum(cost) AS s FROM visit WHERE kind <> 'later' AND (id <= 9 OR id = 10 AND visit > 30)"
    with pytest.raises(StatementError, match="'visit' is not"):
        gateway.query(text, person=ADA, purpose="Planning")
    text = "SELECT sum(cost) AS s FROM visit WHERE kind <> 'later' AND id <= 9"
    with pytest.raises(DeniedError, match=REFUSED):
        gateway.query(text, person=ADA, purpose="Planning")


def test_the_largest_value_of_rows_is_bounded_by_what_another_purpose_was_told() -> None:
    source = visits(99_999)
    gateway = gate(visit_policy(**OPEN_KIND), source)
    found = [
        gateway.query(f"SELECT max(cost) AS m FROM visit WHERE {where}", person=ADA, purpose=purpose).rows()
        for where, purpose in (("id > 0", "Planning"), ("id NOT IN (1, 2, 3, 4, 5, 6, 7)", "Marketing"))
    ]
    assert found == [[(99_999,)], [(202,)]]
    with pytest.raises(DeniedError, match=REFUSED):
        gateway.query("SELECT max(cost) AS m FROM visit WHERE id <> 4", person=ADA, purpose="Planning")


@pytest.mark.parametrize(
    ("given", "key", "why"),
    [
        ({}, "", "nothing identifies a row; give the table a PRIMARY KEY"),
        ({"visit": {"prohibited": ["Marketing"]}}, "visit", "rows are identified by 'visit', which is not shown"),
        ({"table": KEPT, "day": {}}, "visit", "expire by the dates in 'day', which is not open to selection"),
    ],
)
def test_of_rows_that_cannot_be_known_again_nothing_is_measured(given: dict, key: str, why: str) -> None:
    with pytest.raises(StatementError, match=why):
        gate(visit_policy(**given), visits(777, key)).query(
            "SELECT count(*) AS n FROM visit", person=ADA, purpose="Marketing"
        )


def test_several_columns_can_tell_rows_apart() -> None:
    source = visits(777, "id, visit")
    gateway = gate(visit_policy(), source)
    text = "SELECT count(*) AS n, sum(cost) AS s FROM visit"
    assert gateway.query(text, person=ADA, purpose="Planning").rows() == [(60, 10 * 3 * 210 + 20 * 3 - 41 + 777)]


def test_without_a_constraint_everybody_has_one_row_while_all_rows_are_there() -> None:
    """As in a file; one more row of somebody, or rows that are not kept, and nobody knows whose row is which."""
    source = students()
    source.raw.execute("CREATE OR REPLACE TABLE student AS FROM student")
    gateway, text = gate(policy({"score": {"missing": "open"}}, least=1), source), "SELECT sum(score) AS s FROM student"
    assert gateway.query(text, person=ADA).rows() == [(376,)]
    source.raw.execute("INSERT INTO student VALUES (1, 'X', 'CS', 1)")
    with pytest.raises(StatementError, match="nothing identifies a row"):
        gateway.query(text, person=ADA)


def test_stored_values_of_some_and_weaker_ones_of_others_are_not_added_up() -> None:
    """The difference to a sum of stored values would be that of the few; so would the width of the sum's range."""
    rule = {"name": "r", "table": "student", "columns": ["score"], "where": "id = 4", "conditional": ["Research"]}
    columns = {"score": {"missing": "open", "conditions": [{"transform": "bucket", "width": 50}]}}
    given = {**policy(columns, least=1).sections.model_dump(exclude_none=True), "rules": [rule]}
    with pytest.raises(StatementError, match="some people are shown as they are and those of others in a weaker form"):
        gate(Policy.of(given), students([*BEFORE, NEWCOMER])).query("SELECT sum(score) AS s FROM student", person=ADA)


ODD_TYPES = [("JSON", "avg"), ("JSON", "sum"), ("TIME", "count"), ("STRUCT(a INTEGER)", "count"), ("VARCHAR", "sum")]


@pytest.mark.parametrize(("kind", "function"), ODD_TYPES)
def test_what_some_values_could_make_fail_is_not_measured_whatever_the_values(kind: str, function: str) -> None:
    raw = memory_database()
    raw.execute(f"CREATE TABLE student (id INT PRIMARY KEY, university VARCHAR, department VARCHAR, score {kind})")
    given = policy({"score": {"missing": "open"}}, least=1)
    made = gate(given, MemorySource(raw, {"student": {**KINDS, "score": kind}}))
    with pytest.raises(StatementError, match=r"is not offered: it is|SUM needs a number"):
        made.query(f"SELECT {function}(score) AS v FROM student", person=ADA)


HIDING = [
    ("INTEGER", {"transform": "generalize", "taxonomy": {"intervals": [0, 50, 100, 200]}}),
    ("DOUBLE", {"transform": "bucket", "width": 10}),
    ("DOUBLE", {"transform": "round_to", "step": 10}),
    ("DATE", {"transform": "calendar", "unit": "month"}),
]


@pytest.mark.parametrize(("kind", "form"), HIDING)
def test_a_weaker_form_that_hides_some_values_is_not_measured(kind: str, form: dict) -> None:
    """Who is refused would tell whose value lies outside the intervals, is no number, or is a day without end."""
    raw = memory_database()
    raw.execute(
        f"CREATE TABLE student (id INT PRIMARY KEY, university VARCHAR, department VARCHAR, score {kind} NOT NULL)"
    )
    columns = {"score": {"missing": "open", "conditional": ["Research"], "conditions": [form]}}
    made = gate(policy(columns, least=1), MemorySource(raw, {"student": {**KINDS, "score": kind}}))
    with pytest.raises(StatementError, match="its weaker form hides some values because of what they are"):
        made.query("SELECT count(score) AS n FROM student", person=ADA)


@pytest.mark.parametrize(
    "form", [{"transform": "bucket", "width": 10}, {"transform": "generalize", "taxonomy": {"width": 10}}]
)
def test_a_weaker_form_that_every_value_has_is_measured(form: dict) -> None:
    columns = {"score": {"missing": "open", "conditional": ["Research"], "conditions": [form]}}
    made = gate(policy(columns, least=1), students())
    assert made.query("SELECT count(score) AS n FROM student", person=ADA).rows() == [(4,)]


CHANGED_TYPES = [("DOUBLE", "INTEGER", 7.5), ("UBIGINT", "INTEGER", 2**64 - 1), ("INTEGER", "DATE", 7)]


@pytest.mark.parametrize(("before", "after", "value"), CHANGED_TYPES)
def test_an_answer_of_another_type_is_not_told_as_if_it_were_of_this_one(before: str, after: str, value: float) -> None:
    source, text = students(), "SELECT max(score) AS m FROM student"
    given = policy({"score": {"missing": "open"}}, least=1)
    for kind, stored in ((before, value), (after, "DATE '2026-01-01'" if after == "DATE" else 3)):
        source.raw.execute(
            f"CREATE OR REPLACE TABLE student AS SELECT * REPLACE ({stored}::{kind} AS score) FROM student"
        )
        source.raw.execute("ALTER TABLE student ADD PRIMARY KEY (id)")
        source.columns["student"]["score"] = kind
        if kind == before:
            assert gate(given, source).query(text, person=ADA).rows() == [(value,)]
    with pytest.raises(DataError, match="another type than when it was answered before"):
        gate(given, source).query(text, person=ADA)


def test_a_largest_value_that_nobody_shares_is_not_told() -> None:
    source = students([*BEFORE, NEWCOMER], "NOT NULL UNIQUE")
    with pytest.raises(StatementError, match="its values are unique"):
        gate(policy(least=1), source).query("SELECT max(score) AS m FROM student", person=ADA)


def test_another_type_of_the_key_is_refused_since_nobody_could_be_recognised() -> None:
    source = students()
    text = "SELECT sum(score) AS s FROM student"
    assert gate(policy(least=1), source).query(text, person=ADA).rows() == [(376,)]
    source.raw.execute("CREATE OR REPLACE TABLE student AS SELECT id::DOUBLE AS id, * EXCLUDE id FROM student")
    source.columns["student"]["id"] = "DOUBLE"
    columns = {"score": {"missing": "open"}}
    with pytest.raises(PolicyError, match=r"was 'id' \(integer .* when .* and is 'id' \(float"):
        gate(policy(columns, least=1), source).query(text, person=ADA)


@pytest.mark.parametrize("change", ["INSERT INTO student VALUES (9, 'X', 'CS', 1)", "DELETE FROM student WHERE id = 2"])
@pytest.mark.parametrize(
    "text", ["SELECT sum(score) AS s FROM student", "SELECT department, count(*) AS n FROM student GROUP BY 1"]
)
def test_a_table_that_changes_meanwhile_is_not_measured(change: str, text: str) -> None:
    """Otherwise somebody would be measured whom nobody looked at."""

    class Changing(MemorySource):
        def ask(self, purpose, sql, parameters, limits):
            if '"m0"' in sql:
                self.seen.execute(change)
            return super().ask(purpose, sql, parameters, limits)

    source = students([*BEFORE, NEWCOMER, (6, "X", "EE", 50)])
    with pytest.raises(DataError, match="changed while the question was answered"):
        gate(policy(least=1, sums=False), Changing(source.raw, source.columns)).query(text, person=ADA)


def test_a_value_that_is_filled_in_meanwhile_is_not_measured() -> None:
    """Who had none was not looked at, so the value would follow from a sum and a mean."""

    class Changing(MemorySource):
        def ask(self, purpose, sql, parameters, limits):
            if '"m0"' in sql:
                self.seen.execute("UPDATE student SET score = 7 WHERE id = 2")
            return super().ask(purpose, sql, parameters, limits)

    source = students([(1, "X", "CS", 90), (2, "X", "CS", None), (3, "X", "CS", 92), (4, "X", "CS", 93)], "")
    given, text = policy({"score": {"missing": "open"}}, least=1, sums=False), "SELECT sum(score) AS s FROM student"
    assert gate(given, source).query(text, person=ADA).rows() == [(275,)]
    with pytest.raises(DataError, match="changed while the question was answered"):
        gate(given, Changing(source.raw, source.columns)).query(text, person=ADA)


@pytest.mark.parametrize("odd", ["'infinity'", "'-infinity'", "'nan'"])
def test_who_has_an_infinite_value_does_not_follow_from_sums(odd: str) -> None:
    raw = memory_database()
    raw.execute("CREATE TABLE student (id INT PRIMARY KEY, score DOUBLE NOT NULL, rate FLOAT)")
    raw.execute(f"INSERT INTO student VALUES (1, {odd}, {odd}), (2, 1.5, 1), (3, 2, NULL), (4, 4, 7), (5, 8, 8)")
    source = MemorySource(raw, {"student": {"id": "INTEGER", "score": "DOUBLE", "rate": "FLOAT"}})
    columns = {"id": {"selects": True}, "score": {}, "rate": {"missing": "open"}}
    given = Policy.of(policy(least=1).sections.model_dump(exclude_none=True) | {
        "tables": {"student": {"key": "id", "allowed": ["Research"], "columns": columns}}
    })  # fmt: skip
    text = "SELECT sum(score) AS s, avg(score) AS m, sum(rate) AS r, avg(rate) AS q FROM student WHERE id < 4"
    assert gate(given, source).query(text, person=ADA).rows() == [(3.5, 3.5 / 3, 1.0, 0.5)]


def test_people_who_come_as_others_leave_are_not_measured() -> None:
    """The number of rows is the same, and so is that of every group."""

    class Changing(MemorySource):
        def ask(self, purpose, sql, parameters, limits):
            if '"m0"' in sql:
                self.seen.execute("UPDATE student SET id = 9 WHERE id = 2")
            return super().ask(purpose, sql, parameters, limits)

    source = students([*BEFORE, NEWCOMER, (6, "X", "EE", 50)])
    for text in ("SELECT sum(score) AS s FROM student", "SELECT department, count(*) AS n FROM student GROUP BY 1"):
        with pytest.raises(DataError, match="changed while the question was answered"):
            gate(policy(least=1, sums=False), Changing(source.raw, source.columns)).query(text, person=ADA)


def test_a_row_that_takes_the_place_of_another_one_of_the_same_person_is_not_measured() -> None:
    class Changing(MemorySource):
        def ask(self, purpose, sql, parameters, limits):
            if '"m0"' in sql:
                self.seen.execute("UPDATE visit SET visit = 999 WHERE visit = 12")
            return super().ask(purpose, sql, parameters, limits)

    source = visits(777)
    with pytest.raises(DataError, match="changed while the question was answered"):
        gate(visit_policy(), Changing(source.raw, source.columns)).query(
            "SELECT sum(cost) AS s FROM visit", person=ADA, purpose="Planning"
        )


def test_a_measure_that_is_written_twice_is_told_as_before_in_both_places() -> None:
    source = students()
    gateway = gate(policy(least=2), source)
    assert gateway.query("SELECT sum(score) AS a, sum(Score) AS b FROM student", person=ADA).rows() == [(376, 376)]
    source.raw.execute("UPDATE student SET score = 50 WHERE id = 1")
    assert gateway.query("SELECT sum(score) AS a, sum(SCORE) AS b FROM student", person=ADA).rows() == [(376, 376)]


@pytest.mark.parametrize(
    "made",
    [
        "replace(university, 'U', 'XX')",
        " || ".join(["university"] * 22),
        "CASE WHEN replace('a', 'a', 'b') = 'b' THEN 1 END",
    ],
)
def test_no_long_texts_are_made_of_the_numbers(made: str) -> None:
    """Nested four times, REPLACE makes a text of millions of characters; this would happen in the gateway itself."""
    rows = [(place, f"U{place % 3}", "CS", 11) for place in range(30)]
    gateway = gate(policy(least=2), students(rows))
    with pytest.raises(StatementError, match="are not built by REPLACE"):
        gateway.query(f"SELECT university, {made} AS t, count(*) AS n FROM student GROUP BY university", person=ADA)
    found = gateway.query("SELECT university || '!' AS u, count(*) AS n FROM student GROUP BY university", person=ADA)
    assert found.rows() == [("U0!", 10), ("U1!", 10), ("U2!", 10)]


def test_zero_is_one_group_whatever_its_sign() -> None:
    source = students([*BEFORE, NEWCOMER])
    source.raw.execute("ALTER TABLE student ADD COLUMN share DOUBLE DEFAULT 0.0")
    source.raw.execute("UPDATE student SET share = -0.0 WHERE id < 3")
    source.columns["student"]["share"] = "DOUBLE"
    found = gate(policy({"share": {"selects": True}}, least=1), source).query(
        "SELECT share, count(*) AS n FROM student GROUP BY share", person=ADA
    )
    assert [row[1] for row in found.rows()] == [5]


def test_memory_is_of_the_person_and_the_data_whatever_the_purpose() -> None:
    made = gate(policy(least=1), students())
    made.query("SELECT sum(score) AS s FROM student WHERE id < 4", person=ADA, purpose="Research")
    with pytest.raises(DeniedError, match=REFUSED):
        made.query("SELECT sum(score) AS s FROM student WHERE id < 3", person=ADA, purpose="Teaching")


def test_a_second_gateway_on_the_same_data_remembers_too() -> None:
    given, source = policy(least=1), students()
    for where, answered in (("id < 4", True), ("id < 3", False), ("id < 4", True)):
        made = gate(given, source)
        if answered:
            made.query(f"SELECT sum(score) AS s FROM student WHERE {where}", person=ADA)
        else:
            with pytest.raises(DeniedError, match=REFUSED):
                made.query(f"SELECT sum(score) AS s FROM student WHERE {where}", person=ADA)


def test_without_a_key_that_is_shown_nobody_can_be_told_apart() -> None:
    made = gate(policy({"id": {"prohibited": ["Research"]}}, least=1), students())
    with pytest.raises(DeniedError, match="its key is not shown"):
        made.query("SELECT count(*) AS n FROM student", person=ADA)


def test_groups_have_an_end() -> None:
    many = [(place, f"U{place // 2}", "CS", 50) for place in range(2002)]
    counted = "SELECT university, count(*) AS n FROM student GROUP BY 1"
    assert len(gate(policy(least=2), students(many[:2000])).query(counted, person=ADA).rows()) == 1000
    with pytest.raises(LimitError, match="at most 1,000 groups"):
        gate(policy(least=2), students(many)).query(counted, person=ADA)


def test_every_refusal_that_depends_on_records_is_the_same() -> None:
    made = gate(
        policy(least=2, overlap=2, questions=4), students([*BEFORE, NEWCOMER, (6, "X", "EE", 1), (7, "X", "EE", 2)])
    )
    made.query("SELECT sum(score) AS s FROM student WHERE id < 4", person=ADA)
    said = set()
    for where in ("id = 1", "id < 3", "id < 6", "id > 1", "id < 0"):
        with pytest.raises(SfumatoError) as refusal:
            made.query(f"SELECT sum(score) AS s FROM student WHERE {where}", person=ADA)
        said.add((type(refusal.value), str(refusal.value)))
    assert len(said) == 1


def test_numbers_that_postgres_writes_differently_are_one_person_and_one_group(postgres: str) -> None:
    """A numeric without digits keeps 1, 1.0 and 1.00 as they were written, and takes them for the same."""
    given = policy({"share": {"selects": True}, "visit": {}}, least=3)
    with psycopg.connect(postgres) as connection:
        connection.execute(
            "CREATE TABLE student (visit serial PRIMARY KEY, id numeric NOT NULL, university text, department text, "
            "score integer NOT NULL, share numeric NOT NULL)"
        )
        for place, share in (("1", "2"), ("1.0", "2.0"), ("1.00", "2.00"), ("2", "3"), ("3", "3"), ("4", "3.000")):
            connection.execute(f"INSERT INTO student VALUES (DEFAULT, {place}, 'A', 'CS', 5, {share})")
    types = {"student": owner_types(postgres, "student")}
    deployment_of(given, types, day=datetime.now(UTC).date(), prefix="stat").deploy(postgres)
    made = Gateway(given, PostgresSource(given, postgres, owner=postgres, prefix="stat"))
    try:
        with pytest.raises(DeniedError, match=REFUSED):  # all of it is about one person
            made.query("SELECT sum(score) AS s FROM student WHERE id = 1", person=ADA)
        with pytest.raises(DeniedError, match=REFUSED):  # as is the group of 2
            made.query("SELECT share, count(*) AS n FROM student GROUP BY share", person=ADA)
        found = made.query("SELECT share > 0 AS s, count(*) AS n FROM student GROUP BY share > 0", person=ADA)
        assert found.rows() == [(True, 6)]
    finally:
        made.close()


def test_postgres_audits_the_same_records(postgres: str) -> None:
    given = policy(least=1)
    with psycopg.connect(postgres) as connection:
        connection.execute(
            "CREATE TABLE student (id integer PRIMARY KEY, university text, department text, score integer NOT NULL)"
        )
        for row in BEFORE:
            connection.execute("INSERT INTO student VALUES (%s, %s, %s, %s)", row)
    types = {"student": owner_types(postgres, "student")}
    deployment_of(given, types, day=datetime.now(UTC).date(), prefix="stat").deploy(postgres)
    for text, parameters, answer in (
        ("SELECT sum(score) AS s FROM student WHERE id < ?", [4], [(280,)]),
        ("SELECT avg(score) AS a FROM student WHERE id < 3", [], None),
        ("SELECT department, count(*) AS n FROM student GROUP BY department ORDER BY n", [], [("EE", 1), ("CS", 3)]),
    ):
        made = Gateway(given, PostgresSource(given, postgres, owner=postgres, prefix="stat"))
        try:
            if answer is None:
                with pytest.raises(DeniedError, match=REFUSED):
                    made.query(text, person=ADA, parameters=parameters)
            else:
                assert made.query(text, person=ADA, parameters=parameters).rows() == answer
        finally:
            made.close()


def test_postgres_shows_no_zeros_that_are_written_for_nothing(postgres: str) -> None:
    """Who wrote 7 as 7.0000 would follow from two sums: a sum has as many digits as one of its numbers."""
    given = policy({"score": {"missing": "open"}}, least=1)
    with psycopg.connect(postgres) as connection:
        connection.execute("CREATE TABLE student (id int PRIMARY KEY, university text, department text, score numeric)")
        connection.execute(
            "INSERT INTO student VALUES (1, 'X', 'CS', 7.0000), (2, 'X', 'CS', 1), (3, 'X', 'CS', 'NaN')"
        )
    types = {"student": owner_types(postgres, "student")}
    deployment_of(given, types, day=datetime.now(UTC).date(), prefix="stat").deploy(postgres)
    made = Gateway(given, PostgresSource(given, postgres, owner=postgres, prefix="stat"))
    try:
        assert str(made.query("SELECT sum(score) AS s FROM student", person=ADA).rows()[0][0]) == "8"
    finally:
        made.close()


@pytest.mark.parametrize("order", ["ASC", "DESC"])
def test_of_two_rows_that_fail_postgres_does_not_tell_which_is_stored_first(order: str, postgres: str) -> None:
    """One fails, the other makes a text that is too long; the order may be that of a hidden column."""
    given = policy(least=1)
    with psycopg.connect(postgres) as connection:
        connection.execute(
            "CREATE TABLE student (id int PRIMARY KEY, university text, department text, score int NOT NULL)"
        )
        connection.execute(
            f"INSERT INTO student SELECT i, 'x', 'CS', i FROM generate_series(1, 100) i ORDER BY i {order}"
        )
    types = {"student": owner_types(postgres, "student")}
    deployment_of(given, types, day=datetime.now(UTC).date(), prefix="stat").deploy(postgres)
    grown = "university"
    for old, new in ("xy", "yz", "zy"):
        grown = f"replace({grown}, '{old}', '{new * 1100}')"
    failing = f"CASE id WHEN 1 THEN 9223372036854775807 + id WHEN 100 THEN length({grown}) ELSE 1 END"
    made = Gateway(given, PostgresSource(given, postgres, owner=postgres, prefix="stat"))
    try:
        with pytest.raises(StatementError, match="could not be converted"):
            made.query(f"SELECT count(*) AS n FROM student WHERE {failing} > 0", person=ADA)
    finally:
        made.close()


def test_a_gateway_that_is_closed_lets_go_of_the_heads(tmp_path) -> None:
    noted = tmp_path / "accounts.jsonl"
    first = Gateway(policy(least=1), students(), heads=Heads(noted))
    with pytest.raises(LockedError):
        Heads(noted)
    first.close()
    Heads(noted).close()


def moved_visits() -> tuple[MemorySource, Policy]:
    """Three visits each of twenty people, and a policy by which a question can name visits by their number."""
    return visits(777), visit_policy(visit={"selects": True})


def test_rows_that_were_given_to_one_person_are_about_one_person() -> None:
    """Nine rows of nine people, then all of one: the sum would be a sum of this person's."""
    source, given = moved_visits()
    gateway = gate(given, source)
    text = "SELECT sum(cost) AS s FROM visit WHERE visit % 3 = 0 AND visit < 30"
    assert gateway.query("SELECT count(*) AS n FROM visit", person=ADA, purpose="Planning").rows() == [(60,)]
    source.raw.execute("UPDATE visit SET id = 20 WHERE visit % 3 = 0 AND visit < 30")
    with pytest.raises(DeniedError, match=REFUSED):
        gateway.query(text, person=ADA, purpose="Planning")
    again = gate(given, source)
    with pytest.raises(DeniedError, match=REFUSED):
        again.query(text, person=ADA, purpose="Planning")


def test_rows_that_were_of_one_person_stay_so() -> None:
    source, given = moved_visits()
    gateway = gate(given, source)
    assert gateway.query("SELECT count(*) AS n FROM visit", person=ADA, purpose="Planning").rows() == [(60,)]
    kept = "visit BETWEEN 3 AND 5"
    source.raw.execute(f"UPDATE visit SET id = visit + 5 WHERE {kept}")
    with pytest.raises(DeniedError, match=REFUSED):
        gateway.query(f"SELECT sum(cost) AS s FROM visit WHERE {kept}", person=ADA, purpose="Planning")


@pytest.mark.parametrize("measure", ["sum(cost)", "max(cost)"])
def test_the_difference_of_two_sets_is_counted_by_the_last_owners_too(measure: str) -> None:
    """The rows in which both differ were of different people, and had become those of one when they were last seen."""
    source, given = moved_visits()
    gateway = gate(given, source)
    assert gateway.query("SELECT count(*) AS n FROM visit", person=ADA, purpose="Planning").rows() == [(60,)]
    source.raw.execute("UPDATE visit SET id = 20 WHERE visit % 3 = 0 AND visit < 21")
    first, second = "visit < 45", "visit < 45 AND NOT (visit % 3 = 0 AND visit < 21)"
    assert gateway.query(f"SELECT {measure} AS s FROM visit WHERE {first}", person=ADA, purpose="Planning").rows()
    for one in (gateway, gate(given, source)):
        with pytest.raises(DeniedError, match=REFUSED):
            one.query(f"SELECT {measure} AS s FROM visit WHERE {second}", person=ADA, purpose="Planning")


@pytest.mark.parametrize("measure", ["sum(cost)", "avg(cost)", "max(cost)"])
def test_a_new_owner_of_rows_that_a_question_leaves_out_is_noticed(measure: str) -> None:
    """Between both answers the rows in which they differ become those of one person, and no question selects them."""
    source, given = moved_visits()
    gateway = gate(given, source)
    assert gateway.query(f"SELECT {measure} AS s FROM visit WHERE visit < 45", person=ADA, purpose="Planning").rows()
    source.raw.execute("UPDATE visit SET id = 20 WHERE visit % 3 = 0 AND visit < 21")
    text = f"SELECT {measure} AS s FROM visit WHERE visit < 45 AND NOT (visit % 3 = 0 AND visit < 21)"
    for one in (gateway, gate(given, source)):
        with pytest.raises(DeniedError, match=REFUSED):
            one.query(text, person=ADA, purpose="Planning")


def test_owners_between_the_first_and_the_last_are_protected() -> None:
    """Rows of seven people are those of one when the first sum is answered, and again of several afterwards."""
    source, given = moved_visits()
    gateway = gate(given, source)
    everything, few = "SELECT count(*) AS n FROM visit", "visit % 3 = 0 AND visit < 21"
    assert gateway.query(everything, person=ADA, purpose="Planning").rows() == [(60,)]
    source.raw.execute(f"UPDATE visit SET id = 20 WHERE {few}")
    assert gateway.query("SELECT sum(cost) AS s FROM visit WHERE visit < 45", person=ADA, purpose="Planning").rows()
    source.raw.execute(f"UPDATE visit SET id = visit / 3 + 8 WHERE {few}")
    assert gateway.query(everything, person=ADA, purpose="Planning").rows() == [(60,)]
    text = f"SELECT sum(cost) AS s FROM visit WHERE visit < 45 AND NOT ({few})"
    for one in (gateway, gate(given, source)):
        with pytest.raises(DeniedError, match=REFUSED):
            one.query(text, person=ADA, purpose="Planning")


def test_a_few_rows_with_other_owners_leave_other_sums() -> None:
    source, given = moved_visits()
    gateway = gate(given, source)
    assert gateway.query("SELECT count(*) AS n FROM visit", person=ADA, purpose="Planning").rows() == [(60,)]
    source.raw.execute("UPDATE visit SET id = 20 WHERE id = 1")
    for text in ("SELECT sum(cost) AS s FROM visit", "SELECT sum(cost) AS s FROM visit WHERE visit < 30"):
        assert gateway.query(text, person=ADA, purpose="Planning").rows()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT Department, sum(score) AS s FROM student GROUP BY department",
        "SELECT student.department, sum(Student.SCORE) AS s FROM student GROUP BY DEPARTMENT",
        "SELECT s.department, sum(score) AS s FROM student s GROUP BY S.department ORDER BY sum(s.score) DESC",
    ],
)
def test_every_spelling_of_a_column_is_the_same_group_and_measure(text: str) -> None:
    rows = [(place, "Concordia", ["CS", "EE"][place % 2], 10**place) for place in range(4)]
    found = gate(policy(least=1), students(rows)).query(text, person=ADA).rows()
    assert sorted(total for _, total in found) == [101, 1010]
