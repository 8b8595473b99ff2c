"""`sfumato attack`: what a release gives away, told without a value of anybody."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from sfumato.algorithms import Anatomy, Injector
from sfumato.data.table import Table
from sfumato.datasets.nine_patients import ROWS, nine_patients_schema
from sfumato.knowledge import Item, Knowledge, Rule
from sfumato.models import DistinctLDiversity, MatchingLDiversity
from tests.cli.commands import refused, sfumato

KNOWN = Knowledge("Disease", (Rule((Item("Sex", "M"),), "Ovarian Cancer"),))
WITH = ("--quasi", "Zip,Age,Sex", "--sensitive", "Disease", "--bucket", "group")


@pytest.fixture
def folder(tmp_path):
    pd.DataFrame(ROWS).to_csv(tmp_path / "original.csv", index=False)
    KNOWN.write(tmp_path / "rules.toml")
    table = Table.from_frame(pd.DataFrame(ROWS).astype({"Age": int}), nine_patients_schema())
    Anatomy().anonymize(table, DistinctLDiversity(l=3)).write(tmp_path / "apart.csv")
    Injector().anonymize(table, MatchingLDiversity(l=2, knowledge=KNOWN)).write(tmp_path / "shuffled.csv")
    return tmp_path


OF_NUMBERS = {"distance_linkage", "rank_linkage", "interval_disclosure"}


def told(*words):
    result = sfumato("attack", *words, "--format", "json")
    assert result.exit_code == 0, result.output
    return {found["attack"]["name"]: found for found in json.loads(result.stdout)["attacks"]}


def test_everything_that_can_be_tried_is_tried(folder) -> None:
    apart = (folder / "apart.csv", *WITH, "--sensitive-table", folder / "apart_sensitive.csv")
    rules, truth = ("--knowledge", folder / "rules.toml"), ("--original", folder / "original.csv")
    guessing, knowing = "naive_bayes_inference", "background_knowledge"
    assert (knowing in told(*apart, *rules), guessing in told(*apart, *rules)) == (True, False)
    assert (knowing in told(*apart, *truth), guessing in told(*apart, *truth)) == (False, True)
    assert not (set(told(*apart, *rules)) | set(told(*apart, *truth))) & OF_NUMBERS
    both = told(*apart, *rules, *truth)
    assert {guessing, knowing} <= set(both)
    assert not set(both) & OF_NUMBERS
    assert both["naive_bayes_inference"]["baseline"] == pytest.approx(1 / 3)
    assert both["background_knowledge"] == told(*apart, *rules)["background_knowledge"]


def test_one_table_of_shuffled_secrets_is_attacked_too(folder) -> None:
    found = told(folder / "shuffled.csv", *WITH, "--knowledge", folder / "rules.toml")
    assert found["background_knowledge"]["rate"] == 0


def test_a_missing_value_is_known_by_the_text_that_stands_for_it(folder) -> None:
    Knowledge("Disease", (Rule((Item("Sex", "missing"),), "Ovarian Cancer"),)).write(folder / "rules.toml")
    apart = (folder / "apart.csv", *WITH, "--sensitive-table", folder / "apart_sensitive.csv")
    rules = ("--knowledge", folder / "rules.toml")
    assert told(*apart, *rules)["background_knowledge"]["rate"] == 0
    assert told(*apart, *rules, "--missing", "M")["background_knowledge"]["rate"] > 0


@pytest.fixture
def masked(tmp_path):
    before = {"age": [31, 44, 25, 62], "town": list("abab"), "ill": ["flu", "flu", "cold", "cold"]}
    pd.DataFrame(before).to_csv(tmp_path / "before.csv", index=False)
    pd.DataFrame({**before, "age": [30.5, 44, 26, 60]}).to_csv(tmp_path / "after.csv", index=False)
    return tmp_path


def test_numbers_beside_their_original_are_linked(masked) -> None:
    words = (masked / "after.csv", "--quasi", "age,town", "--sensitive", "ill", "--original", masked / "before.csv")
    found = told(*words)
    assert set(found) >= {*OF_NUMBERS, "naive_bayes_inference"}
    assert "background_knowledge" not in found
    assert (found["distance_linkage"]["rate"], found["distance_linkage"]["baseline"]) == (1, 0.25)
    assert set(told(*words, "--attack", "rank_linkage")) == {"rank_linkage"}
    assert "whose record it is" in sfumato("attack", *words).stdout


def test_without_numbers_there_is_nothing_to_link(masked) -> None:
    words = (masked / "after.csv", "--quasi", "town", "--sensitive", "ill", "--original", masked / "before.csv")
    assert "naive_bayes_inference" in told(*words)
    assert not set(told(*words)) & OF_NUMBERS
    assert "published as numbers" in refused(sfumato("attack", *words, "--attack", "rank_linkage"), 2)


def test_who_waives_is_not_attacked(masked) -> None:
    frame = pd.read_csv(masked / "after.csv").assign(agrees=["yes", "no", "no", "no"])
    frame.to_csv(masked / "with.csv", index=False)
    words = (masked / "with.csv", "--quasi", "town", "--sensitive", "ill", "--original", masked / "before.csv")
    naive, fewer = (told(*words, *more)["naive_bayes_inference"] for more in ((), ("--waiver", "agrees")))
    assert (naive["people"], fewer["people"]) == (4, 3)
    words = ("age,town" if word == "town" else word for word in words)
    linked = told(*words, "--waiver", "agrees", "--attack", "rank_linkage")["rank_linkage"]
    assert (linked["people"], linked["baseline"]) == (3, pytest.approx(1 / 3))


def test_as_text(folder) -> None:
    said = sfumato("attack", folder / "shuffled.csv", *WITH, "--knowledge", folder / "rules.toml").stdout
    assert "0% of 9 records" in said
    assert "learns the sensitive value with certainty" in said
    assert not any(value in said for value in ROWS["Disease"])


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (Knowledge("Disease"), "'empty.toml' has no rules;"),
        (Knowledge("Disease", likely=(Rule((Item("Sex", "M"),), "Flu", 0.9),)), "has no rules of the kind 'never'"),
    ],
    ids=["none", "only likely ones"],
)
def test_a_file_of_rules_that_exclude_nothing_is_refused(folder, known, said) -> None:
    known.write(folder / "empty.toml")
    words = ("attack", folder / "shuffled.csv", *WITH, "--knowledge", folder / "empty.toml")
    for more in ((), ("--original", folder / "original.csv"), ("--attack", "background_knowledge")):
        assert said in refused(sfumato(*words, *more), 2)


def test_a_wrong_bucket_is_named_with_its_file(folder) -> None:
    words = (folder / "apart.csv", *WITH[:-1], "grop", "--sensitive-table", folder / "apart_sensitive.csv")
    said = "file 'apart.csv' has no column 'grop'; did you mean 'group'?"
    for command in ("attack", "check"):
        for more in (("--original", folder / "original.csv"), ()):
            assert said in refused(sfumato(command, *words, *more), 2)
    alone = (folder / "shuffled.csv", *WITH[:-1], "grop", "--original", folder / "original.csv")
    assert "file 'shuffled.csv' has no column 'grop'; did you mean 'group'?" in refused(sfumato("attack", *alone), 2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--attack", "naive_bayes_inference"), "only the original tells"),
        (("--attack", "background_knowledge"), "starts from rules"),
        (("--attack", "distance_linkage"), "give the original beside the release (--original"),
        (("--attack", "background_knowlege"), "did you mean 'background_knowledge'"),
        (("--knowledge", "nowhere.toml"), "nowhere.toml"),
    ],
)
def test_what_cannot_be_tried_is_refused_with_a_way_out(folder, words, said) -> None:
    assert said in refused(sfumato("attack", folder / "shuffled.csv", *WITH, *words), 2)


def test_no_attack_suits_the_release(folder, monkeypatch) -> None:
    monkeypatch.setattr("sfumato.attacks.base.suitable_attacks", lambda release, rules: ())
    said = "no attack can be run with these options; give --knowledge with rules, or --original"
    assert said in refused(sfumato("attack", folder / "shuffled.csv", *WITH), 2)
