from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato.cli.check import parsed_model
from sfumato.errors import ParameterError, UsageError
from tests.cli.commands import canary_csv, refused, sfumato
from tests.golden import book

PUBLISHED = book.FOLDER / "patients_3anon.csv"
WITH = ("--quasi", "Job,Sex,Age", "--sensitive", "Disease")


def test_levels_of_the_published_patients() -> None:
    """Golden table B4 and D6 to D8."""
    told = json.loads(sfumato("check", PUBLISHED, *WITH, "--format", "json").stdout)
    assert (told["k"], told["groups"]) == (3, 2)
    assert told["sensitive"]["Disease"]["distinct"] == 2
    assert told["sensitive"]["Disease"]["entropy"] == pytest.approx(1.7548, abs=5e-5)
    assert told["sensitive"]["Disease"]["recursive"] == 3
    assert told["verdicts"] == []


def test_as_text() -> None:
    told = sfumato("check", PUBLISHED, *WITH).stdout
    for words in ("k = 3", "l = 2", "l = 1.755", "every c > 3", "t = 0.381", "prosecutor", "journalist", "marketer"):
        assert words in told


@pytest.mark.parametrize(
    ("model", "code"),
    [
        ("k_anonymity:k=3", 0),
        ("k_anonymity:k=4", 1),
        ("entropy_l_diversity:l=1.75", 0),
        ("entropy_l_diversity:l=1.8", 1),
        ("t_closeness:t=0.381,distance=equal", 0),
        ("t_closeness:t=0.38", 1),
        ("recursive_c_l_diversity:c=3,l=2,strict=false", 0),
        ("recursive_c_l_diversity:c=3,l=2", 1),
    ],
)
def test_exit_codes_follow_the_verdict(model: str, code: int) -> None:
    result = sfumato("check", PUBLISHED, *WITH, "--model", model)
    assert result.exit_code == code, result.output
    assert ("fails in" in result.stdout) == bool(code)


def test_one_failing_model_is_enough() -> None:
    assert sfumato("check", PUBLISHED, *WITH, "--model", "k_anonymity:k=3", "--model", "k_anonymity:k=4").exit_code == 1


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("k_anonimity:k=3", "did you mean 'k_anonymity'"),
        ("k_anonymity", "needs k"),
        ("k_anonymity:k=0", "must be int >= 1"),
        ("k_anonymity:k=2.5", "must be int >= 1"),
        ("k_anonymity:k", "name=value"),
        ("t_closeness:t=0.2,distance=orderd", "'distance'"),
        ("t_closeness:t=0.2,distance=hierarchical", "taxonomy"),
    ],
)
def test_models_that_cannot_be_meant(model: str, words: str) -> None:
    assert words in refused(sfumato("check", PUBLISHED, *WITH, "--model", model), 2)


def test_nothing_of_a_record_is_told(tmp_path: Path) -> None:
    path = canary_csv(tmp_path / "people.csv")
    result = sfumato("check", path, "--quasi", "name", "--sensitive", "ill", "--model", "k_anonymity:k=2")
    assert result.exit_code == 1
    assert "Zebulon" not in result.output
    assert "SECRETITIS" not in result.output


def test_usage_errors_have_code_two() -> None:
    assert sfumato("check", PUBLISHED).exit_code == 2
    assert sfumato("check", PUBLISHED, *WITH, "--format", "yaml").exit_code == 2
    assert sfumato("nothing").exit_code == 2


def test_models_as_written() -> None:
    assert str(parsed_model("t_closeness:t=0.2,distance=ordered")) == "t_closeness(t=0.2, distance=ordered)"
    with pytest.raises(UsageError):
        parsed_model("k_anonymity:=")
    with pytest.raises(ParameterError):
        parsed_model("k_anonymity:kk=2")


def test_separator_and_missing_values(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("a|b\n?|x\nNA|x\n1|x\n")
    words = ("--separator", "|", "--missing", "?", "--missing", "NA", "--format", "json")
    assert json.loads(sfumato("check", tmp_path / "s.csv", "--quasi", "a", *words).stdout)["groups"] == 2


def test_a_taxonomy_gives_the_other_distances(tmp_path: Path) -> None:
    """Worked by hand on table B4: 8/21 of the first group must move, 5 of it half as far and 3 all the way: 11/42.

    In the order HIV, Hepatitis, Flu the cumulative shares of that group are off by 5/21 and 3/21, over two steps: 4/21.
    """
    (tmp_path / "illnesses.txt").write_text("any\n  blood\n    HIV\n    Hepatitis\n  air\n    Flu\n")
    (tmp_path / "illnesses.csv").write_text("HIV;blood;any\nHepatitis;blood;any\nFlu;air;any\n")
    for file in ("illnesses.txt", "illnesses.csv"):
        given = ("--taxonomy", f"Disease={tmp_path / file}", "--format", "json")
        found = json.loads(sfumato("check", PUBLISHED, *WITH, *given).stdout)["sensitive"]["Disease"]["closeness"]
        assert found == pytest.approx({"equal": 8 / 21, "hierarchical": 11 / 42, "ordered": 4 / 21})


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Disease", "written column=file"),
        ("=tree.txt", "written column=file"),
        ("Job=tree.txt", "its taxonomy is not used; allowed: Disease"),
        ("Desease=tree.txt", "did you mean 'Disease'"),
    ],
)
def test_taxonomies_that_cannot_be_meant(written: str, words: str) -> None:
    assert words in refused(sfumato("check", PUBLISHED, *WITH, "--taxonomy", written), 2)


