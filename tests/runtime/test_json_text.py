from __future__ import annotations

import json

from sfumato.runtime.json_text import as_json


def test_what_is_no_number_is_null() -> None:
    assert json.loads(as_json({"a": float("nan"), "b": [float("inf"), 1.5], 3: "ä"})) == {
        "3": "ä",
        "a": None,
        "b": [None, 1.5],
    }
