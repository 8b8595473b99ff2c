"""Aggregates with noise: what they cost, what they count, and what may be asked for."""

from __future__ import annotations

import math
from datetime import date, datetime

import pytest

from sfumato.errors import BudgetError, PolicyError, StatementError
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.statistics import noise
from tests.gateway.memory import MemorySource, memory_database
from tests.gateway.statistics.test_exact_answers import ADA, BEFORE, gate, students
from tests.gateway.statistics.test_exact_answers import policy as audited

NOISY = {"epsilon": 1.0}
SURE = {"epsilon": 1e9, "epsilon_a_question": 1e6}
"""With so much of epsilon the noise is none after rounding."""


def policy(columns: dict | None = None, table: dict | None = None, **permission) -> Policy:
    given = audited({"score": {"bounds": [0.0, 100.0]}, **(columns or {})}, {**NOISY, **permission}, least=1)
    told = given.sections.model_dump(exclude_none=True)
    told["tables"]["student"].update(table or {})
    return Policy.of(told)


def test_noise_is_new_every_time_and_of_the_right_size() -> None:
    made = gate(policy(epsilon=1000.0, epsilon_a_question=1.0), students())
    found = [made.query("SELECT sum(score) AS s FROM student", person=ADA) for _ in range(400)]
    values = [answer.rows()[0][0] for answer in found]
    assert len(set(values)) > 100
    assert abs(sum(values) / len(values) - 376) < 40  # eight standard errors of Laplace noise of scale 100
    inside = sum(abs(value - 376) <= found[0].margins["s"] for value in values)
    assert 355 < inside < 398  # 380 of 400 expected, with a standard deviation of 4.4


def test_the_account_is_spent_question_by_question() -> None:
    made = gate(policy(), students())
    for _ in range(10):
        made.query("SELECT count(*) AS n FROM student", person=ADA)
    with pytest.raises(BudgetError, match=r"needs 0\.1 epsilon but 0\.0 of 1\.0 is left"):
        made.query("SELECT count(*) AS n FROM student", person=ADA)
    bob = Person("bob", frozenset({"analyst"}), {})
    assert made.query("SELECT count(*) AS n FROM student", person=bob).margins["n"] == pytest.approx(29.957, abs=0.001)


def test_several_purposes_have_one_account() -> None:
    made = gate(policy(epsilon=0.2), students())
    for purpose in ("Research", "Teaching"):
        made.query("SELECT count(*) AS n FROM student", person=ADA, purpose=purpose)
    for purpose in ("Research", "Teaching"):
        with pytest.raises(BudgetError, match=r"0\.0 of 0\.2 is left"):
            made.query("SELECT count(*) AS n FROM student", person=ADA, purpose=purpose)


def test_a_team_shares_one_account() -> None:
    made = gate(policy(epsilon=0.2), students())
    people = [Person(name, frozenset({"analyst"}), {}, account="team") for name in ("ada", "bob", "cy")]
    for person in people[:2]:
        made.query("SELECT count(*) AS n FROM student", person=person)
    for person in people:
        with pytest.raises(BudgetError, match="is left"):
            made.query("SELECT count(*) AS n FROM student", person=person)
    alone = Person("bob", frozenset({"analyst"}), {})  # out of the team, what its members asked before still counts
    with pytest.raises(BudgetError, match="is left"):
        made.query("SELECT count(*) AS n FROM student", person=alone)


def test_a_restart_forgets_nothing() -> None:
    source = students()
    gate(policy(epsilon=0.15), source).query("SELECT count(*) AS n FROM student", person=ADA)
    with pytest.raises(BudgetError, match="is left"):
        gate(policy(epsilon=0.15), source).query("SELECT count(*) AS n FROM student", person=ADA)


def test_it_is_charged_before_it_is_asked() -> None:
    """A question that fails in the engine has its price, so that failures tell nothing for free."""

    class Failing(MemorySource):
        def ask(self, purpose, sql, parameters, limits):
            raise StatementError("a value could not be converted")

    source = students()
    made = gate(policy(epsilon=0.1), Failing(source.raw, source.columns))
    with pytest.raises(StatementError, match="converted"):
        made.query("SELECT count(*) AS n FROM student", person=ADA)
    with pytest.raises(BudgetError, match="is left"):
        made.query("SELECT count(*) AS n FROM student", person=ADA)


