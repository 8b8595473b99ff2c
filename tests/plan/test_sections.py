from __future__ import annotations

from sfumato.plan.sections import Sections
from tests.plan.plans import tables


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
