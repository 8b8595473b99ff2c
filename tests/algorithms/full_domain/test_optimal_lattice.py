"""The optimum against brute force, its proof, and its time limit."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Exhaustive, OptimalLattice
from sfumato.algorithms.full_domain import level_search
from sfumato.algorithms.full_domain.lattice import Lattice
from sfumato.algorithms.full_domain.nodes import LatticeNodes
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.errors import InfeasibleError, ParameterError, TaxonomyError
from sfumato.metrics import Ncp
from sfumato.models import ConfidenceBounding, DistinctLDiversity, KAnonymity, TCloseness
from sfumato.operations.generalize import generalize_levels
from sfumato.runtime.time_limit import stopping, within
from sfumato.taxonomies import Flat, Intervals
from tests.algorithms.full_domain.test_nodes import LIMITS, METRICS, MODELS, suits
from tests.examples import examples
from tests.oracles.full_domain import losses
from tests.strategies import small_tables

GOLDEN = {"Job": 1, "Sex": 0, "Age": 1}
"""Book, Table 2.4: the only minimal node for k = 2 and k = 3."""


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(table=small_tables(taxonomies=True, max_rows=8, max_repeats=3), limit=LIMITS, metric=st.sampled_from(METRICS))
@examples(25)
def test_nothing_loses_less(model, table, limit, metric) -> None:
    if not suits(table):
        return
    search = OptimalLattice(objective=metric)
    every = losses(table, model.as_group_model(), limit, search._metric())
    if not every:
        with pytest.raises(InfeasibleError):
            search.anonymize(table, model, suppression=limit)
        return
    release = search.anonymize(table, model, suppression=limit)
    levels = tuple(release.recoding.levels[name] for name in table.schema.quasi)
    least = min(every.values())
    assert every[levels] == pytest.approx(least, abs=1e-9)
    assert release.provenance["search"]["proven"]
    among = [node for node, loss in every.items() if loss <= least + 1e-12]
    assert sum(levels) == min(map(sum, among))
    assert Exhaustive(objective=metric).anonymize(table, model, suppression=limit).recoding.levels.keys()


@pytest.mark.parametrize(("k", "node"), [(2, (1, 0, 1)), (3, (1, 0, 1)), (4, (2, 1, 2)), (7, (2, 1, 2))])
def test_golden_least_distortion(k: int, node: tuple[int, ...]) -> None:
    """Book, B11: the nodes of the running example, without suppression."""
    release = OptimalLattice(objective="minimal_distortion").anonymize(hospital(), KAnonymity(k=k))
    assert tuple(release.recoding.levels.values()) == node


@pytest.mark.parametrize(("l", "node"), [(2, (1, 0, 1)), (3, (2, 1, 2))])
def test_golden_distinct_diversity(l: int, node: tuple[int, ...]) -> None:
    release = OptimalLattice(objective="minimal_distortion").anonymize(hospital(), DistinctLDiversity(l=l))
    assert tuple(release.recoding.levels.values()) == node


def test_the_provenance_says_how_the_search_ended() -> None:
    found = OptimalLattice().anonymize(hospital(), KAnonymity(k=3)).provenance["search"]
    assert (found["nodes"], found["proven"]) == (18, True)
    assert 0 < found["checked"] <= 18
    assert found["lower_bound"] == found["loss"] == Ncp().measure(generalize_levels(hospital(), GOLDEN))


def test_a_time_limit_of_nothing_gives_a_release_and_a_bound() -> None:
    with within(0):
        release = OptimalLattice().anonymize(hospital(), KAnonymity(k=3))
    found = release.provenance["search"]
    assert release.verdicts[0].holds
    assert not found["proven"] or found["lower_bound"] == found["loss"]
    assert found["lower_bound"] <= found["loss"]


def test_lattices_that_are_too_large_to_list_are_searched_from_the_top(monkeypatch: pytest.MonkeyPatch) -> None:
    best = OptimalLattice().anonymize(hospital(), KAnonymity(k=3)).provenance["search"]["loss"]
    monkeypatch.setattr(level_search, "LISTED", 1)
    release = OptimalLattice().anonymize(hospital(), KAnonymity(k=3))
    found = release.provenance["search"]
    assert release.verdicts[0].holds
    assert not found["proven"]
    assert found["lower_bound"] <= best <= found["loss"]


def two_columns() -> Table:
    """Ages that repeat in tens, and towns that repeat as they are; either column must go up for k = 2."""
    rows = {"age": ["21", "22", "31", "32"] * 2, "town": ["a", "b"] * 4}
    schema = Schema.of(quasi=["age", "town"], taxonomies={"age": Intervals(width=10), "town": Flat()})
    return Table.of_rows(schema, rows)


def test_weights_decide_which_column_is_generalized() -> None:
    table = two_columns()
    dear_ages = OptimalLattice(weights={"age": 100}).anonymize(table, KAnonymity(k=4)).recoding.levels
    dear_towns = OptimalLattice(weights={"town": 100}).anonymize(table, KAnonymity(k=4)).recoding.levels
    assert dear_ages["age"] <= dear_towns["age"]
    assert dear_ages["town"] >= dear_towns["town"]
    assert dear_ages != dear_towns


def test_the_geometric_mean_is_that_of_one_and_the_shares() -> None:
    table = two_columns()
    release = OptimalLattice(mean="geometric").anonymize(table, KAnonymity(k=8))
    assert release.groups.sizes.tolist() == [8]
    assert release.provenance["search"]["loss"] == pytest.approx(1.0)  # (2 * 2) ** (1 / 2) - 1


def test_settings_that_have_no_meaning_are_refused() -> None:
    with pytest.raises(ParameterError, match="'weights' of OptimalLattice need an objective with weights"):
        OptimalLattice(objective="discernibility", weights={"age": 2})
    with pytest.raises(ParameterError, match="mean='geometric'"):
        OptimalLattice(objective="discernibility", mean="geometric")
    with pytest.raises(ParameterError, match="did you mean 'precision'"):
        OptimalLattice(objective="precission")


def test_a_column_without_taxonomy_is_refused() -> None:
    bare = Table.of_rows(Schema.of(quasi=["town"]), {"town": ["north", "south"]})
    with pytest.raises(TaxonomyError, match="column 'town' has no taxonomy"):
        OptimalLattice().anonymize(bare, KAnonymity(k=2))


@pytest.mark.parametrize(
    ("model", "loss"),
    [
        (KAnonymity(k=10), 0.343627),
        (KAnonymity(k=50), 0.486939),
        (KAnonymity(k=10) & DistinctLDiversity(l=2), 0.393369),
        (KAnonymity(k=10) & TCloseness(t=0.2), 0.560114),
    ],
    ids=str,
)
def test_adult_with_five_per_cent_left_out(adult: Table, model, loss: float) -> None:
    """The optima that all nodes of the lattice gave to an independent search."""
    release = OptimalLattice().anonymize(adult, model, suppression=0.05)
    assert Ncp().measure(release) == pytest.approx(loss, abs=1e-6)
    assert release.provenance["search"]["proven"]


def test_constant_columns_cost_nothing() -> None:
    """Twelve columns of one value make 4 * 2^12 nodes, of which four differ."""
    rows = {"age": ["21", "22", "31", "32"] * 2, "town": ["a", "b"] * 4}
    flat = {f"c{number}": Flat() for number in range(12)}
    schema = Schema.of(quasi=[*rows, *flat], taxonomies={"age": Intervals(width=10), "town": Flat(), **flat})
    table = Table.of_rows(schema, rows | {name: ["x"] * 8 for name in flat})
    release = OptimalLattice().anonymize(table, KAnonymity(k=4))
    alone = OptimalLattice().anonymize(two_columns(), KAnonymity(k=4))
    assert {name: release.recoding.levels[name] for name in rows} == alone.recoding.levels
    assert not any(release.recoding.levels[name] for name in flat)
    assert release.provenance["search"]["checked"] <= 8


def test_a_proof_leaves_no_gap() -> None:
    """When every node was ruled out, the bound is the loss, also where the last node had a lower bound."""
    taxonomies = {"a": Flat(), "b": Flat()}
    schema = Schema.of(quasi=["a", "b"], sensitive=["s"], taxonomies=taxonomies)
    rows = {"a": ["1", "1", "2", "2", "2", "3"], "b": ["x"] * 6, "s": ["p", "q", "p", "p", "p", "q"]}
    found = OptimalLattice().anonymize(Table.of_rows(schema, rows), ConfidenceBounding(h=0.5), suppression=0.7)
    assert found.provenance["search"]["proven"]
    assert found.provenance["search"]["lower_bound"] == found.provenance["search"]["loss"]


def test_a_release_is_found_where_the_roots_and_their_neighbours_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only with both columns as they are can the groups that fail be left out."""
    monkeypatch.setattr(level_search, "LISTED", 1)
    draws = {(0, 0): "pq", (1, 1): "pq", (0, 1): "ppppp", (1, 0): "ppppp"}
    records = [(str(a), str(b), s) for (a, b), secrets in draws.items() for s in secrets * 4]
    rows = {name: [record[place] for record in records] for place, name in enumerate(("a", "b", "s"))}
    schema = Schema.of(quasi=["a", "b"], sensitive=["s"], taxonomies={"a": Flat(), "b": Flat()})
    found = OptimalLattice().anonymize(Table.of_rows(schema, rows), ConfidenceBounding(h=0.5), suppression=0.8)
    assert found.recoding.levels == {"a": 0, "b": 0}
    assert "another one may lose less" in found.provenance["warnings"][-1]


