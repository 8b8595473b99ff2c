"""The customers of Kabir (2010) asked through the gateway: tables 2.6 and 3.5, and what follows from them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sfumato.errors import DataError, DeniedError, PolicyError, SfumatoError, StatementError
from sfumato.gateway import gateway as gateway_module
from sfumato.gateway.answers.unexpected_errors import UnexpectedFailure
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.log.audit_log import AuditLog
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from tests.gateway import kabir
from tests.gateway.memory import customers

RUSSELL = Person("russell", frozenset({"e-marketing"}), {"experience": 12})
OWNER = Person("olga", frozenset({"owner"}), {})
AT_TEN = datetime(2026, 11, 16, 10, tzinfo=UTC)


def gateway(
    row_policy: str = "mask_cell", choices=kabir.TABLE_3_2, *, now=AT_TEN, closes_upward: bool = True
) -> Gateway:
    policy = Policy.of(kabir.policy(row_policy, closes_upward=closes_upward))
    return Gateway(policy, customers(choices), clock=lambda: now)


def asked(text: str, *, row_policy: str = "mask_cell", choices=kabir.TABLE_3_2):
    return set(gateway(row_policy, choices).query(text, person=RUSSELL, purpose="Marketing").rows())


def test_table_3_5() -> None:
    assert asked("SELECT name, age, address, income FROM customer") == {
        ("Alice", "30-40", "21, West St., TBA, QLD 4350", None),
        ("Bob", "20-30", "Fay CT., TBA, QLD 4350", "20000-30000"),
        ("Ron", "50-60", "20, Anita Dr., TBA, QLD 4350", "56000"),
        ("Jak", "40-50", "Wuth St., TBA, QLD 4350", "40000-50000"),
    }


def test_table_2_6() -> None:
    found = asked("SELECT name, income FROM customer", row_policy="drop_row", choices=kabir.TABLE_2_2)
    assert found == {("Ron", "56000"), ("Bob", "20000-30000"), ("Jak", "40000-50000")}


@pytest.mark.parametrize(
    ("limit", "names"), [(15000, {"Bob", "Ron", "Jak"}), (25000, {"Ron", "Jak"}), (30000, {"Ron", "Jak"})]
)
def test_certain_answers(limit: int, names: set[str]) -> None:
    assert asked(f"SELECT name FROM customer WHERE income > {limit}") == {(name,) for name in names}


def test_rows_of_which_nothing_is_left() -> None:
    assert asked("SELECT income FROM customer", row_policy="drop_if_all_hidden") == {
        ("20000-30000",), ("56000",), ("40000-50000",),
    }  # fmt: skip
    assert len(asked("SELECT name, income FROM customer", row_policy="drop_if_all_hidden")) == 4


def test_dropping_rows_looks_at_every_column_that_is_read() -> None:
    assert ("Alice",) not in asked("SELECT name FROM customer WHERE income > 0 OR id > 0", row_policy="drop_row")
    assert ("Alice",) in asked("SELECT name FROM customer WHERE id > 0", row_policy="drop_row")


GRIDS = {
    "General": ("FDDD", "FCDD", "FCDD", "FCDD"),
    "Admin": ("FDDC", "FFDD", "FFDD", "FFDD"),
    "Shipping": ("FFDF", "FFDF", "FFDC", "FFFF"),
    "Purchase": ("FFFF", "FFFF", "FFFF", "FFFF"),
    "Marketing": ("FCFD", "FCCC", "FCFF", "FCCC"),
    "T-Email": ("FCFD", "FCCC", "FCFF", "FCCC"),
}
"""Of every customer, name, age, address and income: full, conditional or denied. General with ages of Bob, Ron and Jak
conditional, since it covers Marketing."""


@pytest.mark.parametrize("purpose", GRIDS)
def test_what_is_seen_for_every_purpose(purpose: str) -> None:
    answer = gateway().query("SELECT id, name, age, address, income FROM customer", person=OWNER, purpose=purpose)
    weaker = kabir.TABLE_3_3
    for row in answer.rows():
        exact = next(customer for customer in kabir.CUSTOMERS if customer[0] == row[0])
        expected = [
            {"F": true if isinstance(value, int) else str(true), "C": weak, "D": None}[letter]
            for letter, true, weak, value in zip(
                GRIDS[purpose][row[0] - 1], exact[1:], weaker[row[0]], row[1:], strict=True
            )
        ]
        assert list(row[1:]) == expected


def test_the_hole_above_conditional_purposes_can_be_opened() -> None:
    found = gateway(closes_upward=False).query("SELECT age FROM customer WHERE id = 2", person=OWNER, purpose="General")
    assert found.rows() == [(29,)]


def test_the_purpose_can_stand_in_the_question_or_follow_from_the_role() -> None:
    text = "SELECT count(*) AS n FROM customer"
    stated = gateway().query(f"{text} FOR PURPOSE Marketing", person=RUSSELL)
    derived = gateway().query(text, person=RUSSELL)
    assert (stated.rows(), stated.purpose) == (derived.rows(), derived.purpose) == ([(4,)], "Marketing")
    with pytest.raises(StatementError, match="one purpose, and the call another"):
        gateway().query(f"{text} FOR PURPOSE Marketing", person=RUSSELL, purpose="Admin")


@pytest.mark.parametrize(
    ("person", "now", "purpose"),
    [
        (Person("rita", frozenset({"e-marketing"}), {"experience": 10}), AT_TEN, "Marketing"),
        (RUSSELL, AT_TEN.replace(hour=18), "Marketing"),
        (RUSSELL, AT_TEN, "Admin"),
        (RUSSELL, AT_TEN, "General"),
        (RUSSELL, AT_TEN, "Espionage"),
        (Person("nobody", frozenset(), {}), AT_TEN, "Marketing"),
    ],
)
def test_who_may_not_ask_is_denied(person: Person, now: datetime, purpose: str) -> None:
    with pytest.raises(DeniedError):
        gateway(now=now).query("SELECT name FROM customer", person=person, purpose=purpose)


def test_aggregates_are_ranges() -> None:
    answer = gateway().query("SELECT sum(income) AS s, min(age) AS a, count(income) AS n FROM customer", person=RUSSELL)
    assert answer.rows() == [("116000-135998", "20-29", 3)]
    assert answer.flat.to_pylist() == [{"s.lo": 116000, "s.hi": 135998, "a.lo": 20, "a.hi": 29, "n": 3}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SELECT name FROM customers", "did you mean 'customer'"),
        ("SELECT nam FROM customer", "did you mean 'name'"),
        ("SELECT * FROM main.customer", "without a schema"),
        ("SELECT name FROM customer; DROP TABLE customer", "several statements"),
        ("UPDATE customer SET name = 'x'", "only SELECT"),
        ("SELECT 'unclosed FROM customer", "cannot be read"),
        ("", "the query is empty"),
    ],
)
def test_what_is_not_understood_is_refused_with_a_reason(text: str, said: str) -> None:
    with pytest.raises(StatementError, match=said):
        gateway().query(text, person=RUSSELL, purpose="Marketing")


def test_changing_what_is_hidden_changes_no_answer() -> None:
    texts = [
        "SELECT * FROM customer ORDER BY id",
        "SELECT count(*) AS n FROM customer WHERE income > 30000",
        "SELECT c.id FROM customer c JOIN customer d ON c.income = d.income",
        "SELECT max(age) AS m FROM customer",
    ]
    one, other = gateway(), gateway()
    other.source.raw.execute("UPDATE customer SET income = 99999 WHERE id = 1")
    other.source.raw.execute("UPDATE customer SET age = 21, income = 29999 WHERE id = 2")
    for text in texts:
        answers = [each.query(text, person=RUSSELL).rows() for each in (one, other)]
        assert answers[0] == answers[1]


def test_no_value_is_in_a_refusal() -> None:
    for text in ("SELECT name FROM customer WHERE name = 'Canary' AND nope = 1", "SELECT 'Canary' FROM nope", "Canary"):
        with pytest.raises(SfumatoError) as refusal:
            gateway().query(text, person=RUSSELL)
        assert "Canary" not in str(refusal.value)


CARL = Person("carl", frozenset({"consent-desk"}))


def desk(tmp_path: Path, **permission: object) -> Gateway:
    """A gateway that writes a log, and lets a desk take in what people choose."""
    given = kabir.policy()
    given["roles"]["consent-desk"] = {}
    chooses = {"role": "consent-desk", "table": "customer", "purpose": "Admin", "operation": "choose", **permission}
    given["permissions"].append(chooses)
    return Gateway(Policy.of(given), customers(), log=AuditLog(tmp_path / "log"), clock=lambda: AT_TEN)


def log_of(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()[1:]]


def test_who_may_choose_changes_what_is_seen_and_sees_nothing(tmp_path: Path) -> None:
    gate = desk(tmp_path)
    assert gate.choose("customer", [("2", "income", "G||"), ("2", "age", "")], person=CARL) == 2
    found = gate.query("SELECT income, age FROM customer WHERE id = 2", person=RUSSELL, purpose="Marketing").rows()
    assert found == [("23000", None)]
    with pytest.raises(DeniedError, match="may not ask"):
        gate.query("SELECT id FROM customer", person=CARL, purpose="Admin")
    chosen, details = log_of(tmp_path)[:2]
    assert (chosen["who"], chosen["statement"], chosen["purpose"]) == ("carl", "choose for 2 values", "Admin")
    assert (chosen["columns"], chosen["rows"]) == (["customer.age", "customer.income"], 2)
    assert (details["kind"], details["who"], details["table"], details["purpose"]) == (
        "chose", "carl", "customer", "Admin",
    )  # fmt: skip
    assert details["choices"] == [["2", "income", "G||"], ["2", "age", ""]]
    assert (chosen["operation"], chosen["batch"]) == ("choose", details["batch"])
    gate.close()


def test_the_owner_chooses_without_a_permission_and_is_in_the_log(tmp_path: Path) -> None:
    gate = desk(tmp_path)
    assert gate.choose_as_owner("customer", [("2", "income", "G||")], login="root") == 1
    assert gate.choose_as_owner("customer", [], login="root") == 0
    with pytest.raises(PolicyError, match="nobody chooses about column 'id'"):
        gate.choose_as_owner("customer", [("2", "id", "G||")], login="root")
    found = gate.query("SELECT income FROM customer WHERE id = 2", person=RUSSELL, purpose="Marketing").rows()
    assert found == [("23000",)]
    chosen, details, nothing, refused = log_of(tmp_path)[:4]
    assert [(one["who"], one["login"]) for one in (chosen, details, nothing, refused)] == [("owner", "root")] * 4
    assert (details["kind"], details["choices"]) == ("chose", [["2", "income", "G||"]])
    assert (nothing["rows"], refused["reason"]) == (0, "PolicyError")
    gate.close()


def test_many_choices_are_in_the_log_one_by_one(tmp_path: Path, monkeypatch) -> None:
    gate, entered = desk(tmp_path), []
    monkeypatch.setattr(gate.source, "choose", lambda table, rows, by: entered.append(by))
    choices = [(f"{key:060}", "income", "G||") for key in range(20_000)]
    assert gate.choose("customer", choices, person=CARL) == 20_000
    summary, *parts = log_of(tmp_path)
    assert [tuple(one) for part in parts for one in part["choices"]] == choices
    assert len(parts) > 1
    assert {part["batch"] for part in parts} == {summary["batch"]}
    assert [(one.by, one.login) for one in entered] == [("carl", "")]
    gate.close()


@pytest.mark.parametrize(
    ("person", "choices", "permission", "error"),
    [
        (RUSSELL, [("2", "income", "G||")], {}, DeniedError),
        (OWNER, [("2", "income", "G||")], {}, DeniedError),
        (CARL, [("2", "income", "G||")], {"columns": ["age"]}, DeniedError),
        (CARL, [("2", "income", "G||")], {"valid_until": AT_TEN.date() - timedelta(days=1)}, DeniedError),
        (CARL, [("2", "income", "everything")], {}, PolicyError),
        (CARL, [("2", "id", "G||")], {}, PolicyError),
    ],
)
def test_who_may_not_choose_changes_nothing(tmp_path: Path, person, choices, permission, error) -> None:
    gate = desk(tmp_path, **permission)
    with pytest.raises(error):
        gate.choose("customer", choices, person=person)
    found = gate.query("SELECT income FROM customer WHERE id = 2", person=RUSSELL, purpose="Marketing").rows()
    assert found == [("20000-30000",)]
    refused = log_of(tmp_path)[0]
    assert (refused["decision"], refused["reason"], refused["columns"]) == ("refused", error.__name__, [])
    gate.close()


def test_a_choice_that_could_not_be_kept_is_in_the_log(tmp_path: Path, monkeypatch) -> None:
    gate = desk(tmp_path)

    def fail(*_: object) -> None:
        raise DataError("full")

    monkeypatch.setattr(gate.source, "choose", fail)
    with pytest.raises(DataError):
        gate.choose("customer", [("2", "income", "G||")], person=CARL)
    answered, chose, refused = log_of(tmp_path)
    assert (answered["decision"], chose["kind"], refused["decision"]) == ("answered", "chose", "refused")
    assert answered["batch"] == chose["batch"] == refused["batch"]
    gate.close()


DEEDS = {
    "select": lambda gateway: gateway.query(
        "SELECT id FROM customer WHERE name = 'Alice'", person=OWNER, purpose="Admin"
    ),
    "explain": lambda gateway: gateway.explain("SELECT id FROM customer", person=OWNER, purpose="Admin"),
    "choose": lambda gateway: gateway.choose_as_owner("customer", [("1", "name", "")], login="root"),
}


@pytest.mark.parametrize("operation", DEEDS)
@pytest.mark.parametrize("error", [KeyError, RecursionError, MemoryError, KeyboardInterrupt])
def test_what_nobody_foresaw_is_in_the_log_by_its_type(tmp_path: Path, monkeypatch, operation: str, error) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error("56 Fay Street")

    log = tmp_path / "audit.jsonl"
    gateway = Gateway(Policy.of(kabir.policy()), customers(), log=AuditLog(log))
    for name in ("ready", "types", "choose"):
        monkeypatch.setattr(gateway.source, name, fail)
    with pytest.raises(UnexpectedFailure if issubclass(error, Exception) else error) as raised:
        DEEDS[operation](gateway)
    gateway.close()
    last = json.loads(log.read_text().splitlines()[-1])
    assert (last["operation"], last["decision"], last["reason"]) == (operation, "refused", error.__name__)
    assert "Fay" not in log.read_text()
    if isinstance(raised.value, UnexpectedFailure):
        assert raised.value.where.startswith(f"{error.__name__} in test_gateway.py, line ")
        assert raised.value.__context__ is None
        assert "Fay" not in str(raised.value)


def test_a_question_at_whose_reading_the_gateway_fails_is_in_the_log(tmp_path: Path, monkeypatch) -> None:
    def fail(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(gateway_module, "parse_query", fail)
    gateway = Gateway(Policy.of(kabir.policy()), customers(), log=AuditLog(tmp_path / "audit.jsonl"))
    with pytest.raises(UnexpectedFailure):
        gateway.query("SELECT 1", person=OWNER)
    gateway.close()
    last = json.loads((tmp_path / "audit.jsonl").read_text().splitlines()[-1])
    assert (last["statement"], last["reason"]) == ("(8 characters that could not be read)", "RecursionError")


def test_explanations_are_in_the_log_as_such(tmp_path: Path) -> None:
    gate = desk(tmp_path)
    gate.explain("SELECT income FROM customer WHERE name = 'Bob'", person=RUSSELL, purpose="Marketing")
    with pytest.raises(DeniedError):
        gate.explain("SELECT income FROM customer", person=RUSSELL, purpose="Espionage")
    answered, refused = log_of(tmp_path)
    assert (answered["operation"], answered["decision"], answered["rows"]) == ("explain", "answered", 0)
    assert answered["columns"] == ["customer.income", "customer.name"]
    assert "Bob" not in answered["statement"]
    assert (refused["operation"], refused["purpose"], refused["reason"]) == ("explain", "Espionage", "DeniedError")
    gate.query("SELECT income FROM customer", person=RUSSELL, purpose="Marketing")
    assert log_of(tmp_path)[-1]["operation"] == "select"
    gate.close()


def test_the_purpose_of_a_refused_question_is_in_the_log(tmp_path: Path) -> None:
    gate = desk(tmp_path)
    with pytest.raises(DeniedError):
        gate.query("SELECT id FROM customer FOR PURPOSE Espionage", person=RUSSELL)
    assert log_of(tmp_path)[0]["purpose"] == "Espionage"
    gate.close()


@pytest.mark.parametrize("key", [2, None, "\ud800"])
def test_a_choice_is_made_of_texts(tmp_path: Path, key: object) -> None:
    gate = desk(tmp_path)
    with pytest.raises(PolicyError, match="all texts"):
        gate.choose("customer", [(key, "income", "G||")], person=CARL)
    gate.close()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM (SELECT id, max(name) AS m FROM customer GROUP BY id) t WHERE m IS DISTINCT FROM 'Bob'",
        "SELECT id FROM (SELECT id, first_value(name) OVER (PARTITION BY id ORDER BY id) AS m FROM customer) t "
        "WHERE m IS DISTINCT FROM 'Bob'",
        "SELECT id FROM (SELECT id, lag(name, 0) OVER (ORDER BY id) AS m FROM customer) t WHERE m IS DISTINCT FROM 'x'",
        "SELECT 'Bob' EXCEPT SELECT max(name) FROM customer",
        "SELECT id FROM (SELECT id, avg(CASE WHEN name = 'Bob' THEN 1 ELSE 0 END) AS m FROM customer GROUP BY id) t "
        "WHERE m IS DISTINCT FROM 1",
        "SELECT id FROM customer WHERE COALESCE((SELECT max(id) FROM customer WHERE name = 'Bob'), 0) = 0",
        "SELECT 'no' AS t FROM (SELECT max(id) AS m FROM customer WHERE name = 'Bob') d WHERE COALESCE(m, 0) = 0",
        "SELECT id FROM customer GROUP BY id HAVING COALESCE(max(id) FILTER (WHERE name = 'Bob'), 0) = 0",
        "SELECT n FROM (SELECT count(*) AS n FROM customer WHERE name = 'Bob') t WHERE n IS DISTINCT FROM 1",
        "SELECT c.id FROM customer c CROSS JOIN (SELECT max(id) AS m FROM customer WHERE name = 'Bob') d "
        "LEFT JOIN customer e ON e.id = d.m AND e.id = c.id WHERE e.id IS NULL",
        "SELECT id FROM customer WHERE id NOT IN (SELECT id FROM customer GROUP BY id HAVING count(name) > 0)",
        "SELECT id FROM customer EXCEPT SELECT id FROM "
        "(SELECT id, count(name) OVER (PARTITION BY id) AS n FROM customer) t WHERE n > 0",
        "SELECT id FROM customer WHERE id NOT IN (SELECT id FROM customer ORDER BY income DESC LIMIT 2)",
        "SELECT id FROM customer EXCEPT (SELECT id FROM customer ORDER BY name LIMIT 1)",
        "SELECT id FROM customer EXCEPT SELECT id FROM "
        "(SELECT id, rank() OVER (ORDER BY name) AS r FROM customer) t WHERE r < 4",
        "SELECT id FROM customer WHERE id NOT IN (SELECT min(id) FROM customer GROUP BY name)",
    ],
)
def test_what_may_be_hidden_stays_so_through_aggregates_and_windows(text: str) -> None:
    with pytest.raises(StatementError):
        hiding().query(text, person=OWNER, purpose="Marketing")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM customer GROUP BY id HAVING max(name) IS NULL",
        "SELECT id FROM (SELECT id, max(name) AS m FROM customer GROUP BY id) t WHERE m IS NULL",
        "SELECT c.id FROM customer c LEFT JOIN (SELECT id AS i, 1 AS one FROM customer WHERE income > 30000) d "
        "ON c.id = d.i WHERE one IS NULL",
        "WITH d AS (SELECT id AS i, 1 AS one FROM customer WHERE income > 30000) "
        "SELECT c.id FROM customer c LEFT JOIN d ON c.id = d.i WHERE one IS NULL",
        "SELECT id FROM customer GROUP BY id HAVING bool_and(name = 'Bob') IS NULL",
        "SELECT id FROM (SELECT id, bool_or(name = 'Bob') OVER (PARTITION BY id) AS b FROM customer) t WHERE b IS NULL",
        "SELECT id FROM customer WHERE CASE WHEN name = 'Bob' THEN income ELSE income END IS NULL",
        "SELECT id FROM customer WHERE lo(CASE WHEN name = 'Bob' THEN income ELSE income END) IS NULL",
        "WITH d AS (SELECT a.id FROM customer a JOIN customer b USING (name)) "
        "SELECT c.id FROM customer c LEFT JOIN d ON d.id = c.id WHERE d.id IS NULL",
        "SELECT c.id FROM customer a JOIN customer b ON a.id = b.id AND a.name = 'Bob' "
        "RIGHT JOIN customer c ON c.id = a.id WHERE a.id IS NULL",
        "SELECT c.id FROM customer a JOIN customer b ON a.id = b.id AND a.name = 'Bob' "
        "FULL JOIN customer c ON c.id = a.id WHERE b.id IS NULL",
        "SELECT c.id FROM customer a JOIN customer b USING (name) "
        "RIGHT JOIN customer c ON c.id = a.id WHERE a.id IS NULL",
        "SELECT id FROM customer GROUP BY id HAVING max(id) FILTER (WHERE name = 'Bob') IS NULL",
        "WITH d AS (SELECT max(id) AS m FROM customer WHERE name = 'Bob') SELECT 'no Bob' AS t FROM d WHERE m IS NULL",
        "SELECT max(id) AS m FROM customer WHERE name = 'Bob' HAVING max(id) IS NULL",
        "SELECT id FROM customer c WHERE EXISTS "
        "(SELECT max(id) FROM customer d WHERE d.id = c.id AND d.name = 'Bob' HAVING max(id) IS NULL)",
        "SELECT id FROM customer WHERE id < 3 AND (SELECT bool_and(name = 'Alice') FROM customer WHERE id < 3)",
        "SELECT id FROM customer WHERE NOT (SELECT bool_or(name = 'Bob') FROM customer)",
        "SELECT id FROM customer WHERE (SELECT bool_and(id > 2) FROM customer WHERE name IN ('Ron', 'Bob'))",
        "SELECT id FROM customer WHERE (SELECT bool_and(id > 2) FILTER (WHERE name IN ('Ron', 'Bob')) FROM customer)",
    ],
)
def test_nothing_follows_from_what_is_missing(text: str) -> None:
    found = hiding().query(text, person=OWNER, purpose="Marketing")
    assert (found.rows(), found.uncertain) == ([], True)


def test_a_case_on_an_aggregate_of_undecided_rows_is_undecided() -> None:
    text = "SELECT CASE WHEN max(id) FILTER (WHERE name = 'Bob') IS NULL THEN 'no' ELSE 'yes' END AS b FROM customer"
    found = hiding().query(f"{text} GROUP BY id", person=OWNER, purpose="Marketing")
    assert (found.rows(), found.uncertain) == ([(None,)] * 4, False)


def test_a_truth_about_all_rows_follows_from_one_that_is_known() -> None:
    text = (
        "SELECT bool_and(name = 'Alice') AS a, bool_or(name = 'Alice') AS b, bool_or(name = 'Carl') AS c, "
        "bool_and(id > 2) FILTER (WHERE name <> 'Ron') AS d, bool_and(id > 0) AS e FROM customer"
    )
    found = hiding().query(text, person=OWNER, purpose="Marketing")
    assert found.rows() == [(False, True, None, False, True)]


@pytest.mark.parametrize("column", ["name", "income", "id, age"])
@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM customer WHERE id NOT IN (SELECT a.id FROM {})",
        "SELECT id FROM customer c WHERE NOT EXISTS (SELECT 1 FROM {} WHERE a.id = c.id)",
        "SELECT id FROM customer EXCEPT SELECT a.id FROM {}",
    ],
)
def test_using_a_hidden_column_is_as_uncertain_as_on(text: str, column: str) -> None:
    with pytest.raises(StatementError, match="not offered on values that may be hidden"):
        hiding().query(text.format(f"customer a JOIN customer b USING ({column})"), person=OWNER, purpose="Marketing")


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SELECT a.id FROM customer a JOIN customer b USING (name)", [(1,), (3,), (4,)]),
        ("SELECT id FROM customer GROUP BY id HAVING count(name) > 0", [(1,), (3,), (4,)]),
        ("SELECT id FROM customer WHERE (SELECT count(DISTINCT name) FROM customer) >= 3 AND id = 1", [(1,)]),
        ("SELECT DISTINCT name FROM customer", [("Alice",), ("Jak",), ("Ron",), (None,)]),
        ("SELECT name FROM customer UNION SELECT 'Ron'", [("Alice",), ("Jak",), ("Ron",), (None,)]),
        ("SELECT count(*) AS n FROM customer GROUP BY name", [(1,), (1,), (1,), (1,)]),
    ],
)
def test_what_hidden_values_decide_is_answered_with_a_note(text: str, rows: list[tuple[object, ...]]) -> None:
    found = hiding().query(text, person=OWNER, purpose="Marketing")
    assert (found.rows(), found.uncertain) == (rows, True)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SELECT id FROM customer ORDER BY name", [(1,), (4,), (3,), (2,)]),
        ("SELECT name FROM customer ORDER BY id LIMIT 2", [("Alice",), (None,)]),
        ("SELECT id, name = 'Ron' AS x FROM customer", [(1, False), (2, None), (3, True), (4, False)]),
        ("SELECT id FROM customer WHERE id NOT IN (SELECT id FROM customer ORDER BY id LIMIT 3)", [(4,)]),
        ("SELECT id FROM customer EXCEPT SELECT a.id FROM customer a JOIN customer b USING (id) WHERE id > 1", [(1,)]),
        ("SELECT max(id) AS m FROM customer WHERE id > 9 HAVING max(id) IS NULL", [(None,)]),
    ],
)
def test_what_no_hidden_value_decides_has_no_note(text: str, rows: list[tuple[object, ...]]) -> None:
    found = hiding().query(text, person=OWNER, purpose="Marketing")
    assert (found.rows(), found.notes) == (rows, [])


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SELECT id AS n FROM customer ORDER BY income DESC LIMIT 1", [(3,)]),
        ("SELECT name AS n FROM customer UNION ALL SELECT 'Zoe' ORDER BY n DESC LIMIT 1", [("Zoe",)]),
        ("SELECT id, count(name) AS n FROM customer GROUP BY id", [(1, 1), (2, 0), (3, 1), (4, 1)]),
        ("SELECT max(name) AS n, bool_or(name = 'Ron') AS r FROM customer", [("Ron", True)]),
        ("SELECT count(*) AS n FROM customer WHERE name > 'B'", [(2,)]),
        ("SELECT id, rank() OVER (ORDER BY name) AS n FROM customer", [(1, 1), (2, 4), (3, 3), (4, 2)]),
        ("SELECT id, coalesce(name, 'none') AS n FROM customer WHERE id < 3", [(1, "Alice"), (2, "none")]),
    ],
)
def test_columns_that_hidden_values_could_change_are_named(text: str, rows: list[tuple[object, ...]]) -> None:
    found = hiding().query(text, person=OWNER, purpose="Marketing")
    assert (found.rows(), found.uncertain, found.in_doubt) == (rows, False, ["n"])
    (note,) = found.notes
    assert note.startswith("n: only what may be seen was counted")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM customer GROUP BY id HAVING count(name) = 0",
        "SELECT id FROM customer GROUP BY id HAVING max(name) < 'B'",
        "SELECT id FROM customer GROUP BY id HAVING avg(coalesce(length(name), 0)) = 0",
        "SELECT id FROM customer GROUP BY id HAVING NOT bool_or(coalesce(name = 'Bob', FALSE))",
        "SELECT id FROM customer GROUP BY id HAVING avg(CASE WHEN name = 'Bob' THEN 1 ELSE 0 END) IS NULL",
        "SELECT id FROM customer c WHERE (SELECT count(name) FROM customer d WHERE d.id = c.id) = 0",
        "SELECT id FROM customer c WHERE (SELECT count(*) FROM customer d WHERE d.id = c.id AND d.name = 'Bob') = 0",
        "SELECT id FROM customer WHERE (SELECT count(DISTINCT name) FROM customer) = 3 AND id = 1",
        "SELECT id FROM customer WHERE name = (SELECT max(name) FROM customer)",
        "SELECT id FROM customer WHERE id = (SELECT id FROM customer ORDER BY name LIMIT 1)",
        "SELECT count(*) AS n FROM customer GROUP BY name HAVING count(*) > 0",
        "SELECT CASE WHEN count(name) = 0 THEN 'none' ELSE 'some' END AS s FROM customer",
        "SELECT id FROM (SELECT id, count(name) OVER (PARTITION BY id) AS n FROM customer) t WHERE n = 0",
        "SELECT id FROM (SELECT id, row_number() OVER (ORDER BY name) AS r FROM customer) t WHERE r = 4",
        "SELECT id FROM (SELECT id, rank() OVER (ORDER BY name) AS r FROM customer) t WHERE r = 1",
        "SELECT id FROM (SELECT id, lead(id) OVER (ORDER BY name) AS r FROM customer) t WHERE r = 4",
        "SELECT id FROM (SELECT id, count(*) OVER (PARTITION BY name) AS n FROM customer) t WHERE n = 1",
        "SELECT id FROM (SELECT id, lag(id) OVER (ORDER BY id) AS m FROM customer WHERE name = 'Ron') t "
        "WHERE m IS NULL",
        "SELECT id FROM (SELECT id, lead(id) OVER (ORDER BY name) AS m FROM customer) t WHERE m IS NULL",
        "SELECT id FROM (SELECT id, bool_and(id = 2) OVER (PARTITION BY name) AS b FROM customer) t WHERE b",
    ],
)
def test_no_condition_takes_hidden_values_for_absent(text: str) -> None:
    with pytest.raises(StatementError, match="not offered on values that may be hidden"):
        hiding().query(text, person=OWNER, purpose="Marketing")


@pytest.mark.parametrize(
    "rest",
    [
        "SELECT c.id FROM customer c WHERE NOT EXISTS (SELECT 1 FROM d WHERE d.i = c.id)",
        "SELECT c.id FROM customer c WHERE c.id NOT IN (SELECT i FROM d)",
        "SELECT id FROM customer EXCEPT SELECT i FROM d",
        "SELECT id FROM customer INTERSECT SELECT i FROM d",
        "SELECT id FROM customer EXCEPT (WITH e AS (SELECT i FROM d) SELECT i FROM e)",
    ],
)
def test_rows_of_a_named_query_may_be_missing_as_well(rest: str) -> None:
    with pytest.raises(StatementError, match="not offered on values that may be hidden"):
        hiding().query(
            f"WITH d AS (SELECT id AS i FROM customer WHERE income > 30000) {rest}", person=OWNER, purpose="Marketing"
        )


def test_a_named_query_without_hidden_values_is_certain() -> None:
    text = "WITH d AS (SELECT id AS i FROM customer WHERE id > 1) SELECT id FROM customer EXCEPT SELECT i FROM d"
    found = hiding().query(text, person=OWNER, purpose="Marketing")
    assert (found.rows(), found.uncertain) == ([(1,)], False)


def hiding() -> Gateway:
    """Names have no weaker form, and that of the second customer is hidden for marketing."""
    given = kabir.policy()
    given["tables"]["customer"]["columns"]["name"] = {"by_choice": True}
    chosen = {key: ("G|A|M" if key == 2 else row[0], *row[1:]) for key, row in kabir.TABLE_3_2.items()}
    return Gateway(Policy.of(given), customers(chosen), clock=lambda: AT_TEN)


@pytest.mark.parametrize("written", ["Customer", "customer", '"CUSTOMER"'])
def test_duckdb_finds_a_table_whatever_the_case_of_its_name(written: str) -> None:
    """DuckDB ignores the case of names, quoted ones too; so a policy that writes a capital covers the same table."""
    given = kabir.policy()
    given["tables"]["Customer"] = given["tables"].pop("customer")
    for permission in given["permissions"]:
        permission["table"] = "Customer"
    source = customers()
    source.columns = {"Customer": source.columns["customer"]}
    found = Gateway(Policy.of(given), source, clock=lambda: AT_TEN).query(
        f"SELECT id FROM {written}", person=RUSSELL, purpose="Marketing"
    )
    assert len(list(found.rows())) == 4