def test_values_beyond_their_bounds_count_as_the_bound() -> None:
    source = students([*BEFORE, (9, "X", "X", None)], "")
    source.raw.execute("UPDATE student SET score = 1000000 WHERE id = 4")
    found = gate(policy(**SURE), source).query(
        "SELECT sum(score) AS s, count(*) AS n, count(score) AS c, avg(score) AS a FROM student", person=ADA
    )
    assert found.rows() == [(380, 5, 4, 95.0)]


def test_sums_beyond_a_small_number_are_counted_too() -> None:
    many = [(place, "X", "X", 100) for place in range(200)]
    given = policy({"score": {"bounds": [0.0, 1e9]}}, epsilon=1e15, epsilon_a_question=1e14)
    source = students(many)
    source.raw.execute("UPDATE student SET score = 1000000000")
    assert gate(given, source).query("SELECT sum(score) AS s FROM student", person=ADA).rows() == [(2e11,)]


def test_rows_of_one_person_are_bounded() -> None:
    visits = [(1, "A", "x", 60)] * 12 + [(2, "A", "x", 40), (3, "A", "x", 40)]
    text = "SELECT count(*) AS n, sum(score) AS s, avg(score) AS a FROM student"
    for most, expected in ((1, (3, 140, 140 / 3)), (2, (4, 200, 50.0)), (12, (14, 800, 800 / 14))):
        made = gate(policy(table={"rows_a_person": most}, **SURE), students(visits))
        (found,) = made.query(text, person=ADA).rows()
        assert found == pytest.approx(expected)
    wide = gate(policy(table={"rows_a_person": 12}), students(visits)).query(text, person=ADA)
    narrow = gate(policy(), students(visits)).query(text, person=ADA)
    assert wide.margins["n"] == pytest.approx(12 * narrow.margins["n"])
    assert wide.margins["s"] == pytest.approx(12 * narrow.margins["s"])


def test_medians_and_quantiles() -> None:
    many = [(place, "X", "X", place % 101) for place in range(2020)]
    made = gate(policy(**SURE), students(many))
    text = "SELECT median(score) AS m, quantile(score, 0.9) AS q, "
    text += "percentile_cont(0.25) WITHIN GROUP (ORDER BY score) AS p FROM student"
    found = made.query(text, person=ADA)
    (median, high, low), margins = found.rows()[0], found.margins
    assert (abs(median - 50) <= 1, abs(high - 90) <= 1, abs(low - 25) <= 1, margins) == (True, True, True, {})
    noisy = gate(policy(epsilon=100.0, epsilon_a_question=0.001), students(many))
    assert len({noisy.query("SELECT median(score) AS m FROM student", person=ADA).rows()[0] for _ in range(20)}) > 5


def test_a_quantile_counts_so_many_rows_of_a_person() -> None:
    visits = [(1, "A", "x", 90)] * 1000 + [(place, "A", "x", 10) for place in range(2, 50)]
    found = gate(policy(**SURE), students(visits)).query("SELECT median(score) AS m FROM student", person=ADA)
    assert abs(found.rows()[0][0] - 10) <= 1


def test_decimals_are_counted_in_their_last_digit() -> None:
    source = students()
    source.raw.execute("ALTER TABLE student ALTER score TYPE DECIMAL(10, 2)")
    source.raw.execute("UPDATE student SET score = 12.34 WHERE id = 1")
    source.columns = {"student": {**source.columns["student"], "score": "DECIMAL(10,2)"}}
    found = gate(policy(**SURE), source).query("SELECT sum(score) AS s FROM student", person=ADA)
    assert found.rows() == [(pytest.approx(296.34),)]


