"""A class of the catalogue that is not complete: the error says what is still to be written."""

from __future__ import annotations

import re

import pytest

from sfumato.settings import catalogue
from tests.instances import instances_of

ENTRY = catalogue.describe("k_anonymity")


@pytest.mark.parametrize(
    ("failure", "wanted"),
    [
        (ModuleNotFoundError(name="tests.models.test_k_anonymity"), "write tests/models/test_k_anonymity.py, which is"),
        (ModuleNotFoundError(name="tests.models"), "write tests/models/test_k_anonymity.py, which is"),
        (
            ImportError("cannot import name 'KAnonymity' from 'sfumato.models'", name="sfumato.models"),
            "write the import of KAnonymity in sfumato/models/__init__.py, and its name in __all__ there",
        ),
    ],
)
def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, failure: ImportError, wanted: str) -> None:
    def fail(_: str) -> None:
        raise failure

    monkeypatch.setattr("tests.instances.import_module", fail)
    with pytest.raises(AssertionError, match=rf"^KAnonymity is on offer, but not complete: {re.escape(wanted)}"):
        instances_of(ENTRY)


@pytest.mark.parametrize(
    "failure", [ModuleNotFoundError(name="numpie"), ImportError("cannot import name 'x'", name="sfumato.models")]
)
def test_other_failures_are_left_as_they_are(monkeypatch: pytest.MonkeyPatch, failure: ImportError) -> None:
    def fail(_: str) -> None:
        raise failure

    monkeypatch.setattr("tests.instances.import_module", fail)
    with pytest.raises(type(failure)) as raised:
        instances_of(ENTRY)
    assert raised.value is failure
