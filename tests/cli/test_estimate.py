from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import CANARIES, canary_csv, refused, sfumato

QIT = """Age,Sex,GroupID
30,Male,1
30,Male,1
30,Male,1
32,Male,1
32,Male,1
32,Male,1
36,Female,2
38,Female,2
38,Female,2
38,Female,2
"""
ST = """GroupID,Disease,Count
1,Hepatitis,3
1,HIV,3
2,Flu,2
2,Heart,2
"""
COLUMNS = ("--quasi", "Age,Sex", "--sensitive", "Disease", "--bucket", "GroupID")


@pytest.fixture
def tables(tmp_path: Path) -> tuple[object, ...]:
    """Tables 3.3 and 3.4 of the book."""
    (tmp_path / "qit.csv").write_text(QIT, encoding="utf-8")
    (tmp_path / "st.csv").write_text(ST, encoding="utf-8")
    return "estimate", tmp_path / "qit.csv", *COLUMNS, "--sensitive-table", tmp_path / "st.csv"


def test_example_3_1(tables) -> None:
    """Two are expected by the original; 1.5 by the release."""
    told = sfumato(*tables, "--where", "Age=38", "--where", "Disease=Heart", "--format", "json")
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert found["value"] == 1.5
    assert found["certain"] == {"low": 1, "high": 2}
    assert found["interval"] is None
    assert found["value_assumes"] == "within a bucket, the values of different blocks are independent of each other"
    assert (found["asked"], found["records"], found["suppressed"]) == ("count", 10, 0)
    assert found["where"] == ["Age=38", "Disease=Heart"]


def test_sums_and_averages(tables) -> None:
    plain = ("--where", "Disease=Heart", "--format", "json")
    total = json.loads(sfumato(*tables, "--sum", "Age", *plain).stdout)
    assert (total["value"], total["certain"]) == (75, {"low": 74, "high": 76})
    average = json.loads(sfumato(*tables, "--average", "Age", *plain).stdout)
    assert (average["value"], average["certain"]) == (37.5, {"low": 37, "high": 38})
    assert (average["asked"], average["column"]) == ("average", "Age")


def test_as_text(tables) -> None:
    told = sfumato(*tables, "--where", "Age=[36, 40]", "--where", "Disease=Heart", "--sum", "Age").stdout
    assert "Sum of Age: Age is in [36, 40], Disease is Heart" in told
    for words in ("certain", "74 to 76", "expected, if independent", "Over 10 records.", "--random-buckets is for"):
        assert words in told
    assert "95%" not in told
    exact = sfumato(*tables).stdout
    assert "Records: everybody" in exact
    assert "10 to 10" in exact
    assert "assumes" not in exact


def test_who_states_that_buckets_are_random_gets_an_interval(tmp_path) -> None:
    """Two of three values in each bucket: u is in the first two, so it has 2 + 1 - 0 of the three records with x = 1.

    The deviation is the root of 2, and nobody can have more than the two records of u.
    """
    rows = "x,s,group\n1,u,1\n1,v,1\n1,u,2\n0,w,2\n0,v,3\n0,w,3\n"
    (tmp_path / "one.csv").write_text(rows, encoding="utf-8")
    words = ("estimate", tmp_path / "one.csv", "--quasi", "x", "--sensitive", "s", "--random-buckets", "--level", "0.5")
    asked = (*words, "--where", "x=1", "--where", "s=u")
    found = json.loads(sfumato(*asked, "--format", "json").stdout)
    assert found["certain"] == {"low": 1, "high": 2}
    interval = found["interval"]
    assert (interval["level"], interval["high"]) == (0.5, 2)
    assert "drawn at random given the sensitive values" in interval["assumes"]
    text = sfumato(*asked).stdout
    for words in ("50%, if random buckets", "expected, if independent", "1.5", "The 50% interval assumes that buckets"):
        assert words in text


def test_permuted_and_sliced_files(tmp_path) -> None:
    rows = "a,b,s,group\n1,x,5,1\n2,y,6,1\n3,z,7,2\n4,z,8,2\n*,*,*,*\n"
    (tmp_path / "one.csv").write_text(rows, encoding="utf-8")
    words = ("estimate", tmp_path / "one.csv", "--quasi", "a,b", "--sensitive", "s", "--format", "json")
    asked = ("--where", "a=1", "--where", "b=x")
    assert json.loads(sfumato(*words, *asked).stdout)["certain"] == {"low": 1, "high": 1}
    torn = json.loads(sfumato(*words, *asked, "--block", "a", "--block", "b", "--block", "s").stdout)
    assert (torn["value"], torn["certain"]) == (0.5, {"low": 0, "high": 1})
    assert (torn["records"], torn["suppressed"]) == (4, 1)
    assert "1 more is suppressed" in sfumato(*words[:-2]).stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--where", "Age"), "column=value"),
        (("--where", "Agee=38"), "did you mean 'Age'"),
        (("--where", "Disease=Hart"), "no such value"),
        (("--sum", "Disease"), "cannot be added up"),
        (("--sum", "Age", "--average", "Age"), "cannot be combined"),
        (("--level", "2"), "'level' must lie between 0 and 1"),
    ],
)
def test_wrong_use(tables, words, complaint) -> None:
    assert complaint in refused(sfumato(*tables, *words), 2)


def test_a_file_without_buckets_is_refused_without_telling_secrets(tmp_path) -> None:
    path = canary_csv(tmp_path / "people.csv")
    words = ("estimate", path, "--quasi", "age,job", "--sensitive", "ill")
    assert "no column 'group'" in refused(sfumato(*words), 2)
    assert "no such value" in refused(sfumato(*words, "--bucket", "name", "--where", f"ill={CANARIES[2]}x"), 2)


def test_a_release_without_buckets_is_said_to_have_none(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("Age,Disease\n30,Flu\n30,HIV\n")
    told = sfumato("estimate", tmp_path / "r.csv", "--quasi", "Age", "--sensitive", "Disease")
    said = refused(told, 2)
    assert "file 'r.csv' has no column 'group' that names buckets" in said
    assert "by --bucket" in said


def test_a_published_column_that_no_option_names(tables) -> None:
    command, file, _, _, *others = tables
    for query in (("--where", "Sex=Male"), ("--sum", "Sex"), ("--average", "Sex")):
        told = sfumato(command, file, "--quasi", "Age", *others, *query)
        assert "column 'Sex' is published, but no option names it; name it, too: --quasi Age,Sex." in refused(told, 2)
