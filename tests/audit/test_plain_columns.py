"""What plain columns give away with the quasi columns: counted in the written file, and said first."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from sfumato.audit.audit import Audit
from sfumato.audit.plain_columns import PlainColumns
from sfumato.datasets import write_patients
from sfumato.engines.opening import open_frame
from sfumato.plan import Plan
from tests.cli.commands import sfumato


def test_unique_records_are_counted_without_suppressed_ones() -> None:
    rows = {"age": ["30", "30", "40", "40", "*", "*"], "shoe": ["38", "41", "38", "38", "*", "*"]}
    found = PlainColumns.of(open_frame(pa.table(rows)), ["age"], ["shoe"], nulls=False)
    assert found == PlainColumns(("shoe",), 2, 4, 1)
    nested = open_frame(pa.table({**rows, "note": [["x"]] * 6}))
    assert PlainColumns.of(nested, ["age"], ["note"], nulls=False) is None  # lists are not compared
    assert PlainColumns.of(nested, ["age"], [], nulls=False) is None


@pytest.mark.parametrize(("unique", "said"), [(0, ""), (3, "3 of 12 published records (25.0%) are unique")])
def test_the_warning(unique: int, said: str) -> None:
    made = PlainColumns(("shoe", "hat"), unique, 12, 1)
    assert made.warning.startswith(said)
    assert bool(made.warning) == bool(said) == bool(made.warning_in_python)
    assert "role" not in made.warning_in_python
    assert made.warning_in_python.startswith(said)
    assert made.to_dict() == {"columns": ["shoe", "hat"], "unique": unique, "records": 12, "smallest": 1}


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (("shoe",), "who also knows 'shoe', a column that is not named here. Name what"),
        (("shoe", "hat"), "who also knows 'shoe', 'hat', columns that are not named here. Name what"),
    ],
)
def test_a_check_speaks_of_columns_that_it_was_not_told_of(columns: tuple[str, ...], said: str) -> None:
    made = PlainColumns(columns, 3, 12, 1, unnamed=True)
    assert said in made.warning
    assert "by --quasi, or quasi=[...] in Python." in made.warning
    assert "role" not in made.warning
    assert made.to_dict() == {"columns": list(columns), "unique": 3, "records": 12, "smallest": 1}


def test_publish_and_check_say_it_first(tmp_path: Path) -> None:
    write_patients(tmp_path / "patients.csv", 300)
    plan = {
        "data": {"path": "patients.csv"},
        "columns": {
            "patient_number": {"role": "identifier"},
            "name": {"role": "identifier"},
            "age": {"role": "quasi"},
            "sex": {"role": "quasi"},
            "postcode": {"role": "plain"},
            "admitted": {"role": "plain"},
            "diagnosis": {"role": "sensitive"},
        },
        "models": [{"name": "k_anonymity", "k": 5}],
        "output": {"path": "release.csv", "certificate": "c.json", "report": "r.html"},
    }
    outcome = Plan.of(plan, tmp_path).run()
    lines = (tmp_path / "release.csv").read_text().splitlines()
    header = lines[0].split(",")
    known = [place for place, name in enumerate(header) if name != "diagnosis"]
    counted = Counter(tuple(row[place] for place in known) for row in csv.reader(lines[1:]))
    unique = sum(count == 1 for count in counted.values())
    assert unique > 100
    certificate = json.loads((tmp_path / "c.json").read_text())
    assert certificate["measured"]["plain_columns"]["unique"] == unique
    said = f"{unique:,} of 300 published records"
    assert outcome.release.provenance["warnings"][0].startswith(said)
    assert said in (tmp_path / "r.html").read_text()
    told = sfumato("check", tmp_path / "release.csv", "--quasi", "age,sex", "--sensitive", "diagnosis").stdout
    assert said in told
    assert Audit.of_file(tmp_path / "release.csv", quasi=["age", "sex"], sensitive=["diagnosis"]).plain is not None
