from __future__ import annotations

import pytest
from hypothesis import given

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.data.table import Table
from sfumato.errors import KnowledgeError
from sfumato.knowledge import Item
from sfumato.knowledge.item import demand_distinct_names
from sfumato.taxonomies.tree import Tree
from tests.strategies import small_tables

AGES, _ = Domain.of("age", ["19", "20", "24", "25", "?"], missing=["?"])


@pytest.mark.parametrize(
    ("item", "true"),
    [
        (Item("age", "20"), ["20"]),
        (Item("age", "20.0"), ["20"]),
        (Item("age", "[20, 25)"), ["20", "24"]),
        (Item("age", "(19, 25]"), ["20", "24", "25"]),
        (Item("age", "20-24"), ["20", "24"]),
        (Item("age", "?"), ["?"]),
        (Item("age", "missing"), ["?"]),
        (Item("age", "young"), []),
        (Item("age", "young", ("19", "[24, 30]")), ["19", "24", "25"]),
    ],
)
def test_what_an_item_is_true_of(item: Item, true: list[str]) -> None:
    assert [text for text, hit in zip(AGES.texts, item.true_of(AGES), strict=True) if hit] == true


def test_a_value_that_looks_like_an_interval_is_a_value() -> None:
    domain, _ = Domain.of("size", ["[1, 2]", "[1, 3]"], kind=Kind.TEXT)
    assert Item("size", "[1, 2]").true_of(domain).tolist() == [True, False]


def test_an_interval_the_wrong_way_round() -> None:
    for text in ("[25, 20)", "25-20"):
        with pytest.raises(KnowledgeError, match="of column 'age' ends before it begins"):
            Item("age", text).true_of(AGES)


def test_names() -> None:
    assert str(Item("age", "[20, 25)")) == "age is in [20, 25)"
    assert str(Item("job", "Artist", ("Dancer",))) == "job is Artist"


@given(small_tables(max_sensitive=1))
def test_a_node_is_true_of_what_lies_under_it(table: Table) -> None:
    for taxonomy in table.taxonomies.values():
        for node, (lo, hi) in enumerate(zip(taxonomy.lo.tolist(), taxonomy.hi.tolist(), strict=True)):
            true = Item.of_range(taxonomy.domain, lo, hi, taxonomy.labels[node]).true_of(taxonomy.domain)
            assert true.nonzero()[0].tolist() == list(range(lo, hi + 1))


def test_nodes_of_moments_written_with_a_blank() -> None:
    domain, _ = Domain.of("at", ["2024-01-01 10:00", "2024-01-01 12:30", "2024-02-01 09:00"])
    tree = Tree(branches={"any": {"January": ["2024-01-01 10:00", "2024-01-01 12:30"], "2024-02-01 09:00": {}}})
    taxonomy, _ = tree.grow(domain)
    node = taxonomy.labels.index("January")
    item = Item.of_range(domain, int(taxonomy.lo[node]), int(taxonomy.hi[node]), "January")
    assert item.true_of(domain).tolist() == [True, True, False]


def test_a_missing_value_beside_a_value_of_that_name() -> None:
    domain, codes = Domain.of("job", ["missing", None])
    items = [Item.of_range(domain, code, code) for code in codes.tolist()]
    assert [item.true_of(domain).tolist() for item in items] == [[True, False], [False, True]]


def test_one_name_for_two_things() -> None:
    one, two = Item("job", "A", ("x",)), Item("job", "A", ("y",))
    demand_distinct_names("job", (one, one))
    for other in (two, Item("job", "A")):
        with pytest.raises(KnowledgeError, match="'A' stands for two sets of values of column 'job'"):
            demand_distinct_names("job", (one, other))
