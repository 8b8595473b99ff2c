"""All nodes at which the model holds, and the best of them, against brute force and the other optimal searches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Datafly, Exhaustive, Incognito, OptimalLattice, Samarati
from sfumato.algorithms.full_domain.incognito import _SafeNodes
from sfumato.algorithms.full_domain.lattice import Lattice, Levels
from sfumato.algorithms.full_domain.lattice_search import objective_metric
from sfumato.algorithms.full_domain.nodes import LatticeNodes
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.errors import InfeasibleError, ParameterError, UsageError
from sfumato.models import DistinctLDiversity, KAnonymity, TCloseness
from sfumato.models.group_model import GroupModel
from tests.algorithms.full_domain.test_datafly import plain_datafly
from tests.algorithms.full_domain.test_nodes import LIMITS, METRICS, MODELS, of_persons, suits
from tests.examples import examples
from tests.oracles.full_domain import losses
from tests.strategies import small_tables

TOP = (2, 1, 2)
SAFE = {(1, 0, 1), (1, 0, 2), (1, 1, 1), (1, 1, 2), (2, 0, 1), (2, 0, 2), (2, 1, 1), TOP}
"""Book, B11: the nodes of the running example (job, sex, age) at which it is 3-anonymous."""


def all_safe(table: Table, model: GroupModel, limit: float = 0.0, metric: str = "ncp") -> dict[Levels, float]:
    """What Incognito's search finds, with the losses."""
    found = _SafeNodes(LatticeNodes(Lattice.over(table), table, model, limit, objective_metric(metric)))
    assert found.count == len(list(found.safe()))
    return {node.levels: node.loss for node in found.safe()}


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(table=small_tables(taxonomies=True, max_rows=8, max_repeats=3), limit=LIMITS, metric=st.sampled_from(METRICS))
@examples(25)
def test_it_finds_all_safe_nodes_with_their_losses(model, table, limit, metric) -> None:
    if not suits(table):
        return
    model = model.as_group_model()
    every = losses(table, model, limit, objective_metric(metric))
    assert all_safe(table, model, limit, metric) == pytest.approx(every, abs=1e-9)


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(table=small_tables(taxonomies=True, max_rows=8, max_repeats=3), limit=LIMITS, metric=st.sampled_from(METRICS))
@examples(25)
def test_optimal_searches_agree(model, table, limit, metric) -> None:
    """And Samarati's is among the nodes of the same height, if the optimum is of the least height."""
    if not suits(table):
        return
    every = losses(table, model.as_group_model(), limit, objective_metric(metric))
    searches = [thing(objective=metric) for thing in (Incognito, OptimalLattice, Exhaustive, Samarati)]
    if not every:
        for search in searches:
            with pytest.raises(InfeasibleError):
                search.anonymize(table, model, suppression=limit)
        return
    found = []
    for search in searches:
        release = search.anonymize(table, model, suppression=limit)
        found.append(tuple(release.recoding.levels[name] for name in table.schema.quasi))
    best = min(every.values())
    assert [every[levels] for levels in found[:3]] == pytest.approx([best] * 3, abs=1e-9)
    assert len({sum(levels) for levels in found[:3]}) == 1
    assert every[found[3]] >= best - 1e-9
    assert sum(found[3]) == min(map(sum, every)) <= sum(found[0])
    if sum(found[3]) == sum(found[0]):
        assert every[found[3]] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(table=small_tables(taxonomies=True, max_rows=5, max_repeats=2), limit=LIMITS, data=st.data())
@examples(15)
def test_persons_are_counted(model, table, limit, data) -> None:
    """All safe nodes, the least height, and the end of Datafly's path, where some persons have several records."""
    if not suits(table):
        return
    table, model = of_persons(table, data), model.as_group_model()
    every = losses(table, model, limit, objective_metric("ncp"))
    assert all_safe(table, model, limit) == pytest.approx(every, abs=1e-9)
    if every:
        release = Samarati().anonymize(table, model, suppression=limit)
        assert release.provenance["search"]["height"] == min(map(sum, every))
    path_ends = plain_datafly(table, model, limit, "limit")
    if path_ends is not None:
        release = Datafly().anonymize(table, model, suppression=limit)
        assert tuple(release.recoding.levels[name] for name in table.schema.quasi) == path_ends


@pytest.mark.parametrize("k", range(2, 8))
def test_golden_safe_nodes_without_suppression(k: int) -> None:
    """Book, B11."""
    assert all_safe(hospital(), KAnonymity(k=k)).keys() == (SAFE if k <= 3 else {TOP})


@pytest.mark.parametrize(
    ("k", "left_out", "minimal"),
    [(2, 1, [(0, 0, 1), (1, 0, 0)]), (3, 1, [(1, 0, 1)]), (3, 3, [(1, 0, 0)])],
)
def test_golden_safe_nodes_with_suppression(k: int, left_out: int, minimal: list[Levels]) -> None:
    """Book, B11: all nodes from these upwards."""
    above = {node for node in Lattice.over(hospital()) for low in minimal if all(map(int.__le__, low, node))}
    assert all_safe(hospital(), KAnonymity(k=k), left_out / 7).keys() == above


@pytest.mark.parametrize(("l", "safe"), [(2, SAFE), (3, {TOP})])
def test_golden_distinct_diversity(l: int, safe: set[Levels]) -> None:
    """Book, B11."""
    assert all_safe(hospital(), DistinctLDiversity(l=l)).keys() == safe


@pytest.mark.parametrize(("t", "safe"), [(5 / 7, set(Lattice.over(hospital()))), (8 / 21, SAFE), (0.38, {TOP})])
def test_golden_t_closeness(t: float, safe: set[Levels]) -> None:
    """Book, B11: the worst group is at 5/7, at 8/21 (0.381) in the nodes of 3-anonymity, and at 0 in the top."""
    assert all_safe(hospital(), TCloseness(t=t)).keys() == safe


@pytest.mark.parametrize(("k", "node"), [(2, (1, 0, 1)), (3, (1, 0, 1)), (4, TOP), (7, TOP)])
def test_golden_least_distortion(k: int, node: Levels) -> None:
    """Book, B11."""
    release = Incognito(objective="minimal_distortion").anonymize(hospital(), KAnonymity(k=k))
    assert tuple(release.recoding.levels.values()) == node


def test_what_follows_is_not_looked_at() -> None:
    """For k = 4 every column fails alone, on all levels below its root; so no two columns are looked at together."""
    found = Incognito().anonymize(hospital(), KAnonymity(k=4)).provenance["search"]
    # The top, and below it (0, 1, 2), (1, 1, 2), (2, 0, 2), (2, 1, 0) and (2, 1, 1).
    assert found == {"nodes": 18, "checked": 6, "safe": 1}


def test_what_cannot_be_searched_is_refused() -> None:
    with pytest.raises(UsageError, match="18 combinations and incognito goes through at most 17"):
        Incognito(most=17).anonymize(hospital(), KAnonymity(k=2))
    with pytest.raises(ParameterError, match="did you mean 'precision'"):
        Incognito(objective="precission")
    with pytest.raises(InfeasibleError):
        Incognito().anonymize(hospital(), KAnonymity(k=8))
