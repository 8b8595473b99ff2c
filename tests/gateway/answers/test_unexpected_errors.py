from __future__ import annotations

from sfumato.gateway.answers.unexpected_errors import UnexpectedFailure, where_of


def raised() -> Exception:
    try:
        raise KeyError("56 Fay Street")
    except KeyError as error:
        return error


def test_an_error_is_told_by_its_type_and_its_place() -> None:
    assert where_of(raised()) == "KeyError in test_unexpected_errors.py, line 8"
    assert where_of(KeyError("56 Fay Street")) == "KeyError"


def test_a_failure_is_told_by_the_error_behind_it() -> None:
    failed = UnexpectedFailure.of(raised())
    assert where_of(failed) == failed.where == where_of(raised())
    assert "Fay" not in str(failed) + repr(failed)
