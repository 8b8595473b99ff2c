from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from sfumato.audit.audit import Audit
from sfumato.cli.drawing import audit_text, entry_text, listing_text
from sfumato.datasets.hospital import ROWS
from sfumato.models import KAnonymity
from sfumato.settings import catalogue
from tests.cli.commands import canary_csv, canary_plan, sfumato


def test_suppressed_records_are_told() -> None:
    frame = pa.table({"a": ["x", "x", None], "s": ["1", "2", None]})
    told = audit_text(Audit.of_frame(frame, quasi=["a"], sensitive=["s"]), [])
    assert told.startswith("2 records (1 more is suppressed) in 1 group: k = 2")
    assert "\n  1 group  of 2 records" in told


def test_no_c_at_all() -> None:
    told = audit_text(Audit.of_frame(pa.table(ROWS), quasi=["Job", "Age"], sensitive=["Disease"]), [])
    assert "no c" in told


def test_columns_are_aligned() -> None:
    lines = listing_text({"metrics": catalogue.entries("metrics")}).splitlines()
    width = max(len(name) for name in catalogue.names("metrics"))
    assert all(line[2 + width : 4 + width] == "  " and line[4 + width] != " " for line in lines[1:])


def test_an_entry_without_settings() -> None:
    entry = catalogue.describe("discernibility")
    assert entry_text(entry).startswith("discernibility (metrics)")


@pytest.mark.parametrize(
    ("metrics", "explained"), [(["ncp"], True), (["ncp", "suppressed_share"], True), (["suppressed_share"], False)]
)
def test_the_scale_of_costs_is_explained_if_one_has_it(tmp_path: Path, metrics: list[str], explained: bool) -> None:
    canary_csv(tmp_path / "people.csv")
    wanted = "\n".join(f'[[metrics]]\nname = "{name}"' for name in metrics)
    told = sfumato("publish", canary_plan(tmp_path, metrics=wanted)).stdout
    head = next(line for line in told.splitlines() if line.startswith("What it cost"))
    assert (head == "What it cost (0% as the original, 100% as all records in one group)") is explained


def test_one_thing_has_no_plural() -> None:
    frame = pa.table({"a": ["x", "y", "y", None, None], "s": ["1", "2", "2", None, None]})
    audit = Audit.of_frame(frame, quasi=["a"], sensitive=["s"]).judged(KAnonymity(k=2))
    told = audit_text(audit, [])
    assert told.startswith("3 records (2 more are suppressed) in 2 groups: k = 1")
    assert "fails in 1 group, 1 record" in told
    assert "\n  1 group  of 1 record\n  1 group  of 2 records" in told
