"""A release on disk: which engine opens it, and which columns it ties together."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.disclosure.linkage import Linkage
from sfumato.errors import DataError, SchemaError, UsageError
from sfumato.releases.files import ReleaseFiles


@pytest.fixture
def table(tmp_path) -> Path:
    path = tmp_path / "r.csv"
    path.write_text("age,zip,s,group\n30,1,x,1\n31,2,y,1\n", encoding="utf-8")
    return path


def test_without_a_bucket_nothing_is_torn(table) -> None:
    files = ReleaseFiles(table)
    assert not files.linkage(files.opened(["s"]), ["s"]).cut


def test_sensitive_columns_are_torn_from_all_others_unless_blocks_are_given(table) -> None:
    files = ReleaseFiles(table, bucket="group")
    assert files.linkage(files.opened(["s"]), ["s"]) == Linkage("group", (("age", "zip"), ("s",)))
    sliced = ReleaseFiles(table, bucket="group", blocks=[["age"], ["zip", "s"]])
    assert sliced.linkage(sliced.opened(["s"]), ["s"]) == Linkage("group", (("age",), ("zip", "s")))


def test_columns_of_an_original_are_in_no_block(table) -> None:
    files = ReleaseFiles(table, bucket="group", original=table)
    assert files.linkage(files.opened(["s"]), ["s"]) == Linkage("group", (("age", "zip"), ("s",)))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sensitive_table": "st.csv"}, "name the column of the bucket"),
        ({"blocks": [["a"]]}, "name the column of the bucket"),
    ],
)
def test_what_makes_no_sense_together_is_refused(given, said) -> None:
    with pytest.raises(UsageError, match=said):
        ReleaseFiles(Path("r.csv"), **given)


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        ([["age"], ["zpi", "s"]], "names 'zpi'.* did you mean 'zip'"),
        ([["age", "group"], ["zip", "s"]], "names 'group'"),
        ([["age", "zip"], ["zip", "s"]], "'zip' is not"),
        ([["age"], ["s"]], "'zip' is not"),
        ([["age"], ["zip"]], "'s' is not"),
    ],
)
def test_every_column_that_is_judged_is_in_one_block(blocks, said, table) -> None:
    files = ReleaseFiles(table, bucket="group", blocks=blocks)
    with pytest.raises(SchemaError, match=said):
        files.linkage(files.opened(["s"]), ["s"], ["age", "zip"])


def test_a_bucket_has_no_other_role(table) -> None:
    files = ReleaseFiles(table, bucket="group")
    with pytest.raises(SchemaError, match="names the bucket"):
        files.linkage(files.opened(["s"]), ["s"], ["age", "group"])


def test_a_bucket_must_be_there_and_hide_something(table) -> None:
    for original in (None, table):
        with pytest.raises(SchemaError, match=r"file 'r\.csv' has no column 'grp'; did you mean 'group'"):
            ReleaseFiles(table, bucket="grp", original=original).opened(["s"])
    files = ReleaseFiles(table, bucket="group")
    with pytest.raises(SchemaError, match=r"no column 'illness'.* table of their own, give that too"):
        files.linkage(files.opened(["s"]), ["illness"])
    with pytest.raises(UsageError, match="at least one"):
        files.linkage(files.opened(["s"]), [])


ORIGINAL = ["age,ward,ill", "31,a,flu", "32,a,cold", "41,b,flu", "42,b,cold"]
"""Published with ages in tens; wards and illnesses are unchanged."""

RELEASE = ["age,ward,ill", "30,a,flu", "30,a,cold", "40,b,flu", "40,b,cold"]


def paired(folder: Path, release: list[str], original: list[str]) -> None:
    """Open a release beside its original and demand the same order."""
    for name, lines in (("r.csv", release), ("o.csv", original)):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = ReleaseFiles(folder / "r.csv", original=folder / "o.csv")
    files.demand_same_order(files.opened(["ill"]))


def test_an_original_in_another_order_is_refused(tmp_path) -> None:
    with pytest.raises(DataError, match="column 'ward' has the same values in both, but 2 records"):
        paired(tmp_path, RELEASE, [ORIGINAL[0], ORIGINAL[1], ORIGINAL[3], ORIGINAL[2], ORIGINAL[4]])
    with pytest.raises(DataError, match="column 'ill' has the same values in both, but 4 records"):
        paired(tmp_path, RELEASE, [ORIGINAL[0], ORIGINAL[2], ORIGINAL[1], ORIGINAL[4], ORIGINAL[3]])


def test_another_order_is_found_although_values_are_suppressed(tmp_path) -> None:
    release = [*RELEASE[:4], "*,*,*"]
    paired(tmp_path, release, ORIGINAL)
    with pytest.raises(DataError, match="column 'ward' has the same values in both, but 2 records"):
        paired(tmp_path, release, [ORIGINAL[0], ORIGINAL[1], ORIGINAL[3], ORIGINAL[2], ORIGINAL[4]])


@pytest.mark.parametrize("changed", ["c", "b"], ids=["values that are new", "values that are more frequent"])
def test_columns_whose_values_were_changed_say_nothing_about_order(changed, tmp_path) -> None:
    paired(tmp_path, [RELEASE[0], f"30,{changed},flu", *RELEASE[2:]], ORIGINAL)
