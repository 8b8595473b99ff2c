from __future__ import annotations

import json
from dataclasses import replace

from sfumato.report.json import FORMAT, draw_json
from sfumato.report.report import Report
from tests.report.releases import ATTACKS, book


def test_it_reads_back():
    found = json.loads(draw_json(Report.of_release(book())))
    assert found["format"] == FORMAT
    assert found["holds"] is True
    assert found["promises"][0]["model"] == {"name": "k_anonymity", "k": 3}
    assert found["group_sizes"]["bars"][0] == {"low": 3, "high": 3, "groups": 1, "records": 3}
    assert {cost["name"]: cost["value"] for cost in found["costs"]}["discernibility"] == 25


def test_keys_come_in_one_order():
    found = json.loads(draw_json(Report.of_release(book())))
    assert list(found)[:4] == ["format", "holds", "title", "records"]
    assert draw_json(Report.of_release(book())) == draw_json(Report.of_release(book()))


def test_a_number_that_json_does_not_know_is_null():
    report = Report.of_release(book())
    strange = replace(report, promises=(replace(report.promises[0], level=float("nan")),))
    drawn = draw_json(strange)
    assert json.loads(drawn, parse_constant=lambda name: f"not JSON: {name}")["promises"][0]["level"] is None


def test_attacks_are_as_in_a_certificate():
    found = json.loads(draw_json(Report.of_release(book(), attacks=ATTACKS)))
    assert found["attacks"] == [result.to_dict() | {"attack": dict(result.attack)} for result in ATTACKS]
    assert found["attacks"][0]["witnesses"] == [{"people": 3, "found": 2.0}]
    assert json.loads(draw_json(Report.of_release(book())))["attacks"] == []
