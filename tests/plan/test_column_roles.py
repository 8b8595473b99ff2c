from __future__ import annotations

import numpy as np
import pytest

from sfumato.data.domain import Domain
from sfumato.plan.column_roles import RoleFinding, finding
from sfumato.plan.distinguishability import Separation


def found(name: str, values: list[str | None]) -> RoleFinding:
    raw = list(dict.fromkeys(values))
    sizes = np.array([values.count(value) for value in raw])
    own = float((sizes == 1).sum() / len(values))
    return finding(name, Domain.of(name, raw)[0], Separation.of_sizes(sizes), own)


def role(name: str, values: list[str | None]) -> str:
    given = found(name, values).role
    return "undecided" if given is None else str(given)


FEW = ["a", "b", "c"] * 20
MANY = [f"v{place}" for place in range(60)]
RUNNING = [str(place + 7) for place in range(60)]
SPREAD = [str(place**3 - 500) for place in range(60)]
DATES = ["2020-01-01", "2021-05-06", "1999-12-31"] * 20


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        # what names a person
        ("Nachname", MANY, "identifier"),
        ("nachname", [f"n{place % 15}" for place in range(300)], "identifier"),
        ("work_phone", MANY, "identifier"),
        ("company_name", FEW, "quasi"),
        ("drug_name", MANY, "sensitive"),
        ("credit_card_no", RUNNING, "identifier"),
        ("account_balance", RUNNING, "sensitive"),
        ("anything", [f"u{place}@mail.example" for place in range(60)], "identifier"),
        ("diagnosis", [f"u{place}@mail.example" for place in range(60)], "identifier"),
        ("hh_nr", [str(place // 3) for place in range(60)], "identifier"),
        # secrets, also as flags
        ("religion", FEW, "sensitive"),
        ("hiv", ["0", "1"] * 30, "sensitive"),
        ("Gewerkschaft", ["ja", "nein"] * 30, "sensitive"),
        ("orientation_sexuelle", FEW, "sensitive"),
        ("maaş", SPREAD, "sensitive"),
        ("code", ["A09.0", "B18.1", "C50.9", "I10"] * 15, "sensitive"),
        # what others know
        ("age_at_diagnosis", ["30", "40"] * 30, "quasi"),
        ("payment_date", DATES, "quasi"),
        ("seen", DATES, "quasi"),
        ("race", FEW, "quasi"),
        ("PLZ", ["01067", "99084"] * 30, "quasi"),
        ("household_size", ["1", "2"] * 30, "quasi"),
        # by values alone
        ("n", RUNNING, "identifier"),
        ("n", MANY, "identifier"),
        ("n", [str(1_000_000 + 7919 * place) for place in range(60)], "identifier"),
        ("n", SPREAD, "undecided"),
        ("n", [f"{place / 7:.4f}" for place in range(60)], "undecided"),
        ("n", FEW, "undecided"),
        ("n", ["x", None] * 30, "undecided"),
        ("n", ["x"] * 60, "plain"),
        ("n", [None] * 60, "plain"),
    ],
)
def test_roles(name: str, values: list[str | None], expected: str) -> None:
    assert role(name, values) == expected


def test_a_special_category_of_one_value_is_a_secret_that_no_model_hides() -> None:
    said = found("hiv", ["1"] * 60)
    assert str(said.role) == "sensitive"
    assert "all persons have this value" in said.decide


def test_free_text_is_left_out_and_asked_for() -> None:
    said = found(
        "remark", [f"patient number {place} was seen again by the same doctor in our ward" for place in range(60)]
    )
    assert (str(said.role), "free text" in said.why) == ("identifier", True)
    assert "remove names" in said.decide
    answers = [f"I agree with the statement of question {place % 20} that was read to me" for place in range(100)]
    assert found("remark", answers).role is None


def test_a_secret_with_values_that_single_out_is_asked_for() -> None:
    assert "100% of the records have a value of their own" in found("salary", SPREAD).decide
    assert found("salary", FEW).decide == ""


@pytest.mark.parametrize("name", ["n", "salary", "email", "remark", "hh_nr", "ssn", "diagnosis"])
def test_no_reason_shows_a_value(name: str) -> None:
    said = found(name, [f"canary{place}@secret.example" for place in range(60)])
    assert "canary" not in said.why + said.decide


def test_a_column_without_values_is_said_to_have_none() -> None:
    assert found("remark", [None] * 20).why == "has no value, since all are missing"
    assert found("hiv", [None] * 20).why == "has no value, since all are missing"
    assert found("remark", ["x"] * 20).why == "has only one value, so it distinguishes no records"
