from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import PolicyError
from sfumato.gateway.policy.lookalikes import demand_distinct, skeleton

SAME = [
    ("name", "Name"),
    ("straße", "STRASSE"),
    ("caf\u00e9", "cafe\u0301"),
    ("income", "inc\u043eme"),
    ("income", "\u03b9ncome"),
    ("file", "\ufb01le"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_names_that_look_the_same_are_refused_together(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)
    demand_distinct([one], "tables")
    demand_distinct([other], "tables")
    with pytest.raises(PolicyError, match="two tables look the same"):
        demand_distinct([one, other], "tables")


@pytest.mark.parametrize("name", ["na\u200bme", "na\u202eme", "name\u00ad", "na\x00me", " name", "name\u00a0"])
def test_what_cannot_be_seen_has_no_place_in_a_name(name: str) -> None:
    with pytest.raises(PolicyError, match="cannot be seen"):
        demand_distinct([name], "tables")


def test_names_that_differ_are_let_be() -> None:
    demand_distinct(["name", "names", "имя", "όνομα", "名前", "T-Email", "T Email"], "columns of 't'")


@given(st.text(min_size=1, max_size=8))
def test_a_name_looks_like_what_it_looks_like(name: str) -> None:
    assert skeleton(skeleton(name)) == skeleton(name) == skeleton(name.upper().lower())
