"""The least height against brute force, for models that unions keep, and for models that suppression spoils."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Samarati
from sfumato.algorithms.full_domain.lattice import Lattice
from sfumato.algorithms.full_domain.lattice_search import objective_metric
from sfumato.algorithms.full_domain.nodes import LatticeNodes
from sfumato.algorithms.full_domain.samarati import _HeightSearch
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.errors import InfeasibleError, ParameterError, UsageError
from sfumato.models import ConfidenceBounding, DistinctLDiversity, KAnonymity
from sfumato.runtime.progress import listening
from sfumato.taxonomies import Tree
from tests.algorithms.full_domain.test_nodes import LIMITS, METRICS, MODELS, suits
from tests.examples import examples
from tests.oracles.full_domain import candidates, losses
from tests.strategies import small_tables


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(table=small_tables(taxonomies=True, max_rows=8, max_repeats=3), limit=LIMITS, metric=st.sampled_from(METRICS))
@examples(25)
def test_no_node_of_a_lower_height_holds_and_none_of_the_same_loses_less(model, table, limit, metric) -> None:
    if not suits(table):
        return
    search = Samarati(objective=metric)
    every = losses(table, model.as_group_model(), limit, objective_metric(metric))
    if not every:
        with pytest.raises(InfeasibleError):
            search.anonymize(table, model, suppression=limit)
        return
    release = search.anonymize(table, model, suppression=limit)
    levels = tuple(release.recoding.levels[name] for name in table.schema.quasi)
    facts = release.provenance["search"]
    lowest = {node: loss for node, loss in every.items() if sum(node) == min(map(sum, every))}
    assert sum(levels) == facts["height"] == min(map(sum, every))
    assert facts["safe_at_height"] == len(lowest)
    assert every[levels] == pytest.approx(min(lowest.values()), abs=1e-9)


@pytest.mark.parametrize(
    ("k", "left_out", "height", "at_height"),
    [(2, 0, 2, {(1, 0, 1)}), (3, 0, 2, {(1, 0, 1)}), (4, 0, 5, {(2, 1, 2)}), (7, 0, 5, {(2, 1, 2)}),
     (2, 1, 1, {(0, 0, 1), (1, 0, 0)}), (3, 1, 2, {(1, 0, 1)}), (3, 3, 1, {(1, 0, 0)})],
)  # fmt: skip
def test_golden_least_heights(k: int, left_out: int, height: int, at_height: set[tuple[int, ...]]) -> None:
    """Book, B11: the minimal nodes of the running example; all of those for one k have the same height."""
    table = hospital()
    nodes = LatticeNodes(Lattice.over(table), table, KAnonymity(k=k), left_out / 7, objective_metric("ncp"))
    search = _HeightSearch(nodes)
    search.run()
    assert {node.levels for node in search.safe} == at_height
    release = Samarati().anonymize(table, KAnonymity(k=k), suppression=left_out / 7)
    assert tuple(release.recoding.levels.values()) in at_height
    assert release.provenance["search"]["height"] == height


@pytest.mark.parametrize(("l", "node"), [(2, (1, 0, 1)), (3, (2, 1, 2))])
def test_golden_distinct_diversity(l: int, node: tuple[int, ...]) -> None:
    """Book, B11."""
    release = Samarati().anonymize(hospital(), DistinctLDiversity(l=l))
    assert tuple(release.recoding.levels.values()) == node


@pytest.mark.parametrize(
    ("model", "left_out"), [(KAnonymity(k=3), 0), (KAnonymity(k=3), 1), (DistinctLDiversity(l=2), 0)], ids=str
)
def test_binary_search_leaves_out_heights(model: KAnonymity | DistinctLDiversity, left_out: int) -> None:
    """Of the heights 0 to 5, height 2 with five nodes is looked at, and then height 1 with three."""
    found = Samarati().anonymize(hospital(), model, suppression=left_out / 7).provenance["search"]
    assert found == {"nodes": 18, "checked": 8, "height": 2, "safe_at_height": 1}


def spoiled_above() -> Table:
    """Ten records. Each sensitive value is a third of the groups a and b; c and d fail, and so do ac, bd and all."""
    rows = {"q": list("aaabbbccdd"), "s": list("1231231112")}
    tree = Tree(branches={"*": {"ac": {"ac1": ["a", "c"]}, "bd": {"bd1": ["b", "d"]}}})
    return Table.of_rows(Schema.of(quasi=["q"], sensitive=["s"], taxonomies={"q": tree}), rows)


def test_lower_heights_are_searched_if_suppression_can_spoil_a_union() -> None:
    """Without the four records of c and d the values hold as they are, at height 0, and binary search begins above."""
    table, model = spoiled_above(), ConfidenceBounding(h=0.34)
    assert {levels for levels, one in candidates(table, model, 0.4).items() if one is not None} == {(0,)}
    release = Samarati().anonymize(table, model, suppression=0.4)
    assert release.recoding.levels == {"q": 0}
    assert release.verdicts[0].holds
    assert release.provenance["search"] == {"nodes": 4, "checked": 2, "height": 0, "safe_at_height": 1}


def test_what_cannot_be_searched_is_refused() -> None:
    with pytest.raises(UsageError, match="18 combinations and samarati goes through at most 17"):
        Samarati(most=17).anonymize(hospital(), KAnonymity(k=2))
    with pytest.raises(ParameterError, match="did you mean 'precision'"):
        Samarati(objective="precission")
    with pytest.raises(InfeasibleError):
        Samarati().anonymize(hospital(), KAnonymity(k=8))


def test_it_tells_how_far_it_is() -> None:
    heard: list[tuple[str, int, int]] = []
    with listening(lambda what, done, total: heard.append((what, done, total))):
        Samarati().anonymize(hospital(), KAnonymity(k=3))
    assert heard == [("searching", done, 18) for done in range(8)]
