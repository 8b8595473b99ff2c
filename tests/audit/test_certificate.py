from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sfumato.algorithms.mondrian.mondrian import Mondrian
from sfumato.audit.audit import Audit
from sfumato.audit.certificate import Certificate
from sfumato.datasets import hospital
from sfumato.models import KAnonymity
from sfumato.plan import Outcome, Plan
from sfumato.report.cost import costs_of
from sfumato.report.report import Report
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


def publish(folder: Path, person: dict[str, Any] | None) -> Outcome:
    """3,000 visits of 1,999 patients, published with two metrics, an attack, a certificate and a report."""
    random = np.random.default_rng(0)
    visits = {
        "patient": random.permutation(np.arange(3000) % 1999),
        "age": random.integers(20, 80, 3000),
        "sex": random.choice(["m", "f"], 3000),
        "ill": random.choice(["a", "b", "c", "d"], 3000, p=[0.4, 0.3, 0.2, 0.1]),
    }
    pd.DataFrame(visits).to_csv(folder / "in.csv", index=False)
    (folder / "key").write_text("0123456789abcdef" * 4 + "\n")
    (folder / "key").chmod(0o600)
    given = {
        "data": {"path": "in.csv"},
        "columns": {
            "patient": {"role": "identifier"} if person is None else {"role": "person", **person},
            "age": {"role": "quasi"},
            "sex": {"role": "quasi"},
            "ill": {"role": "sensitive"},
        },
        "models": [{"name": "k_anonymity", "k": 20}, {"name": "t_closeness", "t": 0.23456}],
        "metrics": [{"name": "ncp"}, {"name": "discernibility"}],
        "attacks": [{"name": "naive_bayes_inference"}],
        "output": {"path": "out.csv", "certificate": "out.json", "report": "out.html"}
        | ({"pseudonym_key": "key"} if person else {}),
    }
    return Plan.of(given, folder).run()


def numbers_in(plain: Any) -> Iterator[float]:
    if isinstance(plain, dict):
        plain = list(plain.values())
    if isinstance(plain, list):
        for one in plain:
            yield from numbers_in(one)
    elif isinstance(plain, (int, float)) and not isinstance(plain, bool):
        yield plain


def significant_digits(number: float) -> int:
    return len(Decimal(repr(number)).normalize().as_tuple().digits)


@pytest.mark.parametrize("person", [None, {}, {"pseudonym": True}], ids=["records", "persons", "pseudonyms"])
def test_numbers_that_the_file_does_not_show_have_three_digits(tmp_path: Path, person: dict[str, Any] | None) -> None:
    outcome = publish(tmp_path, person)
    told = json.loads((tmp_path / "out.json").read_text())
    hidden = person == {}
    by_file = [told["measured"], [verdict["level"] for verdict in told["verdicts"]]]
    (attack,) = told["attacks"]
    assert attack.pop("people") == 3000  # records, which everybody can count
    assert all(significant_digits(one) <= 3 for one in numbers_in([told["metrics"], attack]))
    assert (max(map(significant_digits, numbers_in(by_file))) <= 3) is hidden
    exact = {verdict.described: verdict for verdict in outcome.certificate.verdicts}
    for verdict in told["verdicts"]:
        level, required = verdict["level"], verdict["required"]
        assert level <= required if verdict["better"] == "lower" else level >= required
        true = exact[verdict["described"]].level
        assert level >= true if verdict["better"] == "lower" else level <= true
        assert hidden or level == true
    closeness = told["measured"]["sensitive"]["ill"]["closeness"]["equal"]
    assert closeness == told["verdicts"][1]["level"]
    if person is not None:
        assert told["input"]["persons"] == (1990 if hidden else 1999)


def test_the_report_shows_no_more_digits_than_the_certificate(tmp_path: Path) -> None:
    outcome = publish(tmp_path, {})
    told, page = json.loads((tmp_path / "out.json").read_text()), (tmp_path / "out.html").read_text()
    certificate = outcome.certificate
    report = Report.of_release(outcome.release, costs=certificate.costs, attacks=certificate.attacks)
    assert page == report.html()
    plain = json.loads(report.json())
    assert {cost["name"]: cost["value"] for cost in plain["costs"]} == told["metrics"]
    assert plain["attacks"] == told["attacks"]
    assert [promise["level"] for promise in plain["promises"]] == [verdict["level"] for verdict in told["verdicts"]]
    assert plain["risk"]["prosecutor"] == told["measured"]["risk"]["prosecutor"]
    shown = [plain["costs"], plain["promises"][1]["level"], plain["risk"], plain["homogeneous"]]
    shown += [[column["loss"], column["distribution"]] for column in plain["columns"] if column["distribution"]]
    for column in shown[4:]:
        del column[1]["labels"]  # their shares are those of the published file
    assert all(significant_digits(one) <= 3 for one in numbers_in(shown))
    exact = {cost.name: cost.value for cost in certificate.costs}
    assert exact["discernibility"] >= 10_000
    assert f"{exact['discernibility']:,.0f}" not in page
    assert f"{told['metrics']['discernibility']:,.0f}" not in page  # a raw sum is shown as a share
    assert next(cost.rounded().reading for cost in certificate.costs if cost.name == "discernibility") in page
    assert f"{exact['ncp']:.4g}" not in page


def test_the_same_release_gives_the_same_bytes(tmp_path: Path) -> None:
    written = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        publish(folder, {})
        written.append([(folder / name).read_bytes() for name in ("out.csv", "out.json", "out.html")])
    assert written[0] == written[1]
