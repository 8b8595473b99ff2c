"""Linkage: which groups somebody sees where links between columns are cut."""

import pytest

from sfumato.disclosure.linkage import Linkage, free_name
from sfumato.errors import UnsuitableError

TIED = Linkage("group", (("age", "sex", "note"), ("zip",), ("job", "disease")))


def test_a_secret_is_told_by_the_bucket_and_by_what_stays_with_it() -> None:
    assert TIED.grouping_columns(("age", "sex", "job"), asked=("disease",)) == ("group", "job")
    assert TIED.grouping_columns(("age", "sex"), asked=("disease",)) == ("group",)


def test_records_look_alike_by_the_columns_of_the_first_block() -> None:
    assert TIED.grouping_columns(("age", "sex"), asked=()) == ("age", "sex")


def test_how_many_look_alike_is_not_said_of_columns_torn_apart() -> None:
    with pytest.raises(UnsuitableError, match="links between quasi columns are cut"):
        TIED.grouping_columns(("age", "zip"), asked=())


def test_all_blocks_but_the_first_move() -> None:
    assert TIED.moved == ("zip", "job", "disease")
    assert Linkage.from_dict(TIED.to_dict()) == TIED


@pytest.mark.parametrize(
    ("taken", "name"),
    [((), "group"), (("Group",), "group_id"), (("group", "group_id", "bucket", "bucket_id"), "group_")],
)
def test_the_bucket_gets_a_name_that_is_free_whatever_the_case_of_letters(taken, name) -> None:
    assert free_name(taken) == name
