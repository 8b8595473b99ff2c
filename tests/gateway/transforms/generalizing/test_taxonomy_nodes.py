from __future__ import annotations

from decimal import Decimal

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.generalizing.taxonomy_nodes import TaxonomyNodes
from sfumato.taxonomies import Ordered, Tree

TEXT, TINY, MONEY = (ColumnType.of_duckdb(name) for name in ("VARCHAR", "TINYINT", "DECIMAL(9,2)"))


def test_numbers_that_the_column_cannot_have_are_left_out() -> None:
    made = TaxonomyNodes(
        builder=Ordered(groups=[["1", "1.5", "100"], ["126", "127", "500"], ["1000", "2000"]]), numbers=True
    )
    assert [made.weaker(value, TINY) for value in (1, 100, 127, 2)] == [(1, 100), (1, 100), (126, 127), None]
    assert made.weaker(Decimal("1.50"), MONEY) == (1, 100)
    assert (made.shown(1, TINY), made.shown(2, TINY)) == ("1 - 100", None)
    assert made.objection(TINY) is None


def test_a_number_that_is_alone_under_its_node_is_refused() -> None:
    made = TaxonomyNodes(builder=Ordered(groups=[["1", "2"], ["100", "500"]]), numbers=True)
    assert made.objection(MONEY) is None
    assert "alone under its node" in made.objection(TINY)  # a byte cannot be 500


def test_no_text_is_shown_as_itself() -> None:
    """Where branches have different lengths, and where a group has one member."""
    tree = Tree(branches={"ANY": {"Artist": ["Dancer"], "Work": {"Technical": ["Engineer"], "Lawyer": []}, "Spy": []}})
    shown = {job: TaxonomyNodes(builder=tree).weaker(job, TEXT) for job in ("Dancer", "Engineer", "Lawyer", "Spy")}
    assert shown == {"Dancer": "Artist", "Engineer": "Technical", "Lawyer": "Work", "Spy": "ANY"}
    groups = Ordered(groups=[["low", "mid"], ["high"], ["top"]])
    shown = {one: TaxonomyNodes(builder=groups).weaker(one, TEXT) for one in ("low", "high", "top")}
    assert shown == {"low": "low - mid", "high": "low - high", "top": "*"}


def test_a_column_of_the_other_kind_is_refused() -> None:
    tree = Tree(branches={"ANY": {"few": ["1", "2"], "many": ["3"]}})
    assert "false" in TaxonomyNodes(builder=tree, numbers=True).objection(TEXT)
    assert "true" in TaxonomyNodes(builder=tree).objection(TINY)
    assert TaxonomyNodes(builder=tree).objection(TEXT) is None
    assert "has 2 levels" in TaxonomyNodes(builder=tree, level=3).objection(TEXT)
    assert TaxonomyNodes(builder=tree).shown("few", TEXT) is None


def test_padding_means_nothing() -> None:
    named = TaxonomyNodes(builder=Tree(branches={"ANY": {"few": ["1"]}}))
    assert named.weaker("1    ", ColumnType.of_postgres("character(5)")) == "few"
    assert named.weaker("1    ", TEXT) is None
