from __future__ import annotations

from datetime import UTC, datetime

from sfumato.gateway.gateway import Gateway
from sfumato.gateway.intended import Access
from sfumato.gateway.people import Person
from sfumato.gateway.policy import Policy
from tests.gateway import kabir
from tests.gateway.memory import customers

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
    assert seen["income", "not chosen"].because == ("nobody allows it",)
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
