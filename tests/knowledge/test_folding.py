"""Rules that are not shown because others say the same, by hand and against the records that rules are true of."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.knowledge import Item, Knowledge, Rule
from sfumato.knowledge.folding import folded

MAN, YOUNG, TWENTY = Item("sex", "Male"), Item("age", "[20, 30)"), Item("age", "22")


def shown(never: list[Rule], likely: list[Rule] | None = None) -> list[tuple[str, int]]:
    return [(str(rule), more) for rule, more in folded(never, likely or [])]


def test_one_rule_says_what_three_say() -> None:
    rules = [
        Rule((MAN, TWENTY), "birth"),
        Rule((MAN,), "birth"),
        Rule((MAN, YOUNG), "birth"),
        Rule((MAN, YOUNG), "flu"),
        Rule((TWENTY,), "birth"),
    ]
    assert shown(rules) == [
        ("sex is Male: never birth", 2),
        ("sex is Male, age is in [20, 30): never flu", 0),
        ("age is 22: never birth", 0),
    ]


def test_a_rule_that_claims_more_is_shown() -> None:
    """With exceptions a rare one is stronger; of likely rules one with a larger share is."""
    assert len(shown([Rule((MAN,), "birth", share=0.1), Rule((MAN, YOUNG), "birth")])) == 2
    assert len(shown([Rule((MAN,), "birth"), Rule((MAN, YOUNG), "birth", share=0.1)])) == 1
    assert len(shown([], [Rule((MAN,), "flu", share=0.4), Rule((MAN, YOUNG), "flu", share=0.5)])) == 2
    assert len(shown([], [Rule((MAN,), "flu", share=0.4), Rule((MAN, YOUNG), "flu", share=0.3)])) == 1
    assert len(shown([Rule((MAN,), "flu")], [Rule((MAN, YOUNG), "flu", share=0.3)])) == 2


def test_equal_rules_are_shown_once() -> None:
    rule = Rule((MAN, YOUNG), "flu")
    assert shown([rule, Rule((YOUNG, MAN), "flu")]) == [(str(rule), 1)]


ITEMS = st.sampled_from([
    MAN, Item("sex", "Female"), YOUNG, TWENTY, Item("age", "30"), Item("age", "[20, 30]"), Item("age", "(20, 30)"),
    Item("age", "old", ("30", "41")), Item("age", "[30, 50]"), Item("age", "20"),
])  # fmt: skip
RULES = st.builds(
    lambda items, value: Rule(tuple({item.column: item for item in items}.values()), value),
    st.lists(ITEMS, max_size=2),
    st.sampled_from(["flu", "birth"]),
)


@given(st.lists(RULES, max_size=8))
def test_the_rules_that_are_shown_rule_out_the_same(rules) -> None:
    """Exact rules: whatever any rule rules out for any person, a rule that is shown rules out too; nothing is lost."""
    ages, sexes = ["20", "22", "29", "30", "41"], ["Male", "Female"]
    table = Table.of_rows(
        Schema.of(quasi=["sex", "age"], sensitive=["ill"]),
        {
            "sex": [sex for sex in sexes for _ in ages],
            "age": ages * 2,
            "ill": ["flu", "birth"] * len(ages),
        },
    )
    found = folded(rules, [])
    kept = tuple(rule for rule, _ in found)
    all_of_them, some = (Knowledge("ill", given).ruled_out(table) for given in (tuple(rules), kept))
    assert np.array_equal(all_of_them, some)
    assert len(kept) + sum(more for _, more in found) == len(rules)