@pytest.mark.parametrize(
    ("given", "meant"), [("k_anonymity=5", "k_anonymity:k=5"), ("t_closeness=0.2", "t_closeness:t=0.2")]
)
def test_a_model_that_is_written_as_a_setting(tmp_path: Path, given: str, meant: str) -> None:
    canary_csv(tmp_path / "people.csv")
    told = sfumato("check", tmp_path / "people.csv", "--quasi", "age", "--model", given)
    assert f"a model is written name:setting=value; did you mean {meant}?" in told.stderr


@pytest.fixture
def with_umlauts(tmp_path: Path) -> Path:
    """A release in UTF-8; its original names the persons. Both have two records."""
    lines = [["ann", "31", "Köln"], ["ann", "33", "Wien"], ["bob", "32", "Köln"], ["bob", "31", "Wien"]]
    head = ["schlüssel", "alter", "straße"]
    original = "\n".join(",".join(line) for line in (head, *lines)) + "\n"
    for name in ("cp1252", "utf-16"):
        (tmp_path / f"{name}.csv").write_text(original, encoding=name)
    published = "\n".join(f'"[31, 33]",{town}' for _, _, town in lines)
    (tmp_path / "release.csv").write_text(f"alter,straße\n{published}\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("given", [("cp1252", "--original-encoding", "cp1252"), ("utf-16",)])
def test_an_original_may_have_another_encoding_than_its_release(with_umlauts: Path, given: tuple[str, ...]) -> None:
    encoding, *more = given
    words = ("check", with_umlauts / "release.csv", "--quasi", "alter", "--sensitive", "straße")
    beside = ("--original", with_umlauts / f"{encoding}.csv", *more)
    told = sfumato(*words, "--person", "schlüssel", *beside, "--format", "json")
    assert told.exit_code == 0, told.output
    assert (json.loads(told.stdout)["records"], json.loads(told.stdout)["persons"]) == (4, 2)
    attacked = sfumato("attack", *words[1:], *beside, "--format", "json")
    assert attacked.exit_code == 0, attacked.output
    assert json.loads(attacked.stdout)["attacks"][0]["people"] == 4


def test_an_original_in_an_unknown_encoding_says_by_which_option_to_name_it(with_umlauts: Path) -> None:
    words = ("check", with_umlauts / "release.csv", "--quasi", "alter", "--sensitive", "straße")
    said = refused(sfumato(*words, "--original", with_umlauts / "cp1252.csv"), 4)
    assert "--original-encoding" in said
    assert "cp1252.csv" in said
    said = refused(sfumato(*words, "--original-encoding", "cp1252"), 2)
    assert "give one by --original" in said


def warnings_of(*words: object) -> list[str]:
    """The warnings of a check, which its text and its JSON say alike."""
    told = json.loads(sfumato("check", *words, "--format", "json").stdout)["warnings"]
    lines = sfumato("check", *words).stdout.splitlines()
    assert told == [line.removeprefix("Warning: ") for line in lines if line.startswith("Warning: ")]
    return told


def test_json_has_the_warnings_of_the_text(tmp_path: Path) -> None:
    """Four men have the flu, so their group is sure of it; the towns are all different; and a patient comes twice."""
    rows = [f"{place // 2},{'mf'[place // 4]},town{place},{'flu' if place < 4 else place}" for place in range(8)]
    (tmp_path / "v.csv").write_text("\n".join(["patient_id,sex,town,ill", *rows]) + "\n")
    unique, sure, repeated = warnings_of(tmp_path / "v.csv", "--quasi", "sex", "--sensitive", "ill")
    assert unique.startswith("8 of 8 published records (100.0%) are unique")
    assert sure.startswith("somebody who finds the group of a person can be up to 100% sure of a value of 'ill'.")
    assert repeated.startswith("8 records have 4 different values of 'patient_id'.")


def test_json_has_warnings_even_if_there_are_none(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("sex\nm\nm\nf\nf\n")
    assert warnings_of(tmp_path / "v.csv", "--quasi", "sex") == []


@pytest.mark.parametrize(("given", "many"), [((), 1), (("--bucket", "bucket_id"), 0)])
def test_the_number_of_the_bucket_is_no_key_of_persons(tmp_path: Path, given: tuple[str, ...], many: int) -> None:
    """A bucket is meant to have several records, whatever the name of its column."""
    rows = [f"{20 + place},{1 + place // 2},{'ab'[place % 2]}" for place in range(40)]
    (tmp_path / "v.csv").write_text("\n".join(["age,bucket_id,ill", *rows]) + "\n")
    found = warnings_of(tmp_path / "v.csv", "--quasi", "age", "--sensitive", "ill", *given)
    assert len([said for said in found if "different values of 'bucket_id'" in said]) == many
