"""Local recoding: what is published holds, has labels of the taxonomies only, and loses little."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from sfumato.algorithms import LocalRecoding, OptimalLattice
from sfumato.algorithms.full_domain import level_groups
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.errors import InfeasibleError, TaxonomyError
from sfumato.metrics import Ncp
from sfumato.models import DistinctLDiversity, KAnonymity, LkcPrivacy, TCloseness
from sfumato.runtime.time_limit import within
from sfumato.taxonomies import Intervals
from tests.algorithms.full_domain.test_nodes import suits
from tests.examples import examples
from tests.strategies import small_tables

MODELS = [
    KAnonymity(k=2),
    KAnonymity(k=2) & DistinctLDiversity(l=2, sensitive="s0"),
    KAnonymity(k=2) & TCloseness(t=0.3, sensitive="s0"),
    LkcPrivacy(l=1, k=2, c=0.7, sensitive="s0"),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(table=small_tables(taxonomies=True, max_rows=8, max_repeats=3))
@examples(30)
def test_every_group_holds_under_nodes_of_the_taxonomies(model, table: Table) -> None:
    if not suits(table):
        return
    try:
        release = LocalRecoding().anonymize(table, model)
    except InfeasibleError:
        assert any(member.fails(hidden(table).view).any() for member in model.measured())
        return
    assert all(verdict.holds for verdict in release.verdicts)
    for name, labels in release.recoding.labels.items():
        known = {*table.taxonomies[name].labels, *table.domain(name).texts}
        assert set(labels.texts) <= known


def hidden(table: Table):
    """The table with every quasi column at its root."""
    from sfumato.operations.generalize import generalize_levels

    return generalize_levels(table, {name: table.taxonomies[name].height for name in table.schema.quasi})


def test_groups_are_published_at_the_first_node_where_they_hold() -> None:
    """By hand: three equal records stay exact; the others agree in their ten years only."""
    rows = {"age": ["31", "31", "31", "20", "21", "22"]}
    table = Table.of_rows(Schema.of(quasi=["age"], taxonomies={"age": Intervals(width=10)}), rows)
    release = LocalRecoding().anonymize(table, KAnonymity(k=3))
    assert release.groups.sizes.tolist() == [3, 3]
    assert sorted(release.recoding.labels["age"].texts) == ["31", "[20, 30)"]


def test_it_loses_less_than_one_level_for_all() -> None:
    local = LocalRecoding().anonymize(hospital(), KAnonymity(k=3))
    assert Ncp().measure(local) <= OptimalLattice().anonymize(hospital(), KAnonymity(k=3)).provenance["search"]["loss"]


def test_a_lattice_too_large_to_be_listed_is_climbed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(level_groups, "_MOST", 2)
    release = LocalRecoding().anonymize(hospital(), KAnonymity(k=3))
    assert release.groups.sizes.min() >= 3


def test_a_time_limit_of_nothing_gives_a_release() -> None:
    with within(0):
        release = LocalRecoding().anonymize(hospital(), KAnonymity(k=3))
    assert release.groups.sizes.min() >= 3


def test_the_same_records_in_another_order_give_the_same_release() -> None:
    random = np.random.default_rng(3)
    table = hospital()
    order = random.permutation(len(table))
    one, other = (LocalRecoding().anonymize(some, KAnonymity(k=2)) for some in (table, table.rows_at(order)))
    assert Ncp().measure(one) == pytest.approx(Ncp().measure(other))


def test_a_column_without_taxonomy_is_refused() -> None:
    bare = Table.of_rows(Schema.of(quasi=["town"]), {"town": ["north", "south"]})
    with pytest.raises(TaxonomyError, match="column 'town' has no taxonomy"):
        LocalRecoding().anonymize(bare, KAnonymity(k=2))


@pytest.mark.parametrize(
    ("model", "most"),
    [(KAnonymity(k=10), 0.079), (KAnonymity(k=50), 0.152), (KAnonymity(k=10) & TCloseness(t=0.2), 0.272)],
    ids=str,
)
def test_adult_loses_no_more_than_promised(adult: Table, model, most: float) -> None:
    assert Ncp().measure(LocalRecoding().anonymize(adult, model)) <= most