REFUSED = [
    ("SELECT department, count(*) AS n FROM student GROUP BY department", "no groups, no order"),
    ("SELECT count(*) AS n FROM student HAVING count(*) > 1", "no groups, no order"),
    ("SELECT count(*) AS n FROM student ORDER BY n", "no groups, no order"),
    ("SELECT count(*) AS n FROM student LIMIT 1", "no groups, no order"),
    ("SELECT sum(id) AS s FROM student", "'id' has none"),
    ("SELECT score FROM student", "only aggregates"),
    ("SELECT sum(score) / count(*) AS a FROM student", "plain aggregates only"),
    ("SELECT count(*) + 1 AS n FROM student", "plain aggregates only"),
    ("SELECT count(*) AS n, count(*) AS m FROM student", "plain aggregates only"),
    ("SELECT min(score) AS m FROM student", r"quantile\(column, 0\.99\)"),
    ("SELECT count(*) AS n FROM student WHERE score > 5", "open to selection; 'score' is not"),
    ("SELECT sum(score) FILTER (WHERE id = 2) AS s FROM student", "FILTER"),
    ("SELECT quantile(score, 1.5) AS q FROM student", "from 0 to 1"),
    ("SELECT median(score + 1) AS q FROM student", "a column here"),
    ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY score DESC) AS q FROM student", "WITHIN GROUP"),
]


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_what_noise_is_not_offered_for_is_refused_and_free(text: str, why: str) -> None:
    made = gate(policy(), students())
    with pytest.raises(StatementError, match=why):
        made.query(text, person=ADA)
    for _ in range(10):
        made.query("SELECT count(*) AS n FROM student", person=ADA)


def test_weaker_columns_have_no_noise() -> None:
    weaker = {"conditional": ["Research"], "conditions": [{"transform": "bucket", "width": 10}], "bounds": [0.0, 100.0]}
    with pytest.raises(StatementError, match="not shown in a weaker form"):
        gate(policy({"score": weaker}), students()).query("SELECT sum(score) AS s FROM student", person=ADA)
    with pytest.raises(StatementError, match="not shown in a weaker form"):
        gate(policy({"score": weaker}), students()).query("SELECT count(score) AS s FROM student", person=ADA)


GUARDED = {"score": {"bounds": [0.0, 100.0], "selects": "with_noise"}}


@pytest.mark.parametrize(
    ("where", "count"),
    [
        ("score > 91", 3),
        ("91 < score AND department = 'CS'", 3),
        ("score BETWEEN 91 AND 92", 2),
        ("score IN (91, 96) OR NOT score >= 92", 2),
        ("score IS NOT NULL AND score <> -1", 4),
        ("score = ?", 1),
    ],
)
def test_conditions_that_cannot_fail_are_over_any_column_with_noise(where: str, count: int) -> None:
    text = f"SELECT count(*) AS n FROM student WHERE {where}"
    made = gate(policy(GUARDED, **SURE), students())
    assert made.query(text, person=ADA, parameters=[96] if "?" in where else []).rows() == [(count,)]


@pytest.mark.parametrize(
    "where",
    [
        "CAST(department AS INTEGER) > score",
        "CASE WHEN score > 95 THEN CAST(department AS INTEGER) ELSE score END > 1",
        "score * 2147483647 > 1",
        "score > 0.0000000000000000000000000000000000001",
        "score > id",
        "abs(score) > 5",
        "score IN (SELECT 1)",
        "score + 1 IN (1, 2)",
        "score + 1 IS NULL",
        "NOT abs(score) IS NULL",
        "score > 9999999999999999999",
    ],
)
def test_conditions_that_could_fail_are_refused(where: str) -> None:
    with pytest.raises(StatementError, match=r"calculates and converts nothing|DISTINCT or subqueries"):
        gate(policy(GUARDED), students()).query(f"SELECT count(*) AS n FROM student WHERE {where}", person=ADA)


TYPED = {
    "day": "DATE", "moment": "TIMESTAMP", "share": "DECIMAL(38,30)", "weight": "DOUBLE", "small": "TINYINT",
    "huge": "HUGEINT", "sure": "BOOLEAN", "name": "VARCHAR", "mood": "ENUM('good', 'bad')", "code": "UUID",
    "came": "TIMESTAMP_NS", "left_at": "TIMESTAMP_S",
}  # fmt: skip


