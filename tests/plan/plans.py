"""A small publication that the tests of the plan change one thing of at a time."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sfumato.datasets import write_patients
from sfumato.plan.writing import plan_text

TABLES: dict[str, Any] = {
    "data": {"path": "patients.csv"},
    "columns": {
        "patient_number": {"role": "identifier"},
        "name": {"role": "identifier"},
        "sex": {"role": "quasi", "taxonomy": {"flat": True}},
        "age": {"role": "quasi", "taxonomy": {"width": 10}},
        "postcode": {"role": "quasi", "type": "text", "taxonomy": {"mask": "right"}},
        "diagnosis": {"role": "sensitive"},
    },
    "models": [{"name": "k_anonymity", "k": 5}, {"name": "distinct_l_diversity", "l": 2}],
    "algorithm": {"name": "mondrian", "cut": "median"},
    "suppression": {"limit": 0.05},
    "output": {"path": "release.csv", "certificate": "certificate.json"},
    "run": {"seed": 7},
}


def tables(**changes: Any) -> dict[str, Any]:
    """The plan as plain tables, with some sections replaced."""
    return {**deepcopy(TABLES), **changes}


def put(folder: Path, given: dict[str, Any] | None = None, records: int = 400) -> Path:
    """Put the patients and the plan into a folder; the path of the plan."""
    if not (folder / "patients.csv").exists():
        (folder / "patients.csv").write_bytes(_patients(records))
    plan = folder / "plan.toml"
    plan.write_text(plan_text(given or tables()), encoding="utf-8")
    return plan


@cache
def _patients(records: int) -> bytes:
    """The file of so many patients."""
    with TemporaryDirectory() as folder:
        return write_patients(Path(folder) / "patients.csv", records).read_bytes()
