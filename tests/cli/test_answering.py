from __future__ import annotations

import json

import numpy as np
import pytest
import typer

from sfumato.cli.answering import Detail, Format, answer, answering, presenting
from sfumato.errors import BudgetError, DataError, InfeasibleError, OutputError, PlanError, SfumatoError


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PlanError("x"), 2),
        (InfeasibleError("x"), 3),
        (BudgetError("x"), 3),
        (DataError("x"), 4),
        (OutputError("x"), 4),
        (SfumatoError("x"), 2),
        (KeyboardInterrupt(), 130),
        (RuntimeError("a secret"), 70),
        (MemoryError("a secret"), 71),
    ],
)
def test_exit_codes(error: BaseException, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended, answering():
        raise error
    assert ended.value.exit_code == code
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("sfumato: ")
    assert "secret" not in told.err


def test_too_little_memory_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit), answering():
        np.empty(2**62, dtype=np.int8)
    told = capsys.readouterr().err
    for words in ("not enough memory", "fewer quasi columns", "coarser", 'cut = "median"', "round the numbers"):
        assert words in told
    assert "report it" not in told
    assert told.count("\n") == 1


def test_the_whole_story_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_DEBUG", "1")
    with pytest.raises(RuntimeError), answering():
        raise RuntimeError("why")


def test_a_chosen_exit_passes() -> None:
    with pytest.raises(typer.Exit) as ended, answering():
        raise typer.Exit(1)
    assert ended.value.exit_code == 1


def test_text_is_made_only_when_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    answer(Format.JSON, {"b": 1, "a": float("inf")}, lambda: pytest.fail("not wanted"))
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": 1}
    answer(Format.TEXT, {}, lambda: "words")
    assert capsys.readouterr().out == "words\n"


def test_quiet_prints_what_is_brief(capsys: pytest.CaptureFixture[str]) -> None:
    with presenting(Format.TEXT) as chosen:
        chosen.detail = Detail.QUIET
        answer(Format.TEXT, {"a": 1}, lambda: pytest.fail("not wanted"), brief=["release.csv"])
        assert capsys.readouterr().out == "release.csv\n"
        answer(Format.JSON, {"a": 1}, lambda: pytest.fail("not wanted"), brief=["release.csv"])
        assert json.loads(capsys.readouterr().out) == {"a": 1}


def test_errors_as_json_show_no_more_than_the_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with presenting(Format.JSON), pytest.raises(typer.Exit), answering():
        raise RuntimeError("a secret")
    told = capsys.readouterr()
    error = json.loads(told.out)["error"]
    assert (error["kind"], error["exit_code"]) == ("UnexpectedError", 70)
    assert told.err == f"sfumato: {error['message']}\n"
    assert "secret" not in told.out
