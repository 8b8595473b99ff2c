"""What sensitive columns give away although models hold: counted by hand in tables of twenty persons."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sfumato
from sfumato.audit.audit import Audit
from sfumato.audit.sensitive_columns import SensitiveColumn
from sfumato.data.kinds import Kind
from sfumato.data.schema import Schema
from sfumato.disclosure.known_columns import KnownColumns
from sfumato.errors import DisclosureWarning
from sfumato.models import AlphaKAnonymity, ConfidenceBounding, DistinctLDiversity, KAnonymity, TCloseness
from sfumato.models.base import PrivacyModel
from sfumato.plan import Plan
from tests.cli.commands import sfumato as command

AGES = ["30"] * 10 + ["40"] * 10
"""Two groups of ten."""


def audit_of(ill: Sequence[str | None], **more: Any) -> Audit:
    return Audit.of_frame(pa.table({"age": AGES, "ill": ill, **more}), quasi=["age"], sensitive=["ill"])


def test_what_is_counted() -> None:
    """The first ten have flu; of the second, four have flu, two gout, and four an illness of their own."""
    audit = audit_of(["flu"] * 14 + ["gout"] * 2 + ["a", "b", "c", "d"])
    assert audit.sensitive == (
        SensitiveColumn("ill", Kind.TEXT, 1.0, False, 14 / 20, 14 / 20, 6, alone=4, people=20, unit="records"),
    )
    assert audit.to_dict()["sensitive"]["ill"]["alone"] == 4


def test_a_missing_value_is_nobodys_own_and_no_value() -> None:
    (found,) = audit_of([None] * 10 + ["flu"] * 9 + [None]).sensitive
    assert (found.is_missing, found.alone, found.values, found.sure) == (True, 0, 2, 11 / 20)
    (found,) = audit_of(["flu"] * 19 + [None]).sensitive
    assert (found.is_missing, found.alone, found.frequent) == (False, 0, 19 / 20)


def test_persons_are_counted_where_they_have_several_records() -> None:
    """Ten persons with two records each, in groups of five; everybody has an income of their own."""
    people = [str(at // 2) for at in range(20)]
    frame = pa.table({"who": people, "age": AGES, "pay": [str(1000 + at // 2) for at in range(20)]})
    (found,) = Audit.of_frame(frame, quasi=["age"], sensitive=["pay"], person="who").sensitive
    assert (found.alone, found.people, found.unit, found.confidence) == (10, 10, "persons", 1 / 5)


SURE = ["flu"] * 10 + ["flu"] * 4 + ["gout"] * 6
"""The first group is sure of a value that 14 of 20 have."""
FOUND = "somebody who finds the group of a person can be up to 100% sure of a value of 'ill'."
AT_BEST = "confidence_bounding limits it, to 70% at best: so many of all records have one value."


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ([], ""),
        ([KAnonymity(k=5)], ""),
        ([KAnonymity(k=5) & TCloseness(t=0.2)], "t_closeness(t=0.2) allows up to 90%. "),
        ([TCloseness(t=0.3)], "t_closeness(t=0.3) allows that. "),
        ([DistinctLDiversity(l=1)], "distinct_l_diversity(l=1) allows that. "),
        ([ConfidenceBounding(h=0.5)], "confidence_bounding(h=0.5) allows up to 50%. "),
        ([ConfidenceBounding(h=0.5, value="gout")], "confidence_bounding(h=0.5, value=gout) allows that. "),
        ([AlphaKAnonymity(alpha=0.25, k=2)], "alpha_k_anonymity(alpha=0.25, k=2) allows up to 25%. "),
    ],
)
def test_a_warning_says_which_model_allows_what(models: list[PrivacyModel], said: str) -> None:
    audit = audit_of(SURE)
    for model in models:
        audit = audit.judged(model)
    assert audit.warnings == (f"{FOUND} {said}{AT_BEST}",)


def test_a_model_of_fewer_known_columns_says_nothing_of_an_attacker_who_knows_all() -> None:
    schema = Schema.of(quasi=["age", "sex"], sensitive=["ill"], quasi_identifiers={"one": ["sex"]})
    (found,) = audit_of(SURE).sensitive
    (said,) = found.warnings([ConfidenceBounding(h=0.8, quasi="one")], schema)
    assert "confidence_bounding(h=0.8, quasi=one) allows that." in said


@pytest.mark.parametrize(
    ("ill", "said"),
    [
        (
            ["flu"] * 20,
            f"{FOUND} All records have this one, so no model can hide it: leave the column out, or publish it as "
            "plain.",
        ),
        (
            ["flu"] * 19 + ["gout"],
            f"{FOUND} 95% of all records have the same value, and no model can make every group less sure than that; "
            "distinct_l_diversity rules out certainty alone. Leave the column out if this is too much.",
        ),
        (
            [None] * 19 + ["gout"],
            "somebody who finds the group of a person can be up to 100% sure that the value of 'ill' is missing. 95% "
            "of all records miss it, and no model can make every group less sure than that; distinct_l_diversity rules "
            "out certainty alone. Leave the column out if this is too much.",
        ),
    ],
)
def test_no_model_is_advised_that_cannot_hold(ill: list[str | None], said: str) -> None:
    assert audit_of(ill).warnings == (said,)


PAY = [2000 + 7 * at for at in range(20)]


@pytest.mark.parametrize(
    ("values", "warned"),
    [
        (PAY, "20 of 20 published records (100.0%) are the only ones with their value of 'pay', which is published "
         "unchanged: somebody who knows this value of a person finds the record, whatever the models promise. Round it "
         "by a mask, or make the column quasi, so that it is generalized or microaggregated."),
        ([f"job {at}" for at in PAY], "Publish coarser values, or make the column quasi, so that it is generalized."),
        (PAY[:5] * 3 + [1, 2, 3, 4, 5], "5 of 20 published records (25.0%)"),
        (PAY[:4] * 4 + [1, 2, 3, 4], ""),
    ],
)  # fmt: skip
def test_values_of_one_person_alone(values: list[Any], warned: str) -> None:
    frame = pa.table({"age": AGES, "pay": values})
    said = Audit.of_frame(frame, quasi=["age"], sensitive=["pay"]).warnings
    assert [warned in one for one in said] == [True] * bool(warned)


def test_values_that_a_mask_changed_or_that_stand_in_no_record_are_known_to_nobody(tmp_path: Path) -> None:
    lines = ["age,pay", *(f"{age},{pay}" for age, pay in zip(AGES, PAY, strict=True))]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    plan = {
        "data": {"path": "in.csv"},
        "columns": {"age": {"role": "quasi"}, "pay": {"role": "sensitive"}},
        "models": [{"name": "distinct_l_diversity", "l": 2}],
        "output": {"path": "out.csv", "certificate": "c.json", "report": "r.html"},
    }

    def alone(**more: Any) -> Any:
        outcome = Plan.of(plan | more, tmp_path).run()
        warned = any("the only ones" in said for said in outcome.release.provenance["warnings"])
        assert ("are the only ones with their value" in (tmp_path / "r.html").read_text()) is warned
        found = json.loads((tmp_path / "c.json").read_text())["measured"]["sensitive"]["pay"].get("alone")
        return found, warned

    assert alone() == (20, True)
    assert alone(masks=[{"name": "noise", "columns": ["pay"]}]) == (None, False)
    assert alone(algorithm={"name": "anatomy"}) == (None, False)
    told = command("check", tmp_path / "in.csv", "--quasi", "age", "--sensitive", "pay").stdout
    assert "20 of 20 published records (100.0%) are the only ones" in told


def test_python_warns_too() -> None:
    frame = pa.table({"age": ["30", "40", "40", "30"] * 5, "pay": [PAY[7 * at % 20] for at in range(20)]})
    with pytest.warns(DisclosureWarning, match=r"20 of 20 published records .* 'pay'"):
        sfumato.anonymize(frame, DistinctLDiversity(l=2), quasi=["age"], sensitive=["pay"])


class _OfAnyColumn(ConfidenceBounding):
    """A model of an attacker who knows any one of the quasi columns."""

    def known_columns(self, schema: Schema) -> KnownColumns:
        return KnownColumns(schema.quasi, 1)


def test_a_model_of_an_attacker_who_knows_any_few_columns_says_nothing_of_one_who_knows_all() -> None:
    (found,) = audit_of(SURE).sensitive
    for model, quasi, said in (
        (_OfAnyColumn(h=0.8), ["age", "sex"], "allows that."),
        (_OfAnyColumn(h=0.8), ["age"], "allows up to 80%."),
    ):
        (warning,) = found.warnings([model], Schema.of(quasi=quasi, sensitive=["ill"]))
        assert said in warning
