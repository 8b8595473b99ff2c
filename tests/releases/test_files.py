"""A release on disk: which engine opens it, and which columns it ties together."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.disclosure.linkage import Linkage
from sfumato.errors import SchemaError, UsageError
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
