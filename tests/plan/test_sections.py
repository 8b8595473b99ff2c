from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from sfumato.errors import PlanError
from sfumato.plan.sections import Sections, place, read_toml, validate_plan
from tests.plan.plans import tables

CASES: list[tuple[str, dict[str, Any], str]] = [
    ("data", {"pth": "x", "path": "x"}, r"\[data\] has no key 'pth'; did you mean 'path'\?"),
    ("data", {"path": 3}, r"\[data\] path must be text in quotes\."),
    ("data", {"path": "x", "missing": "?"}, r"\[data\] missing must be a list\."),
    ("data", {"path": "x", "separator": "||"}, r"\[data\] separator must be a text no longer than 1\."),
    ("data", {"path": "x", "engine": "spark"}, r"\[data\] engine must be 'duckdb'\."),
    ("columns", {}, r"\[columns\] must be given with at least one entry\."),
    ("columns", {"a": {"rol": "quasi"}}, r"\[columns\.a\] has no key 'rol'; did you mean 'role'\?"),
    ("columns", {"a": {"role": "quas"}}, r"\[columns\.a\] role must be one of 'identifier', 'person', 'quasi'"),
    ("columns", {"a": {"role": "quasi", "taxonomy": "x"}}, r"\[columns\.a\] taxonomy must be a table\."),
    ("columns", {"a": {"role": "quasi", "type": "integer"}}, r"\[columns\.a\] type must be one of 'number'"),
    ("models", [], r"\[models\] must be given with at least one entry\."),  # type: ignore[list-item]
    ("models", [{"k": 3}], r"\[\[models\]\] number 1 needs 'name'\."),  # type: ignore[list-item]
    ("models", {"name": "k_anonymity"}, r"\[models\] is one of several sections; write \[\[models\]\]"),
    ("output", [{"path": "x"}], r"\[output\] is a single section; write \[output\] with one bracket"),  # type: ignore[list-item]
    ("suppression", {"limit": 1.5}, r"\[suppression\] limit must be a number of at most 1\."),
    ("suppression", {"limit": True}, r"\[suppression\] limit must be a number\."),
    ("suppression", {"limt": 0.1}, r"\[suppression\] has no key 'limt'; did you mean 'limit'\?"),
    ("output", {"path": ""}, r"\[output\] path must be a text that is not empty\."),
    ("output", {"path": "x", "reports": "y"}, r"\[output\] has no key 'reports'; did you mean 'report'\?"),
    ("run", {"seed": 1.0}, r"\[run\] seed must be a whole number\."),
    ("run", {"seed": -1}, r"\[run\] seed must be a number of at least 0\."),
    ("colums", {}, r"there is no section 'colums'; did you mean 'columns'\?"),
]


@pytest.mark.parametrize(("section", "given", "message"), CASES)
def test_what_a_plan_cannot_mean(section: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message) as refused:
        validate_plan(tables(**{section: given}), "plan 'p.toml'")
    told = str(refused.value)
    assert told.startswith("plan 'p.toml': ")
    assert not any(jargon in told.lower() for jargon in ("pydantic", "validation", "input", "str_", "dict"))


@pytest.mark.parametrize("section", ["[data]", "[columns]", "[[models]]", "[output]"])
def test_a_section_that_is_missing(section: str) -> None:
    given = tables()
    del given[section.strip("[]")]
    with pytest.raises(PlanError, match=re.escape(f"the section {section} is missing")):
        validate_plan(given, "plan")


def test_the_rest_may_be_left_out() -> None:
    given = tables()
    for section in ("algorithm", "suppression", "run"):
        del given[section]
    found = validate_plan(given, "plan")
    assert (found.algorithm.name, found.suppression.limit, found.run.seed) == ("mondrian", 0.0, 0)


def test_duplicate_keys_and_bad_toml_are_refused_with_their_line(tmp_path: Path) -> None:
    plan = tmp_path / "p.toml"
    plan.write_text('[data]\npath = "a"\npath = "b"\n')
    with pytest.raises(PlanError, match="line 3"):
        read_toml(plan)
    plan.write_bytes(b'[data]\npath = "\xff"\n')
    with pytest.raises(PlanError, match="UTF-8"):
        read_toml(plan)
    with pytest.raises(PlanError, match="sfumato init"):
        read_toml(tmp_path / "none.toml")


def test_places() -> None:
    assert place(("data", "path")) == "[data] path"
    assert place(("columns", "Full Name", "role")) == "[columns.Full Name] role"
    assert place(("models", 0)) == "[[models]] number 1"


def test_what_was_said_comes_back() -> None:
    given = tables()
    assert Sections.model_validate(given).to_dict() == given


def test_defaults_that_matter_are_spelled_out() -> None:
    given = tables()
    del given["algorithm"], given["run"]
    told = Sections.model_validate(given).to_dict()
    assert told["algorithm"] == {"name": "mondrian"}
    assert told["run"] == {"seed": 0}
    assert "missing" not in told["data"]


def test_settings_are_everything_but_the_name() -> None:
    assert Sections.model_validate(tables()).models[0].settings == {"k": 5}
