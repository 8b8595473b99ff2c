from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato.datasets.nine_patients import ROWS
from sfumato.knowledge import Item, Knowledge, Rule
from tests.cli.commands import canary_csv, canary_plan, refused, sfumato

WITH = ("--quasi", "Sex", "--sensitive", "Disease", "--min-expectation", "0.75")
MEN = Rule((Item("Sex", "M"),), "Ovarian Cancer")


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    """Li and Li (2008), Table I, as a file."""
    lines = [",".join(ROWS), *(",".join(row) for row in zip(*ROWS.values(), strict=True))]
    (tmp_path / "patients.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "patients.csv"


def rules_in(text: str, folder: Path) -> Knowledge:
    (folder / "printed.toml").write_text(text, encoding="utf-8")
    return Knowledge.read(folder / "printed.toml")


def test_printed_rules_can_be_read(patients: Path) -> None:
    found = rules_in(sfumato("knowledge", "mine", patients, *WITH).stdout, patients.parent)
    assert [(rule.when, rule.value, rule.support) for rule in found.never] == [(MEN.when, MEN.value, 6)]
    told = json.loads(sfumato("knowledge", "mine", patients, *WITH, "--format", "json").stdout)
    assert told == json.loads(json.dumps(found.to_dict()))


def test_written_rules_and_what_they_rule_out(patients: Path) -> None:
    rules = patients.with_name("rules.toml")
    told = sfumato("knowledge", "mine", patients, *WITH, "-o", rules)
    assert told.stdout.strip() == f"Rules about Disease in {rules}: 1 never."
    assert "use --force" in refused(sfumato("knowledge", "mine", patients, *WITH, "-o", rules), 2)
    again = json.loads(sfumato("knowledge", "mine", patients, *WITH, "-o", rules, "--force", "--format", "json").stdout)
    assert again == {"rules": str(rules), "never": 1, "likely": 0, "share": 0}
    assert sfumato("knowledge", "show", rules).stdout.splitlines() == [
        "1 rule about Disease.",
        "  Sex is M: never Ovarian Cancer",
    ]
    shown = sfumato("knowledge", "show", rules, "--data", patients).stdout
    assert "6 records, 0 with the value" in shown
    assert "1 for 6 records" in shown
    seen = json.loads(sfumato("knowledge", "show", rules, "--data", patients, "--format", "json").stdout)["seen"]
    assert seen == {
        "records": 9,
        "values": 4,
        "rules": [{"records": 6, "having": 0}],
        "ruled_out": {"0": 3, "1": 6},
    }


def test_a_rule_about_everybody_needs_no_quasi_column(patients: Path) -> None:
    Knowledge("Disease", (Rule((), "Flu"),)).write(patients.with_name("rules.toml"))
    shown = sfumato("knowledge", "show", patients.with_name("rules.toml"), "--data", patients).stdout
    assert "everybody: never Flu  9 records, 3 with the value" in shown


def test_rules_that_say_most_come_first_and_others_are_folded(tmp_path: Path) -> None:
    """By hand: of eighty persons half have the flu, a quarter gout, a quarter birth.

    Forty persons are of each sex and of each town, so 40/4 or 20/2 are expected where six rules say never; of the six
    pairs of sex and town that follow from a rule about one of them, 20/4 are expected.
    """
    rows = [("M", "north", "flu"), ("M", "south", "gout"), ("F", "north", "birth"), ("F", "south", "flu")]
    lines = ["sex,town,ill", *(",".join(row) for row in rows for _ in range(20))]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    given = ("--quasi", "sex,town", "--sensitive", "ill", "--max-items", "2")
    mine = ("knowledge", "mine", tmp_path / "people.csv", *given)
    some = [str(rule) for rule in rules_in(sfumato(*mine).stdout, tmp_path).never]
    assert set(some) == {
        "sex is F: never gout",
        "sex is M: never birth",
        "town is north: never gout",
        "town is south: never birth",
        "sex is F, town is north: never flu",
        "sex is M, town is south: never flu",
    }
    every = [str(rule) for rule in rules_in(sfumato(*mine, "--all").stdout, tmp_path).never]
    assert set(every[:6]) == set(some)
    assert len(every) == 12
    assert json.loads(sfumato(*mine, "--format", "json").stdout)["implied"] == 6
    assert "implied" not in json.loads(sfumato(*mine, "--all", "--format", "json").stdout)
    said = "6 more specific rules follow from these; --all has them too."
    file = tmp_path / "rules.toml"
    assert f"# {said}" in sfumato(*mine).stdout
    assert sfumato(*mine, "-o", file).stdout.strip() == f"Rules about ill in {file}: 6 never. {said}"
    # The file of all rules has them all; it is shown folded.
    assert sfumato(*mine, "--all", "-o", file, "--force").stdout.strip() == f"Rules about ill in {file}: 12 never."
    assert len(Knowledge.read(file)) == 12
    lines = sfumato("knowledge", "show", file).stdout.splitlines()
    assert lines[0] == "12 rules about ill."
    assert lines[1] == "  sex is F: never gout                and 2 more specific rules"
    assert len(lines) == 1 + 6
    assert len(sfumato("knowledge", "show", file, "--all").stdout.splitlines()) == 1 + 12
    with_data = sfumato("knowledge", "show", file, "--data", tmp_path / "people.csv").stdout
    assert "40 records, 0 with the value, and 2 more specific rules" in with_data


def test_other_kinds_of_rules(patients: Path) -> None:
    given = (
        "--positive",
        "--min-support",
        "0.2",
        "--statistics",
        "--all",
        "--max-items",
        "2",
        "--min-confidence",
        "0.8",
    )
    found = rules_in(sfumato("knowledge", "mine", patients, *WITH, *given).stdout, patients.parent)
    likely = {str(rule): rule.conviction for rule in found.likely}
    assert likely["Sex is F: Ovarian Cancer in 66.7 %"] == pytest.approx((3 * 7) / (9 * 1))
    assert [rule.share for rule in found.shares if not rule.when] == pytest.approx([3 / 9, 3 / 9, 2 / 9, 1 / 9])
    both = sfumato("knowledge", "mine", patients, *WITH, *given, "-o", patients.with_name("r.toml")).stdout
    assert f"{len(found.likely)} likely, {len(found.shares)} share" in both


def test_taxonomies(patients: Path) -> None:
    (patients.parent / "ages.toml").write_text(
        '[any]\nyoung = ["22", "27", "29", "30", "32", "36"]\nold = ["43", "47", "52"]\n', encoding="utf-8"
    )
    given = ("--quasi", "Age", "--sensitive", "Disease", "--min-expectation", "0.5")
    tree = ("--taxonomy", f"Age={patients.parent / 'ages.toml'}")
    found = rules_in(sfumato("knowledge", "mine", patients, *given, *tree).stdout, patients.parent)
    assert [str(rule) for rule in found.never] == ["Age is in [43, 52]: never Ovarian Cancer"]


def test_from_a_plan(tmp_path: Path) -> None:
    canary_csv(tmp_path / "people.csv", age=["20", "60"] * 6, ill=["flu", "gout"] * 6)
    plan = canary_plan(tmp_path)
    found = rules_in(sfumato("knowledge", "mine", plan).stdout, tmp_path)
    assert {str(rule) for rule in found.never} >= {"age is 20: never gout", "job is nurse: never flu"}
    (tmp_path / "rules.toml").write_text(found.text(), encoding="utf-8")
    assert "12 records." in sfumato("knowledge", "show", tmp_path / "rules.toml", "--data", plan).stdout
    assert "leave --quasi out" in refused(sfumato("knowledge", "mine", plan, "--quasi", "age"), 2)
    assert "a plan file has its own" in refused(sfumato("knowledge", "mine", plan, "--missing", "?"), 2)


def test_refusals(tmp_path: Path) -> None:
    file = canary_csv(tmp_path / "people.csv")
    given = ("--quasi", "age", "--sensitive", "ill")
    assert "--quasi a,b" in refused(sfumato("knowledge", "mine", file), 2)
    assert "min_expectation" in refused(sfumato("knowledge", "mine", file, *given, "--min-expectation", 1), 2)
    assert "membership" in refused(sfumato("knowledge", "mine", file, *given, "--membership", "round"), 2)
    assert "did you mean 'age'" in refused(
        sfumato("knowledge", "mine", file, "--quasi", "ages", "--sensitive", "ill"), 2
    )
    assert "no readable file" in refused(sfumato("knowledge", "show", tmp_path / "none.toml"), 2)
    Knowledge("ill", (Rule((Item("agee", "20"),), "x"),)).write(tmp_path / "r.toml")
    assert "did you mean 'age'" in refused(sfumato("knowledge", "show", tmp_path / "r.toml", "--data", file), 2)
    assert not list(tmp_path.glob(".sfumato*"))
