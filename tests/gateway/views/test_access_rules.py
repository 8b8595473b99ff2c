"""Goldens of Kabir (2010), chapter 2, for one rule; `test_views.py` and `test_gateway.py` have several."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.conditions.conditions import Condition
from sfumato.gateway.policy.intended_purposes import Access, IntendedPurposes
from sfumato.gateway.policy.purposes import PurposeTree
from sfumato.gateway.transforms.first_letter import FirstLetter
from sfumato.gateway.views.access_rules import MAX_COMBINED_RULES, AccessRule, access, effective_access, outcomes
from tests.gateway.kabir import TREE

TREE_15 = PurposeTree.of_children(TREE)
MARKETING = TREE_15.down(["Marketing"])
FULL, CONDITIONAL, HIDDEN = Access.FULL, Access.CONDITIONAL, Access.HIDDEN


def seen(intended: IntendedPurposes, purpose: str, *, closes_upward: bool = True) -> Access:
    """What is seen of a value with these intended purposes."""
    codes = intended.codes(TREE_15, closes_upward=closes_upward)
    return access((AccessRule.of("the only rule", codes, TREE_15.code([purpose])),), {})


def implied(intended: IntendedPurposes) -> tuple[set[str], set[str]]:
    """Purposes with full and with conditional access, as the thesis counts them."""
    found = {name: seen(intended, name, closes_upward=False) for name in TREE_15.parents}
    return {name for name in found if found[name] is FULL}, {name for name in found if found[name] is CONDITIONAL}


@pytest.mark.parametrize(
    ("intended", "full", "conditional"),
    [
        (IntendedPurposes.of(["Admin", "Direct"], ["Third-Party"], ["D-Email"]),
         {"Admin", "Profiling", "Analysis", "D-Phone"}, {"Third-Party", "T-Email", "T-Postal"}),
        (IntendedPurposes.of(["General"], ["Marketing"], ["Admin"]), {"Purchase", "Shipping"}, MARKETING),
        (IntendedPurposes.of(["General"], [], ["Admin", "Shipping"]), {"Purchase"} | MARKETING, set()),
        (IntendedPurposes.of(["General"]), set(TREE_15.parents), set()),
    ],
)  # fmt: skip
def test_implied_purposes(intended, full, conditional) -> None:
    """Example 2.3.1 and the sets worked out in section 3.2; one that is printed without General has it too."""
    assert implied(intended) == (full, conditional)


@pytest.mark.parametrize(
    ("intended", "decided"),
    [
        (IntendedPurposes.of(["General"], ["Admin"], ["Shipping"]),
         {"Shipping": HIDDEN, "Profiling": CONDITIONAL, "Marketing": FULL, "General": HIDDEN}),
        (IntendedPurposes.of(["Marketing"], ["Admin"], ["Shipping"]), {"D-Email": FULL, "Purchase": HIDDEN}),
        (IntendedPurposes.of(["Shipping"], ["Admin"], ["Marketing"]),
         {"D-Email": HIDDEN, "Analysis": CONDITIONAL, "Shipping": FULL}),
    ],
)  # fmt: skip
def test_table_3_1(intended, decided) -> None:
    assert {purpose: seen(intended, purpose) for purpose in decided} == decided


@pytest.mark.parametrize(
    ("purpose", "decided"),
    [
        ("T-Email", (CONDITIONAL, HIDDEN, FULL)),
        ("Marketing", (CONDITIONAL, HIDDEN, FULL)),
        ("Admin", (FULL, FULL, FULL)),
    ],
)
def test_the_three_groups_of_table_2_3(purpose, decided) -> None:
    groups = (
        IntendedPurposes.of(["General"], ["Third-Party"]),
        IntendedPurposes.of(["General"], [], ["Third-Party"]),
        IntendedPurposes.of(["General"]),
    )
    assert tuple(seen(group, purpose) for group in groups) == decided
    assert seen(groups[0], "Marketing", closes_upward=False) is FULL


def test_a_more_general_purpose_never_shows_more_than_was_allowed() -> None:
    """Closing conditions upward narrows what is allowed; it grants nothing by itself."""
    assert seen(IntendedPurposes.of([], ["Marketing"]), "General") is HIDDEN
    assert seen(IntendedPurposes.of(["General"], ["Marketing"]), "General") is CONDITIONAL


sets = st.lists(st.sampled_from(sorted(TREE_15.parents)), max_size=3)


@given(sets, sets, sets, st.sampled_from(sorted(TREE_15.parents)), st.booleans())
def test_bits_decide_as_sets_do(allowed, conditional, prohibited, purpose, closes) -> None:
    if purpose in TREE_15.updown(prohibited):
        expected = HIDDEN
    elif purpose in TREE_15.down(conditional):
        expected = CONDITIONAL
    elif purpose in TREE_15.down(allowed):
        expected = CONDITIONAL if closes and purpose in TREE_15.up(conditional) else FULL
    else:
        expected = HIDDEN
    intended = IntendedPurposes.of(allowed, conditional, prohibited)
    assert seen(intended, purpose, closes_upward=closes) is expected


def test_without_a_weaker_form_conditional_access_shows_nothing() -> None:
    effective = {one: (effective_access(one, None), effective_access(one, FirstLetter())) for one in Access}
    assert effective == {FULL: (FULL, FULL), CONDITIONAL: (HIDDEN, CONDITIONAL), HIDDEN: (HIDDEN, HIDDEN)}


def test_of_too_many_conditions_not_all_combinations_are_tried() -> None:
    codes = IntendedPurposes.of(["General"]).codes(TREE_15)
    everywhere = AccessRule.of("the table", codes, TREE_15.code(["Marketing"]))
    in_some_rows = replace(everywhere, where=Condition.parse("land = 'DE'"))
    assert outcomes((everywhere, *([in_some_rows] * MAX_COMBINED_RULES)), 0) == {FULL}
    assert outcomes((everywhere, *([in_some_rows] * (MAX_COMBINED_RULES + 1))), 0) == set(Access)