def typed(filled: bool) -> Gateway:
    """A table of one person with a value of every type, or with nobody; both are asked the same."""
    raw = memory_database()
    raw.execute(f"CREATE TABLE student (id INT PRIMARY KEY, {', '.join(f'{a} {b}' for a, b in TYPED.items())})")
    if filled:
        raw.execute(
            "INSERT INTO student VALUES "
            "(4, '2026-01-31', '2026-01-31 10:00:00', 7, 1.5, 3, 9, true, 'x', 'good', uuid(), "
            "'2026-01-31', '2026-01-31')"
        )
    columns = {name: {"selects": "with_noise"} for name in ("id", *TYPED)}
    said = policy().sections.model_dump(exclude_none=True)
    said["tables"]["student"]["columns"] = columns
    said["permissions"][0].update(SURE)
    return gate(Policy.of(said), MemorySource(raw, {"student": {"id": "INTEGER", **TYPED}}))


FITTING: list[tuple[str, list]] = [
    ("day > '2026-01-30'", []), ("day <= ?", [date(2026, 1, 31)]), ("day BETWEEN '2026-01-01' AND '2026-12-31'", []),
    ("moment >= '2026-01-31 09:59'", []), ("moment < '2026-02-01'", []), ("moment < ?", [datetime(2026, 2, 1)]),
    ("share >= 6", []), ("share < ?", [99_999_999]), ("weight > 1", []), ("weight < ?", [1.75]), ("small < 1000", []),
    ("small > ?", [-(2**63) + 1]), ("id IN (1, 2, 4)", []), ("sure = TRUE", []), ("sure = ?", [True]),
    ("sure IS TRUE", []),
    ("name = 'x'", []), ("name LIKE '%x'", []), ("name ILIKE ?", ["X"]), ("NOT (name <> 'x' OR id <> 4)", []),
    ("huge IS NOT NULL", []), ("mood IS NOT NULL AND code IS NOT NULL", []),
]  # fmt: skip
UNFIT: list[tuple[str, list]] = [
    ("day > 'x'", []), ("day > ?", ["2026-13-01"]), ("day > '2026-02-30'", []), ("day > '20260101'", []),
    ("moment > '2026-01-01 25:00'", []), ("moment > 'now'", []), ("share < 100000000", []), ("share < ?", [10**17]),
    ("share < '1e9'", []), ("weight > 'x'", []), ("weight > ?", [float("nan")]), ("small < 'x'", []),
    ("small < '300'", []),
    ("small < ?", [2**63]), ("huge < 1", []), ("huge < ?", [1]), ("id = 'x'", []), ("name > 5", []), ("name > ?", [5]),
    ("sure = 'x'", []), ("sure = 1", []), ("mood = 'sad'", []), ("code = 'x'", []), ("day LIKE '2026%'", []),
    ("came > '9999-12-31'", []), ("left_at < '2026-01-01 10:00'", []), ("came > ?", [datetime(2026, 1, 1)]),
    ("id LIKE '4'", []), ("name LIKE 5", []), ("id = 4 AND day > 'x'", []), ("id + 1 = 5", []), ("-name = 'x'", []),
    ("CAST(name AS INTEGER) > 3", []), ("id * 4000000000 > 3", []), ("id = small", []), ("name LIKE name", []),
    ("length(name) = 1", []), ("id IN (SELECT id FROM student)", []), ("day BETWEEN 'x' AND '2026-12-31'", []),
    ("day BETWEEN '2026-01-01' AND 'x'", []),
]  # fmt: skip


@pytest.mark.parametrize(("where", "values"), FITTING)
def test_a_condition_with_values_of_the_type_of_its_column_never_fails(where: str, values: list) -> None:
    text = f"SELECT count(*) AS n FROM student WHERE {where}"
    assert typed(filled=True).query(text, person=ADA, parameters=values).rows() == [(1,)]
    assert typed(filled=False).query(text, person=ADA, parameters=values).rows() == [(0,)]


