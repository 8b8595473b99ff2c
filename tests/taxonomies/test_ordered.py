from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.errors import ParameterError, TaxonomyError
from sfumato.taxonomies import Ordered

IN_PLANS = [({"groups": [["low", "mid"], ["high"]]}, Ordered(groups=(("low", "mid"), ("high",))))]
SCALE = Ordered(groups=(("none", "low"), ("mid",), ("high", "top")))


def domain(*values: str | None) -> Domain:
    return Domain.of("pain", list(values), kind=Kind.TEXT)[0]


def test_groups_then_pairs_then_the_root() -> None:
    assert SCALE.grow(domain("top", "high", "mid", "low", "none"))[0].level_rows() == [
        ["none", "none - low", "none - mid", "*"],
        ["low", "none - low", "none - mid", "*"],
        ["mid", "mid", "none - mid", "*"],
        ["high", "high - top", "high - top", "*"],
        ["top", "high - top", "high - top", "*"],
    ]


def test_codes_follow_the_listed_order_and_missing_stays_last() -> None:
    given_values = domain("top", "low", None, "none")
    taxonomy, order = SCALE.grow(given_values)
    assert taxonomy.domain.texts == ("none", "low", "top", None)
    assert [given_values.texts[code] for code in order] == ["none", "low", "top", None]


def test_a_label_names_the_group_even_if_a_member_is_absent() -> None:
    assert SCALE.grow(domain("low", "top"))[0].level_rows()[0][1] == "none - low"


@pytest.mark.parametrize(("groups", "height"), [(1, 1), (2, 2), (3, 3), (4, 3), (5, 4), (8, 4), (9, 5)])
def test_height_grows_with_the_logarithm(groups: int, height: int) -> None:
    names = tuple((f"{place}a", f"{place}b") for place in range(groups))
    values = [name for pair in names for name in pair]
    assert Ordered(groups=names).grow(domain(*values))[0].height == height


@given(st.permutations(list("abcdefgh")), st.lists(st.booleans(), min_size=8, max_size=8))
def test_every_label_covers_its_value(letters: list[str], ends: list[bool]) -> None:
    groups: list[list[str]] = [[]]
    for letter, end in zip(letters, ends, strict=True):
        groups[-1].append(letter)
        if end:
            groups.append([])
    taxonomy, _ = Ordered(groups=[group for group in groups if group]).grow(domain(*letters))
    assert list(taxonomy.domain.texts) == letters
    for value, *labels in taxonomy.level_rows():
        for label in labels[:-1]:
            first, last = label[0], label[-1]
            assert letters.index(first) <= letters.index(value) <= letters.index(last)


def test_numbers_keep_their_own_order() -> None:
    ages, _ = Domain.of("age", ["1", "2", "3"])
    assert Ordered(groups=(("1", "2"), ("3",))).grow(ages)[0].level_rows()[0] == ["1", "1 - 2", "*"]
    with pytest.raises(TaxonomyError, match="not neighbours"):
        Ordered(groups=(("1", "3"), ("2",))).grow(ages)


def test_uncovered_values_are_listed() -> None:
    with pytest.raises(TaxonomyError, match=r"ordered categories of 'pain' does not cover 1 value: 'odd'"):
        SCALE.grow(domain("low", "odd"))


@pytest.mark.parametrize("groups", [(), (("a",), ()), [["a"], []]])
def test_empty_groups_are_refused(groups: object) -> None:
    with pytest.raises(ParameterError, match="at least one category"):
        Ordered(groups=groups)  # type: ignore[arg-type]


def test_a_category_in_two_groups_is_refused() -> None:
    with pytest.raises(ParameterError, match="must name each category once; 'a' is named again"):
        Ordered(groups=(("a", "b"), ("a",)))


@pytest.mark.parametrize("groups", ["low", ("low", "high"), ((1, 2),)])
def test_other_types_are_refused(groups: object) -> None:
    with pytest.raises(ParameterError, match="'groups' of Ordered must be a list of a list of text"):
        Ordered(groups=groups)  # type: ignore[arg-type]
