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


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def release(tmp_path: Path) -> tuple[Path, Path]:
    """Four persons, and a release with ranges, sets, a false label, a suppressed record, and their names."""
    before = "name,age,job,note,id\nann,20,cook,x,1\nbob,24,nurse,x,2\ncid,40,nurse,y,3\ndee,30,baker,y,4\n"
    after = (
        "name,age,job,more\nann,[20; 24],{cook; nurse},1\nbob,[20; 24],{cook; nurse},1\ncid,[20; 24],nurse,2\n*,*,*,*\n"
    )
    after = "\n".join(",".join(f'"{cell.replace(";", ",")}"' for cell in row.split(",")) for row in after.splitlines())
    return written(tmp_path / "before.csv", before), written(tmp_path / "after.csv", after + "\n")


def test_labels_are_compared_by_what_they_cover(release) -> None:
    found = told(*release)
    # The ages span 20 to 40, so [20, 24] loses 4/20 in two records, and the suppressed one loses 1. cid is 40: false.
    age = {"unchanged": 0, "generalized": 2, "suppressed": 1, "false": 1, "unclear": 0}
    assert found["labels"]["age"] == {**age, "loss": pytest.approx((0.2 + 0.2 + 1) / 3)}
    # Of three jobs a set of two loses 1/2.
    job = {"unchanged": 1, "generalized": 2, "suppressed": 1, "false": 0, "unclear": 0}
    assert found["labels"]["job"] == {**job, "loss": pytest.approx((0.5 + 0.5 + 0 + 1) / 4)}
    assert (found["records"], found["suppressed"], found["columns"], found["attacks"]) == (4, 1, [], [])


def test_a_name_that_is_still_there_is_warned_of_and_left_out(release) -> None:
    found = told(*release)
    assert "name" not in found["labels"]
    assert found["left_out"] == {
        "note": "only in the original",
        "id": "only in the original",
        "more": "only in the masked file",
        "name": "looks like an identifier, and is still there",
    }
    (warning,) = found["warnings"]
    assert "'name'" in warning
    assert "3 of 4 records still have their original value" in warning
    said = sfumato("compare", *release).stdout
    assert said.startswith("Warning: column 'name'")
    assert "note  only in the original" in said
    assert "4 records (1 of them suppressed in every column)" in said
    assert "1 not true of their record" in said
    assert "ann" not in said.replace("cannot", "")
    named = told(*release, "--column", "name")
    assert named["labels"]["name"]["unchanged"] == 3
    assert len(named["warnings"]) == 1


def test_nodes_of_a_taxonomy_are_read_if_it_is_given(tmp_path: Path) -> None:
    before = written(tmp_path / "before.csv", "job\ncook\nbaker\nnurse\nsurgeon\n")
    after = written(tmp_path / "after.csv", "job\nkitchen\nkitchen\nkitchen\nward\n")
    levels = written(tmp_path / "job.csv", "cook;kitchen;*\nbaker;kitchen;*\nnurse;ward;*\nsurgeon;ward;*\n")
    assert told(before, after)["labels"]["job"]["unclear"] == 4
    assert "--taxonomy COLUMN=FILE" in sfumato("compare", before, after).stdout
    found = told(before, after, "--taxonomy", f"job={levels}")["labels"]["job"]
    assert (found["generalized"], found["false"], found["unclear"]) == (3, 1, 0)
    assert found["loss"] == pytest.approx(1 / 3)
    assert "did you mean 'job'" in refused(sfumato("compare", before, after, "--taxonomy", f"jobb={levels}"), 2)


def test_numbers_beside_labels(tmp_path: Path) -> None:
    """Masked numbers are measured as numbers; numbers of which some are suppressed and no other is changed are not."""
    before = written(tmp_path / "before.csv", "pay,age\n1.5,20\n2.5,30\n4.5,40\n")
    after = written(tmp_path / "after.csv", "pay,age\n2,20\n2,*\n4.5,40\n")
    found = told(before, after)
    assert found["columns"] == ["pay"]
    assert found["labels"]["age"]["loss"] == pytest.approx(1 / 3)
    assert found["metrics"]["absolute_deviation"] == pytest.approx(1.0)


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    path = canary_csv(tmp_path / "people.csv")
    fewer = canary_csv(tmp_path / "fewer.csv", rows=5)
    said = refused(sfumato("compare", path, fewer), 4)
    assert "5 and 12 records" in said
    assert "rows of `*`" in said
    assert "did you mean 'age'" in refused(sfumato("compare", path, path, "--column", "agee"), 2)
    other = written(tmp_path / "other.csv", "height\n1\n")
    assert "share no column" in refused(sfumato("compare", other, written(tmp_path / "one.csv", "age\n1\n")), 2)
    names = written(tmp_path / "names.csv", "name\n" + "".join(f"{CANARIES[0]} {row}\n" for row in range(12)))
    assert "looks like an identifier" in refused(sfumato("compare", names, names), 4)
