"""Goldens of Kabir (2010), chapter 2."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import PolicyError
from sfumato.gateway.policy.intended_purposes import Access, IntendedPurposes, accessible_shares
from sfumato.gateway.policy.purposes import PurposeTree
from tests.gateway.kabir import TREE

TREE_15 = PurposeTree.of_children(TREE)
MARKETING = TREE_15.down(["Marketing"])
FULL, CONDITIONAL, HIDDEN = Access.FULL, Access.CONDITIONAL, Access.HIDDEN


def implied(intended: IntendedPurposes) -> tuple[set[str], set[str]]:
    """Purposes with full and with conditional access, as the thesis counts them."""
    found = {name: intended.access(name, TREE_15, closes_upward=False) for name in TREE_15.parents}
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
    assert {purpose: intended.access(purpose, TREE_15) for purpose in decided} == decided


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
    assert tuple(group.access(purpose, TREE_15) for group in groups) == decided
    assert groups[0].access("Marketing", TREE_15, closes_upward=False) is FULL


def test_a_more_general_purpose_never_shows_more_than_was_allowed() -> None:
    """Closing conditions upward narrows what is allowed; it grants nothing by itself."""
    assert IntendedPurposes.of([], ["Marketing"]).access("General", TREE_15) is HIDDEN
    assert IntendedPurposes.of(["General"], ["Marketing"]).access("General", TREE_15) is CONDITIONAL


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
    assert intended.access(purpose, TREE_15, closes_upward=closes) is expected


@given(sets, sets, sets, sets, sets, sets)
def test_two_say_together_what_their_union_says(a, b, c, d, e, f) -> None:
    one, other = IntendedPurposes.of(a, b, c), IntendedPurposes.of(d, e, f)
    assert (one | other).codes(TREE_15) == one.codes(TREE_15) | other.codes(TREE_15)


def test_contradictions_are_named() -> None:
    assert IntendedPurposes.of(["General", "D-Phone"], [], ["Direct"]).contradictions(TREE_15) == ["D-Phone"]


def test_an_unknown_purpose_is_refused() -> None:
    with pytest.raises(PolicyError, match="did you mean 'Marketing'"):
        IntendedPurposes.of(["Marketting"]).codes(TREE_15)


def test_the_share_that_is_accessible() -> None:
    """Theorem 2.5.1: what conditions add is the share of conditional cells."""
    cells = [FULL] * 5 + [CONDITIONAL] * 3 + [HIDDEN] * 2
    assert accessible_shares(cells) == (0.8, 0.5)
    with pytest.raises(PolicyError):
        accessible_shares([])