def test_persons_with_several_records_may_have_one_value_in_each_of_two_groups() -> None:
    """Each town holds, and both together do not: both persons have flu somewhere. So a failing node rules out none."""
    rows = {"town": ["a", "a", "b", "b"], "who": ["p", "q", "p", "q"], "ill": ["flu", "cold", "cold", "flu"]}
    schema = Schema.of(quasi=["town"], sensitive=["ill"], person="who", taxonomies={"town": Flat()})
    table, model = Table.of_rows(schema, rows), ConfidenceBounding(h=0.5)
    assert LatticeNodes(Lattice.over(table), table, model, 0.0, Ncp()).check((1,)) == (None, False)
    assert OptimalLattice().anonymize(table, model).recoding.levels == {"town": 0}


@pytest.mark.parametrize(("stops_after", "least"), [(40, 40), (None, 5)])
def test_a_large_lattice_is_searched_as_long_as_a_limit_allows(monkeypatch, stops_after, least) -> None:
    """A condition that becomes true after so many questions, and none."""
    monkeypatch.setattr(level_search, "LISTED", 1)
    monkeypatch.setattr(level_search, "_TRIED", 5)
    asked = count()
    limit = nullcontext() if stops_after is None else stopping(lambda: next(asked) >= stops_after)
    with limit:
        found = OptimalLattice().anonymize(hospital(), KAnonymity(k=3)).provenance["search"]
    assert found["checked"] >= least
    assert stops_after is not None or found["checked"] < 40
