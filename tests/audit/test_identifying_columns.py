"""Why a column of an original identifies persons: by the rules of `sfumato init`, but not by chance."""

from __future__ import annotations

import pyarrow as pa
import pytest

from sfumato.audit.identifying_columns import why_identifying
from sfumato.engines.opening import open_frame

WORDS = ["oak", "elm", "ash", "fir", "yew", "bay", "fig", "box", "may", "sallow", "hazel", "rowan"]


def why(name: str, values: list[str], missing: tuple[str, ...] = ()) -> str:
    source = open_frame(pa.table({name: values}))
    return why_identifying(source, name, source.count([name]), missing)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (WORDS[:9], ""),
        (WORDS[:10], "has 100% as many values as records"),
        ([*WORDS[:7], "oak", "elm"], ""),
        ([*WORDS[:7], "oak", "yew", "yew"], ""),
        ([*WORDS[:8], "oak", "oak"], "alone it makes 70% of the records unique"),
    ],
)
def test_different_values_identify_from_ten_records_on(values: list[str], said: str) -> None:
    """Of nine records five or nine have a value of their own, of ten four, seven or all."""
    found = why("v", values)
    assert found.startswith(said)
    assert bool(found) == bool(said)


def test_names_and_contents_count_in_a_few_records_too() -> None:
    assert why("patient_id", WORDS[:2]).startswith("is named 'patient' and 'id'")
    assert why("v", [f"{word}@trees.org" for word in WORDS[:5]]).startswith("holds email addresses")


def test_other_roles_do_not_identify() -> None:
    assert why("age", [str(20 + place) for place in range(12)]) == ""
    assert why("hiv", ["yes", "no"] * 10) == ""