@pytest.mark.parametrize(("where", "values"), UNFIT)
def test_other_conditions_are_refused_whoever_is_in_the_table(where: str, values: list) -> None:
    """Some of them fail where there is a row, and nowhere else; so all of them are refused before anything is asked."""
    text, found = f"SELECT count(*) AS n FROM student WHERE {where}", []
    for filled in (True, False):
        gateway = typed(filled)
        with pytest.raises(StatementError) as refused:
            gateway.query(text, person=ADA, parameters=values)
        found.append(str(refused.value))
        assert "SELECT COALESCE" not in " ".join(gateway.source.asked)
    assert found[0] == found[1]


def test_open_columns_too_are_compared_in_their_own_type() -> None:
    """With noise, nobody is to know who is in the table; a condition that fails for somebody would tell."""
    for where in ("CAST(university AS INTEGER) > 3", "id * 4000000000 > 3", "university > 3"):
        with pytest.raises(StatementError):
            gate(policy(**SURE), students()).query(f"SELECT count(*) AS n FROM student WHERE {where}", person=ADA)


@pytest.mark.parametrize("function", ["sum", "avg", "median"])
def test_missing_values_count_for_nothing(function: str) -> None:
    """Otherwise each would count as the lower bound, and somebody with many of them would move a sum by any number."""
    columns = {"score": {"bounds": [-100.0, 100.0], "missing": "open"}}
    text, found = f"SELECT {function}(score) AS s FROM student", []
    for missing in (0, 1000):
        rows = [(1, "A", "x", 50), *[(99, "A", "x", None)] * missing, (2, "A", "x", 50)]
        found.append(gate(policy(columns, **SURE), students(rows, "")).query(text, person=ADA).rows())
    assert found[0] == found[1] == [({"sum": 100, "avg": 50, "median": 50}[function],)]


def drawn(monkeypatch, measures: str, most: int = 3, bounds: tuple[float, float] = (-100.0, 10.0)) -> list:
    """What noise is drawn for a question that may cost 0.6: the sensitivity, or the rows of one person, and epsilon."""
    found = []
    monkeypatch.setattr(
        noise, "laplace", lambda value, sensitivity, epsilon: found.append((sensitivity, epsilon)) or value
    )
    monkeypatch.setattr(
        noise,
        "quantile",
        lambda values, candidates, share, rows, epsilon: found.append((rows, epsilon)) or candidates[0],
    )
    given = policy({"score": {"bounds": list(bounds)}}, {"rows_a_person": most}, epsilon=1.0, epsilon_a_question=0.6)
    gate(given, students()).query(f"SELECT {measures} FROM student", person=ADA)
    return found


def test_values_of_at_most_one_get_the_noise_of_one(monkeypatch) -> None:
    """Three rows of a person, each 0 or 1, change a sum by at most 3."""
    assert drawn(monkeypatch, "sum(score) AS s", bounds=(0.0, 1.0)) == [(3, pytest.approx(0.6))]


@pytest.mark.parametrize(
    ("measures", "expected"),
    [
        ("count(*) AS n", [(3, 0.6)]),
        ("count(score) AS n", [(3, 0.6)]),
        ("sum(score) AS s", [(300, 0.6)]),
        ("avg(score) AS a", [(300, 0.3), (3, 0.3)]),
        ("median(score) AS m", [(3, 0.6)]),
        ("count(*) AS n, sum(score) AS s", [(3, 0.3), (300, 0.3)]),
        ("avg(score) AS a, count(*) AS n", [(300, 0.2), (3, 0.2), (3, 0.2)]),
    ],
)
def test_noise_is_for_all_rows_of_a_person_and_costs_no_more_than_was_charged(monkeypatch, measures, expected) -> None:
    """A person adds at most rows_a_person rows, each at most as far from zero as the further of the two bounds."""
    found = drawn(monkeypatch, measures)
    assert [one[0] for one in found] == [one[0] for one in expected]
    assert [one[1] for one in found] == pytest.approx([one[1] for one in expected])
    assert sum(one[1] for one in found) == pytest.approx(0.6)


