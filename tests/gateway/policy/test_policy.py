from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import PolicyError
from sfumato.gateway.policy.policy import Policy
from tests.gateway import kabir

SMALL = {
    "name": "shop",
    "purposes": {"General": ["Admin", "Marketing"]},
    "tables": {"customer": {"key": "id", "allowed": ["Admin"], "columns": {"income": {"by_choice": True}}}},
    "choices": {"no": {"prohibited": ["General"]}},
}


def test_a_file_and_the_same_tables_are_the_same_policy(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(tomlkit.dumps(kabir.policy()), encoding="utf-8")
    read, made = Policy.read(tmp_path / "policy.toml"), Policy.of(kabir.policy())
    assert read.digest == made.digest
    assert len(read.tree) == 15
    assert Policy.of(SMALL).digest != made.digest


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"tables": {"customer": {"key": "id", "alowed": ["Admin"]}}},
            r"\[tables.customer\] has no key 'alowed'; did you mean 'allowed'",
        ),
        ({"tables": {"customer": {}}}, r"\[tables.customer\] needs 'key'"),
        ({"tables": {}}, "at least one entry"),
        ({"purposes": {}}, "no purposes"),
        ({"purposes": {"General": ["General"]}}, "below itself"),
        ({"tables": {"customer": {"key": "id", "allowed": ["Marketng"]}}}, "did you mean 'Marketing'"),
        (
            {"tables": {"customer": {"key": "id", "row_policy": "hide"}}},
            "one of 'mask_cell', 'drop_row' or 'drop_if_all_hidden'",
        ),
        (
            {"tables": {"customer": {"key": "id", "columns": {"a": {"by_choice": True, "allowed": ["Admin"]}}}}},
            "by choice",
        ),
        ({"tables": {"customer": {"key": "id", "columns": {"a": {"default_choice": "no"}}}}}, "set by_choice"),
        (
            {"tables": {"customer": {"key": "id", "columns": {"a": {"by_choice": True, "default_choice": "on"}}}}},
            "there is no choice 'on'; allowed: no",
        ),
        ({"choices": {}}, "no \\[choices\\]"),
        ({"rules": [{"name": "r", "table": "custmer"}]}, "did you mean 'customer'"),
        ({"rules": [{"name": "r", "table": "customer", "where": "age >"}]}, "expected"),
        ({"rules": [{"name": "r", "table": "customer"}, {"name": "r", "table": "customer"}]}, "two rules"),
        (
            {"tables": {"customer": {"key": "id", "columns": {"a": {"conditions": [{"transform": "bucket"}]}}}}},
            "weaker form of column 'a'",
        ),
        (
            {
                "tables": {
                    "customer": {"key": "id", "columns": {"a": {"conditions": [{"transform": "bukket", "width": 5}]}}}
                }
            },
            "did you mean 'bucket'",
        ),
        ({"permissions": [{"role": "boss", "table": "customer", "purpose": "Admin"}]}, "boss"),
        ({"roles": {"a": {"parent": "b"}, "b": {"parent": "a"}}}, "circle"),
        ({"extra": 1}, "no section 'extra'"),
    ],
)
def test_policies_that_make_no_sense_are_refused(change, said) -> None:
    with pytest.raises(PolicyError, match=said):
        Policy.of({**SMALL, **change})


def test_two_keys_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text('name = "a"\n[purposes]\nGeneral = []\nGeneral = []\n')
    with pytest.raises(PolicyError, match="not valid TOML"):
        Policy.read(tmp_path / "p.toml")


def test_the_first_form_that_is_meant_for_a_purpose_is_taken() -> None:
    columns = {
        "income": {
            "conditions": [
                {"purpose": "Marketing", "transform": "bucket", "width": 1000},
                {"transform": "bucket", "width": 10},
            ]
        }
    }
    policy = Policy.of({**SMALL, "tables": {"customer": {"key": "id", "columns": columns}}})
    assert str(policy.transform("customer", "income", "Marketing")) == "bucket(width=1000)"
    assert str(policy.transform("customer", "income", "Admin")) == "bucket(width=10)"
    assert policy.transform("customer", "name", "Admin") is None


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = ["name", "purposes", "choices", "tables", "rules", "roles", "conditional_roles", "permissions", "closes_upward"]


@given(st.dictionaries(st.sampled_from(KEYS), junk, max_size=6))
def test_anything_else_is_refused_in_plain_words(change) -> None:
    with suppress(PolicyError):
        assert Policy.of({**SMALL, **change}).digest


def test_the_order_of_choices_is_part_of_what_a_policy_is() -> None:
    choices = {"a": {"allowed": ["General"]}, "b": {"prohibited": ["General"]}}
    one, other = (
        Policy.of({**SMALL, "purposes": {"General": ["Admin"]}, "choices": given})
        for given in (choices, dict(reversed(choices.items())))
    )
    assert one.digest != other.digest
