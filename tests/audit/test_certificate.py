from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato.algorithms.mondrian.mondrian import Mondrian
from sfumato.audit.audit import Audit
from sfumato.audit.certificate import Certificate, as_json
from sfumato.datasets import hospital
from sfumato.models import KAnonymity
from sfumato.report.cost import costs_of
from tests.golden import book

DIGEST = {"method": "hmac-sha256", "value": "in"}


@pytest.fixture
def certificate() -> Certificate:
    import pyarrow as pa

    release = Mondrian().anonymize(hospital(), KAnonymity(k=3), seed=4)
    audit = Audit.of_frame(pa.table(book.read("patients_3anon")), quasi=["Job", "Sex", "Age"], sensitive=["Disease"])
    return Certificate(
        {"run": {"seed": 4}}, release, release.verdicts, audit, DIGEST, {"release": "out"}, costs_of(release)
    )


def test_it_tells_what_was_found(certificate: Certificate) -> None:
    told = certificate.to_dict()
    assert told["input"] == {"digest": DIGEST, "records": 7}
    assert told["output"] == {"sha256": "out", "records": 7, "suppressed": 0, "groups": 2}
    assert (told["seed"], told["holds"], told["measured"]["k"]) == (4, True, 3)
    assert told["verdicts"][0]["described"] == "k_anonymity(k=3)"


def test_its_bytes_are_stable_and_sorted(certificate: Certificate, tmp_path: Path) -> None:
    text = certificate.to_json()
    assert text == certificate.to_json()
    told = json.loads(text)
    assert list(told) == sorted(told)
    certificate.write(tmp_path / "c.json")
    assert (tmp_path / "c.json").read_text(encoding="utf-8") == text


def test_it_holds_no_value_of_a_record(certificate: Certificate) -> None:
    text = certificate.to_json()
    assert not any(value in text for value in ("HIV", "Flu", "Hepatitis", "Engineer", "Lawyer", "Male"))


def test_what_is_no_number_is_null() -> None:
    assert json.loads(as_json({"a": float("nan"), "b": [float("inf"), 1.5], 3: "ä"})) == {
        "3": "ä",
        "a": None,
        "b": [None, 1.5],
    }