def test_noise_of_a_sum_is_that_of_the_upper_bound_where_it_is_the_further_one(monkeypatch) -> None:
    assert drawn(monkeypatch, "sum(score) AS s", most=1, bounds=(-5.0, 80.0)) == [(80, 0.6)]


def test_the_margin_of_a_mean_counts_the_noise_of_its_number_too() -> None:
    """Of 200 means 190 lie within it at least, but for five standard deviations."""
    rows = [(place, "A", "x", 90) for place in range(60)]
    made = gate(policy(epsilon=10_000.0, epsilon_a_question=1.0), students(rows))
    found = [made.query("SELECT avg(score) AS a FROM student", person=ADA) for _ in range(200)]
    assert sum(abs(one.rows()[0][0] - 90) <= one.margins["a"] for one in found) > 190 - 5 * (200 * 0.05 * 0.95) ** 0.5
    assert max(one.margins["a"] for one in found) < 100


def test_the_margin_of_a_mean_is_that_of_the_sum_and_of_the_count() -> None:
    """By hand: scores up to 100, half of epsilon 1 each, 97.5 % each: (100 + 100 * 1) / 0.5 * ln 40, over 6,000 people.

    The count is noisy itself: further off than 60, and so 1 % of 6,000, with a probability of exp(-30).
    """
    made = gate(policy(epsilon=10.0, epsilon_a_question=1.0), students([(n, "A", "x", 90) for n in range(6_000)]))
    found = made.query("SELECT avg(score) AS a FROM student", person=ADA)
    assert found.margins["a"] == pytest.approx(200 / 0.5 * math.log(40) / 6_000, rel=0.01)


def test_the_margin_of_a_mean_is_never_wider_than_its_bounds() -> None:
    found = gate(policy(epsilon=1.0, epsilon_a_question=1e-6), students()).query(
        "SELECT avg(score) AS a FROM student", person=ADA
    )
    assert found.margins["a"] == 100


def test_a_column_that_is_open_with_noise_is_closed_to_exact_aggregates() -> None:
    with pytest.raises(StatementError, match="open to selection; 'score' is not"):
        gate(audited({"score": {"selects": "with_noise"}}, least=1), students()).query(
            "SELECT count(*) AS n FROM student WHERE score > 5", person=ADA
        )


def test_noise_that_costs_more_than_it_is_charged_is_never_drawn(monkeypatch) -> None:
    with pytest.raises(PolicyError, match="costs more"):
        noise.demand_price(0.11, 0.1)
    noise.demand_price(0.1, 0.1)
    seen = []
    monkeypatch.setattr(noise, "demand_price", lambda price, epsilon: seen.append((price, epsilon)))
    noise.laplace(5, 3, 0.5)
    noise.quantile([1, 2, 3], range(10), 0.5, 4, 0.25)
    assert seen == [(pytest.approx(0.5), 0.5), (pytest.approx(0.25), 0.25)]


def test_bounds_too_far_apart_are_refused() -> None:
    made = gate(policy({"score": {"bounds": [0.0, 1e16]}}), students())
    with pytest.raises(StatementError, match="too far apart"):
        made.query("SELECT sum(score) AS s FROM student", person=ADA)


def test_opendp_is_asked_for_by_name(monkeypatch) -> None:
    import sys

    from sfumato.errors import UsageError

    monkeypatch.setitem(sys.modules, "opendp.core", None)
    with pytest.raises(UsageError, match=r"sfumato\[private\]"):
        noise.laplace(5, 3, 0.5)


def test_a_person_with_rows_is_not_answered_with_noise() -> None:
    """Rows come before aggregates, and exact aggregates before noisy ones."""
    given = policy().sections.model_dump(exclude_none=True)
    given["roles"] = {"analyst": {}, "clerk": {}}
    given["permissions"].append({"role": "clerk", "table": "student", "purpose": "Research"})
    both = Person("ada", frozenset({"analyst", "clerk"}), {})
    made = Gateway(Policy.of(given), students())
    assert made.query("SELECT count(*) AS n FROM student", person=both).rows() == [(4,)]
