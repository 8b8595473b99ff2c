from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import PolicyError
from sfumato.gateway.policy.purposes import PurposeTree

TABLE_2_7 = [
    ("A", None, 0x200, 0x3FF, 0x3FF), ("B", "A", 0x100, 0x130, 0x330), ("C", "A", 0x080, 0x080, 0x280),
    ("D", "A", 0x040, 0x04F, 0x24F), ("E", "B", 0x020, 0x020, 0x320), ("F", "B", 0x010, 0x010, 0x310),
    ("G", "D", 0x008, 0x00B, 0x24B), ("H", "D", 0x004, 0x004, 0x244), ("I", "G", 0x002, 0x002, 0x24A),
    ("J", "G", 0x001, 0x001, 0x249),
]  # fmt: skip


@pytest.mark.parametrize(("name", "parent", "code", "below", "around"), TABLE_2_7)
def test_codes_of_table_2_7(name, parent, code, below, around) -> None:
    """Kabir (2010), table 2.7, whose 04F0 for D is a slip."""
    tree = PurposeTree.of_children({"A": ["B", "C", "D"], "B": ["E", "F"], "D": ["G", "H"], "G": ["I", "J"]})
    assert tree.parents[name] == parent
    assert (tree.code([name]), tree.code(tree.down([name])), tree.code(tree.updown([name]))) == (code, below, around)


@st.composite
def trees(draw):
    parents: dict[str, str | None] = {"p0": None}
    for place in range(1, draw(st.integers(1, 12))):
        parents[f"p{place}"] = f"p{draw(st.integers(0, place - 1))}"
    return PurposeTree(parents)


def ancestors(tree: PurposeTree, name: str) -> set[str]:
    parent = tree.parents[name]
    return {name} | (ancestors(tree, parent) if parent is not None else set())


@given(trees(), st.data())
def test_closures_against_every_pair(tree: PurposeTree, data) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(tree.parents)), max_size=3))
    assert tree.up(names) == {above for name in names for above in ancestors(tree, name)}
    assert tree.down(names) == {name for name in tree.parents if ancestors(tree, name) & set(names)}
    assert tree.updown(names) == tree.up(names) | tree.down(names)


@given(trees())
def test_every_purpose_has_a_bit_of_its_own(tree: PurposeTree) -> None:
    codes = [tree.code([name]) for name in tree.parents]
    assert sorted(codes) == [1 << place for place in range(len(tree))]
    assert tree.code(tree.down([tree.root])) == (1 << len(tree)) - 1


@pytest.mark.parametrize(
    ("children", "said"),
    [
        ({}, "no purposes"),
        ({"A": ["B"], "C": ["B"]}, "two others"),
        ({"A": ["A"]}, "below itself"),
        ({"A": [], "B": ["C"]}, r'one root; found 2; put one above them: "General" = \["A", "B"\]'),
    ],
)
def test_what_is_no_tree_is_refused(children, said) -> None:
    with pytest.raises(PolicyError, match=said):
        PurposeTree.of_children(children)


@pytest.mark.parametrize(
    ("parents", "said"), [({"A": None, "B": "X"}, "no purpose"), ({"A": None, "B": "C", "C": "B"}, "circle")]
)
def test_parents_that_lead_nowhere_are_refused(parents, said) -> None:
    with pytest.raises(PolicyError, match=said):
        PurposeTree(parents)
