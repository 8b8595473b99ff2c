from __future__ import annotations

from datetime import UTC, datetime

from sfumato.gateway.answers.explaining import Explanation
from sfumato.gateway.cli.drawing import explanation_text
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.policy import Policy
from tests.gateway import kabir
from tests.gateway.memory import MemorySource, customers, memory_database

OWNER = Person("olga", frozenset({"owner"}), {})


def explained(text: str, **change):
    gateway = Gateway(
        Policy.of({**kabir.policy(), **change}), customers(), clock=lambda: datetime(2026, 11, 16, 10, tzinfo=UTC)
    )
    return gateway.explain(text, person=OWNER, purpose="Marketing")


def test_every_class_of_rows_is_explained() -> None:
    told = explained("SELECT name FROM customer WHERE income > 25000")
    seen = {(line.column, line.rows): line for line in told.lines}
    assert {line.column for line in told.lines} == {"name", "income"}
    assert seen["income", "chosen 'G|A|M'"].access is Access.HIDDEN
    assert seen["income", "chosen 'G|A|M'"].because == ("choice 'G|A|M' prohibits",)
    assert seen["income", "chosen 'G|M|A'"].access is Access.CONDITIONAL
    assert seen["income", "chosen 'G|M|A'"].form == "bucket(width=10000)"
    assert seen["income", "chosen 'G|S|A'"].because == ("choice 'G|S|A' allows",)
    assert seen["income", "not chosen"].because == ("no rule allows it",)
    assert (told.person, told.purpose, told.row_policies) == ("olga", "Marketing", {"customer": "mask_cell"})
    assert told.uncertain
    assert '"income.lo" > 25000' in told.sql


def test_rules_for_some_rows_are_explained() -> None:
    rule = {"name": "minors", "table": "customer", "columns": ["id"], "where": "age < 18", "prohibited": ["Marketing"]}
    told = explained("SELECT id FROM customer", rules=[rule])
    seen = {line.rows: (line.access, line.because) for line in told.lines}
    assert seen == {
        "(age < 18)": (Access.HIDDEN, ("rule 'minors' prohibits",)),
        "not (age < 18)": (Access.FULL, ("table 'customer' allows",)),
    }


def test_a_column_with_too_many_conditional_rules_is_not_called_hidden() -> None:
    """Five conditions have 32 combinations, which are listed; of six it is said that the rules decide."""
    rules = [
        {"name": f"age {age}", "table": "customer", "columns": ["id"], "where": f"age < {age}", "allowed": ["General"]}
        for age in range(18, 24)
    ]
    assert len(explained("SELECT id FROM customer", rules=rules[:5]).lines) == 32
    told = explained("SELECT id FROM customer", rules=rules)
    (line,) = told.lines
    assert (line.access, line.rows, line.to_dict()["access"]) == (None, "each by its rules", "depends on rules")
    assert line.because == ("table 'customer'", *(f"rule 'age {age}'" for age in range(18, 24)))
    assert Explanation.of_dict(told.to_dict()) == told
    assert "depends on rules" in explanation_text(told)
    assert "hidden" not in explanation_text(told).partition("SQL")[0].replace("Rows with hidden values", "")


def test_it_is_plain_data() -> None:
    told = explained("SELECT id FROM customer").to_dict()
    assert told["lines"] == [
        {
            "table": "customer",
            "column": "id",
            "rows": "all",
            "access": "full",
            "form": "",
            "because": ["table 'customer' allows"],
        }
    ]


def test_nothing_is_asked() -> None:
    source = customers()
    gateway = Gateway(Policy.of(kabir.policy()), source)
    gateway.explain("SELECT id FROM customer", person=OWNER, purpose="Marketing")
    assert source.asked == []


STAFF = {
    "name": "staff", "purposes": {"Work": []},
    "tables": {
        "customer": {
            "key": "id", "allowed": ["Work"], "retention": [{"column": "born", "days": 1825}],
            "columns": {"id": {}, "income": {"missing": "open", "bounds": [0.0, 9.0]}, "born": {}},
        },
    },
    "roles": {"owner": {}},
}  # fmt: skip


def staff(**permission) -> Gateway:
    given = {"role": "owner", "table": "customer", "purpose": "Work", **permission}
    raw = memory_database()
    raw.execute("CREATE TABLE customer (id INT PRIMARY KEY, income INT, born DATE)")
    source = MemorySource(raw, {"customer": {"id": "INTEGER", "income": "INTEGER", "born": "DATE"}})
    return Gateway(Policy.of({**STAFF, "permissions": [given], "auditing": {"least": 7}}), source)


def test_how_long_rows_are_kept_and_on_which_terms_aggregates_are_answered() -> None:
    kept = "rows of 'customer' are shown for 1,825 days from the day in 'born'"
    for permission, terms in (
        ({}, ["s: only what may be seen was counted; hidden values and missing rows could change this"]),
        (
            {"only_aggregates": True},
            ["aggregates only, each about at least 7 people, also in combination with earlier ones"],
        ),
        (
            {"only_aggregates": True, "epsilon": 1.0, "epsilon_a_question": 0.25},
            ["aggregates only, with noise: a query costs 0.25 of 1 (epsilon)"],
        ),
    ):
        told = staff(**permission).explain("SELECT sum(income) AS s FROM customer", person=OWNER)
        assert list(told.notes) == [kept, *terms]
        assert Explanation.of_dict(told.to_dict()) == told
        assert f"Note: {kept}." in explanation_text(told)


def test_a_value_that_nobody_allows_is_not_hidden_for_want_of_a_weaker_form() -> None:
    """The table narrows what a person's choice would allow; this person has chosen nothing."""
    policy = kabir.policy()
    policy["tables"]["customer"] = {**policy["tables"]["customer"], "conditional": ["Marketing"]}
    seen = {line.rows: line for line in explained("SELECT name FROM customer", tables=policy["tables"]).lines}
    assert seen["not chosen"].because == ("no rule allows it",)
