"""Suppressed records that are dropped from the file instead of being written as rows of `*`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from sfumato.algorithms import Exhaustive
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.models import KAnonymity
from sfumato.plan import Plan
from sfumato.releases.table_release import TableRelease
from sfumato.taxonomies import Flat

# Two groups of three, and two records that are alone in theirs.
ROWS = [("A", 20, 1), ("A", 20, 2), ("C", 99, 3), ("A", 20, 1), ("B", 20, 2), ("B", 20, 1), ("B", 20, 2), ("D", 77, 4)]
FRAME = pd.DataFrame(ROWS, columns=["job", "age", "pay"], index=[f"row {place}" for place in range(len(ROWS))])
PLAN: dict[str, Any] = {
    "data": {"path": "in.csv"},
    "columns": {
        "job": {"role": "quasi", "type": "text", "taxonomy": {"flat": True}},
        "age": {"role": "quasi", "type": "text", "taxonomy": {"flat": True}},
        "pay": {"role": "sensitive"},
    },
    "models": [{"name": "k_anonymity", "k": 3}],
    "algorithm": {"name": "exhaustive"},
    "suppression": {"limit": 0.25, "rows": "drop"},
    "output": {"path": "out.csv", "certificate": "out.json"},
}


def released(frame: Any = FRAME) -> TableRelease:
    taxonomies = {"job": Flat(), "age": Flat()}
    schema = Schema.of(quasi=["job", "age"], sensitive=["pay"], taxonomies=taxonomies)
    return Exhaustive().anonymize(Table.from_frame(frame, schema), KAnonymity(k=3), suppression=0.25)


def test_the_file_has_only_records_and_the_certificate_counts_the_others(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "in.csv", index=False)
    Plan.of(PLAN, tmp_path).run()
    written, certificate = pd.read_csv(tmp_path / "out.csv"), json.loads((tmp_path / "out.json").read_text())
    assert written["age"].tolist() == [20] * 6
    assert written["job"].tolist() == ["A", "A", "A", "B", "B", "B"]
    assert written["pay"].tolist() == [1, 2, 1, 2, 1, 2]
    assert certificate["output"]["dropped"] == 2
    assert (certificate["output"]["records"], certificate["output"]["suppressed"]) == (6, 0)
    assert certificate["input"]["records"] == 8
    assert certificate["plan"]["suppression"]["rows"] == "drop"


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_hidden_keys_are_compared_with_the_records_that_are_left(tmp_path: Path, suffix: str) -> None:
    """The person key is not in the file, so the models read it from the original, record by record."""
    frame = FRAME.assign(person=[1, 2, 9, 3, 4, 5, 6, 9])
    frame.to_csv(tmp_path / "in.csv", index=False)
    frame.to_parquet(tmp_path / "in.parquet", index=False)
    plan = {
        **PLAN,
        "data": {"path": f"in.{suffix}"},
        "columns": {**PLAN["columns"], "person": {"role": "person"}},
        "output": {**PLAN["output"], "path": f"out.{suffix}"},
        "attacks": [{"name": "naive_bayes_inference"}],
    }
    outcome = Plan.of(plan, tmp_path).run()
    written = pd.read_csv(tmp_path / "out.csv") if suffix == "csv" else pd.read_parquet(tmp_path / "out.parquet")
    assert len(written) == 6
    assert [verdict.holds for verdict in outcome.verdicts] == [True]
    assert outcome.certificate.audit.persons == 6


def test_frames_keep_the_index_of_the_records_that_are_left() -> None:
    found = released().frame(drop_suppressed=True)
    assert found.index.tolist() == ["row 0", "row 1", "row 3", "row 4", "row 5", "row 6"]
    assert found["pay"].tolist() == [1, 2, 1, 2, 1, 2]
    assert found["pay"].dtype == FRAME["pay"].dtype
    assert released().frame()["job"].isna().sum() == 2


def test_frames_of_polars_too() -> None:
    release = released(pl.DataFrame(ROWS, schema=["job", "age", "pay"], orient="row"))
    assert release.frame(drop_suppressed=True)["pay"].to_list() == [1, 2, 1, 2, 1, 2]


def test_nothing_of_dropped_records_is_left_in_memory() -> None:
    frame = FRAME.assign(
        note=pd.Series([f"note {place}" for place in range(8)], index=FRAME.index, dtype="string[pyarrow]")
    )
    stored = b"".join(
        bytes(buffer)
        for chunk in released(frame).frame(drop_suppressed=True)["note"].array.__arrow_array__().chunks
        for buffer in chunk.buffers()
        if buffer is not None
    )
    assert b"note 0" in stored
    assert b"note 2" not in stored
