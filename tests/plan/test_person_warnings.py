"""Which repeated column is taken for the key of persons, and which unique column speaks against that."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

from sfumato.data.schema import Schema
from sfumato.engines.opening import open_frame
from sfumato.plan.person_warnings import repeated_identifiers, repeated_keys

EACH = [str(at) for at in range(100)]
NINE = [f"P{at % 9}" for at in range(100)]


def warned(keys: dict[str, Sequence[str | None]], missing: Sequence[str] = ()) -> list[str]:
    """What both warnings say, once for each; they agree on columns whose names are those of identifiers."""
    source = open_frame(pa.table({**keys, "age": [1] * 100}))
    of_plan = repeated_identifiers(source, Schema.of(identifiers=list(keys), quasi=["age"], missing=missing))
    of_file = repeated_keys(source, ["age"], missing)
    assert len(of_plan) == len(of_file)
    return [*of_plan, *of_file]


@pytest.mark.parametrize("unique", ["patient_visit_id", "patient_record_no", "user_no", "visit_id"])
@pytest.mark.parametrize("key", ["patient_id", "mrn"])
def test_a_unique_column_does_not_hide_a_key_of_persons(unique: str, key: str) -> None:
    (first, second) = warned({unique: EACH, key: NINE})
    assert f"100 records have 9 different values of '{key}'" in first
    assert f"--person '{key}'" in second


@pytest.mark.parametrize("other", ["account_no", "name"])
def test_a_unique_key_of_persons_speaks_against_other_columns(other: str) -> None:
    assert warned({"patient_id": EACH, other: NINE}) == []


@pytest.mark.parametrize("absent", [None, "?"])
def test_missing_keys_are_not_a_value(absent: str | None) -> None:
    assert warned({"patient_id": [absent, absent, *EACH[2:]], "account_no": NINE}, missing=["?"]) == []
    (said, _) = warned({"patient_id": [absent, absent, *NINE[2:]]}, missing=["?"])
    assert "98 records have 9 different values of 'patient_id'" in said
    (said, _) = warned({"patient_id": [absent] * 100, "account_no": NINE}, missing=["?"])
    assert "100 records have 9 different values of 'account_no'" in said
