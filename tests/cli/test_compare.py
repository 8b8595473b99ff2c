from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from sfumato.attacks.base import NumberAttack
from sfumato.settings.catalogue import entries, subclasses_of
from tests.cli.commands import CANARIES, canary_csv, refused, sfumato
from tests.golden import three_groups


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """The twelve numbers of figure 7.1 and the means of their groups, with a text that stays."""
    pair = three_groups.means()
    for name, side in (("before", pair.original), ("after", pair.published)):
        pd.DataFrame({"x": side[:, 0], "who": list("abcdefghijkl")}).to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path / "before.csv", tmp_path / "after.csv"


def told(*words: object) -> dict:
    result = sfumato("compare", *words, "--format", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_figure_7_1(files) -> None:
    found = told(*files)
    assert (found["columns"], found["records"], found["incomplete"]) == (["x"], 12, 0)
    assert found["metrics"]["squared_error"] == pytest.approx(100 * 126 / 3326)
    assert found["metrics"]["absolute_deviation"] == 30
    assert found["metrics"]["sign_test"] == pytest.approx(0.5078125)
    assert "correlation_error" not in found["metrics"]
    risks = {result["attack"]["name"]: result for result in found["attacks"]}
    assert set(risks) == set(subclasses_of("attacks", NumberAttack))
    assert risks["distance_linkage"]["baseline"] == pytest.approx(1 / 12)


def test_every_metric_of_numbers_where_there_are_two(tmp_path: Path) -> None:
    pd.DataFrame({"a": [1, 2, 3], "b": [3, 1, 2]}).to_csv(tmp_path / "one.csv", index=False)
    found = told(tmp_path / "one.csv", tmp_path / "one.csv")
    assert set(found["metrics"]) == {entry.name for entry in entries("metrics") if entry.thing.needs_numbers}
    assert found["metrics"]["regression_error"] == 0
    assert told(tmp_path / "one.csv", tmp_path / "one.csv", "--column", "b")["columns"] == ["b"]


def test_as_text(files) -> None:
    said = sfumato("compare", *files).stdout
    for words in ("12 records, column x", "3.788", "lower is better", "distance_linkage", "baseline 8.3%"):
        assert words in said


def test_missing_numbers_are_counted(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("a,b\n1,2\n?,3\n3,4\n", encoding="utf-8")
    found = told(tmp_path / "one.csv", tmp_path / "one.csv", "--missing", "?")
    assert (found["records"], found["incomplete"]) == (2, 1)
    said = sfumato("compare", tmp_path / "one.csv", tmp_path / "one.csv", "--missing", "?").stdout
    assert "1 more miss a number" in said


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    path = canary_csv(tmp_path / "people.csv")
    fewer = canary_csv(tmp_path / "fewer.csv", rows=5)
    assert "12 records and the masked table 5" in refused(sfumato("compare", path, fewer), 4)
    assert "does not hold numbers" in refused(sfumato("compare", path, path, "--column", "ill"), 4)
    assert "did you mean 'age'" in refused(sfumato("compare", path, path, "--column", "agee"), 2)
    (tmp_path / "text.csv").write_text(f"ill\n{CANARIES[2]}\n", encoding="utf-8")
    assert "no record with a number" in refused(sfumato("compare", tmp_path / "text.csv", tmp_path / "text.csv"), 4)
