"""Warnings about what models do not cover: the order of records, forgotten columns, unprotected secrets."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest

from sfumato.data.schema import Schema
from sfumato.engines.opening import open_frame
from sfumato.models import ConfidenceBounding, DistinctLDiversity, KAnonymity
from sfumato.plan import Plan
from sfumato.plan.release_warnings import columns_in_order, undeclared_columns, unprotected_columns

SHUFFLED = random.Random(3).sample(range(400), 400)
SCHEMA = Schema.of(identifiers=["id"], quasi=["born", "city"], sensitive=["ill", "cost"])


def source(**columns: list):
    other = [str(place) for place in SHUFFLED]
    plain = {"id": other, "born": other, "city": other, "ill": other, "cost": other}
    return open_frame(pa.table(plain | columns))


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("id", [f"P{place:04}" for place in range(400)]),
        ("id", [f"P-{place}" for place in range(400)]),
        ("born", [str(1900 + place // 4) for place in range(400)]),
        ("born", [f"{1 + place % 28:02}.03.{1900 + place // 4}" for place in range(400)]),
        ("born", [str(400 - place) for place in range(400)]),
        ("city", ["Ulm"] * 200 + ["Bonn"] * 200),
    ],
)
def test_records_sorted_by_a_hidden_column_are_warned_about(column: str, values: list[str]) -> None:
    (said,) = columns_in_order(source(**{column: values}), SCHEMA)
    assert f"by '{column}'. Somebody" in said
    assert "Shuffle the records" in said


def test_no_warning_about_records_in_random_order_or_sorted_by_a_published_column() -> None:
    assert columns_in_order(source(), SCHEMA) == ()
    assert columns_in_order(source(ill=[f"{place:03}" for place in range(400)]), SCHEMA) == ()


def test_columns_without_a_role_are_named() -> None:
    assert undeclared_columns(source(), SCHEMA) == ()
    (said,) = undeclared_columns(source(admitted=["x"] * 400), SCHEMA)
    assert said.startswith("'admitted' is not in the plan and is published unchanged.")
    (said,) = undeclared_columns(source(admitted=["x"] * 400, ward=["y"] * 400), SCHEMA)
    assert said.startswith("'admitted', 'ward' are not in the plan and are published unchanged.")


def test_sensitive_columns_that_no_model_reads_are_named() -> None:
    (said,) = unprotected_columns(SCHEMA, KAnonymity(k=3))
    assert said.startswith("no model protects 'ill', 'cost'")
    model = KAnonymity(k=3) & DistinctLDiversity(l=2, sensitive="ill")
    (said,) = unprotected_columns(SCHEMA, model)
    assert said.startswith("no model protects 'cost'")
    assert unprotected_columns(SCHEMA, model & ConfidenceBounding(h=0.5, sensitive="cost")) == ()


@pytest.mark.parametrize(("algorithm", "warned"), [("mondrian", True), ("anatomy", False)])
def test_a_publication_shows_them(tmp_path: Path, algorithm: str, warned: bool) -> None:
    lines = ["born,city,ill,note", *(f"{place},{SHUFFLED[place] % 5},{SHUFFLED[place] % 7},n" for place in range(400))]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    given = {
        "data": {"path": "in.csv"},
        "columns": {"born": {"role": "quasi"}, "city": {"role": "quasi"}, "ill": {"role": "sensitive"}},
        "models": [{"name": "distinct_l_diversity", "l": 2}],
        "algorithm": {"name": algorithm},
        "output": {"path": "out.csv"},
    }
    said = Plan.of(given, tmp_path).run().release.provenance["warnings"]
    assert any("by 'born'" in one for one in said) is warned
    assert any("'note' is not in the plan" in one for one in said)
    assert not any("no model protects" in one for one in said)
    given["models"] = [{"name": "k_anonymity", "k": 2}]
    if algorithm == "mondrian":
        said = Plan.of(given, tmp_path).run().release.provenance["warnings"]
        assert any("no model protects 'ill'" in one for one in said)
