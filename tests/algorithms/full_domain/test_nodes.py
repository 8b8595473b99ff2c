"""Nodes of a lattice against candidates that are made, suppressed, judged and measured one by one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato.algorithms.full_domain import nodes as nodes_module
from sfumato.algorithms.full_domain.lattice import Lattice
from sfumato.algorithms.full_domain.lattice_search import objective_metric
from sfumato.algorithms.full_domain.nodes import LatticeNodes
from sfumato.data.schema import Column, Role, Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.disclosure.groups import Groups
from sfumato.models import (
    AlphaKAnonymity,
    ConfidenceBounding,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    LkcPrivacy,
    TCloseness,
)
from sfumato.models.group_model import GroupModel
from sfumato.operations.suppress import most_suppressed
from sfumato.settings.params import param
from sfumato.taxonomies import Flat
from tests.examples import examples
from tests.oracles.full_domain import candidates, losses
from tests.strategies import small_tables


@dataclass(frozen=True, kw_only=True)
class _SmallGroups(GroupModel):
    """A model that unions of groups do not keep."""

    kept_by_merging = False
    better = "lower"

    most: int = param(doc="most records in a group", at_least=1)

    @property
    def required(self) -> float:
        return self.most

    def level(self, groups: Groups) -> NDArray[np.float64]:
        return groups.sizes.astype(np.float64)


MODELS = [
    KAnonymity(k=2),
    KAnonymity(k=3),
    DistinctLDiversity(l=2, sensitive="s0"),
    EntropyLDiversity(l=1.5, sensitive="s0"),
    ConfidenceBounding(h=0.6, sensitive="s0"),
    AlphaKAnonymity(alpha=0.6, k=2, sensitive="s0"),
    LkcPrivacy(l=1, k=2, c=0.7, sensitive="s0"),
    KAnonymity(k=2) & TCloseness(t=0.3, sensitive="s0"),
    KAnonymity(k=2) & TCloseness(t=0.4, sensitive="s0", distance="equal") & DistinctLDiversity(l=2, sensitive="s0"),
]
UNKEPT = _SmallGroups(most=3)
METRICS = ["ncp", "minimal_distortion", "discernibility", "precision", "non_uniform_entropy", "average_group_size"]
LIMITS = st.sampled_from([0.0, 0.2, 0.5, 1.0])


def suits(table: Table) -> bool:
    return "s0" in table.schema.sensitive and all(name in table.taxonomies for name in table.schema.quasi)


def of_persons(table: Table, draw: st.DataObject) -> Table:
    """The same records, of persons of whom some have several."""
    owners = st.lists(st.sampled_from("abcdef"), min_size=table.records, max_size=table.records)
    record = np.repeat(np.arange(len(table)), table.counts)
    rows = {name: [table.domains[name].texts[code] for code in codes[record]] for name, codes in table.codes.items()}
    schema = replace(table.schema, columns=(*table.schema.columns, Column(name="person", role=Role.PERSON)))
    return Table.of_rows(schema, rows | {"person": draw.draw(owners)})


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(
    table=small_tables(taxonomies=True, max_rows=8, max_repeats=3),
    limit=LIMITS,
    metric=st.sampled_from(METRICS),
    merging=st.booleans(),
)
@examples(25)
def test_every_node_is_what_its_candidate_is(model, table, limit, metric, merging) -> None:
    """Feasible or not, with the same records left out and the same loss, whatever rows were merged before."""
    if not suits(table):
        return
    model = model.as_group_model()
    measure = objective_metric(metric)
    made, lost = candidates(table, model, limit), losses(table, model, limit, measure)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodes_module, "_FEW", 0 if merging else 10**9)
        patch.setattr(nodes_module, "_WORTH", 0)
        nodes = LatticeNodes(Lattice.over(table), table, model, limit, measure)
        found = dict(nodes.every())
        assert found.keys() == made.keys()
        for levels, candidate in made.items():
            recoded = nodes.at(levels)
            node = nodes.judged(levels, recoded)
            nodes.keep(levels, recoded)
            for one in (node, found[levels]):
                assert (one is None) == (candidate is None)
                if one is not None and candidate is not None:
                    assert one.suppressed == candidate.suppressed_persons
                    assert one.loss == pytest.approx(lost[levels], abs=1e-9)


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(table=small_tables(taxonomies=True, max_rows=8, max_repeats=3), limit=LIMITS)
@examples(25)
def test_what_must_be_left_out_is_left_out_at_every_node_below(model, table, limit) -> None:
    if not suits(table):
        return
    model, allowed = model.as_group_model(), most_suppressed(table, limit)
    made = candidates(table, model, limit)
    nodes = LatticeNodes(Lattice.over(table), table, model, limit, objective_metric("ncp"))
    for levels in made:
        least = nodes.must_be_left_out(nodes.at(levels))
        below = [node for node in made if all(low <= high for low, high in zip(node, levels, strict=True))]
        for node in below:
            candidate = made[node]
            assert candidate is None or least <= candidate.suppressed_records <= allowed


@pytest.mark.parametrize("model", [*MODELS, UNKEPT], ids=str)
@given(table=small_tables(taxonomies=True, max_rows=8, max_repeats=3), limit=LIMITS)
@examples(25)
def test_what_a_check_says_of_other_nodes_is_true(model, table, limit) -> None:
    """That it holds at no node below one, or at all nodes above one, as far as it is known."""
    if not suits(table):
        return
    model = model.as_group_model()
    made = candidates(table, model, limit)
    nodes = LatticeNodes(Lattice.over(table), table, model, limit, objective_metric("ncp"))
    for levels, candidate in made.items():
        node, none_below = nodes.check(levels)
        assert (node is None) == (candidate is None)
        if none_below:
            assert not any(made[other] is not None for other in made if all(map(int.__le__, other, levels)))
        if node is not None and nodes.kept_upwards:
            assert all(made[other] is not None for other in made if all(map(int.__ge__, other, levels)))


def test_only_models_that_unions_keep_hold_upwards_and_only_without_suppression() -> None:
    def kept_upwards(model: GroupModel, limit: float) -> bool:
        table = hospital()
        return LatticeNodes(Lattice.over(table), table, model, limit, objective_metric("ncp")).kept_upwards

    assert kept_upwards(KAnonymity(k=2) & TCloseness(t=0.3), 0.1)
    assert not kept_upwards(KAnonymity(k=2), 1 / 7)
    assert not kept_upwards(KAnonymity(k=2) & UNKEPT, 0)


def test_a_column_with_one_value_left_is_not_judged_by_itself() -> None:
    """An attacker knows one value. Seven of nine records are left out, in two rounds.

    First those fail that have `bee`, which is a single record, and those that have `out`, who are all ill. Then every
    record left has `in`, so that this says nothing, and two records of `cat` are left, who are both well. If `in` were
    judged by itself, three of four records would be well, and all would be left out.
    """
    rows = {
        "pet": ["ant", "ant", "bee", "cat", "cat", *["cat"] * 4],
        "place": [*["in"] * 5, *["out"] * 4],
        "s0": ["well", "ill", "ill", "well", "well", *["ill"] * 4],
    }
    schema = Schema.of(quasi=["pet", "place"], sensitive=["s0"], taxonomies={"pet": Flat(), "place": Flat()})
    table, model = Table.of_rows(schema, rows), LkcPrivacy(l=1, k=2, c=0.7, sensitive="s0")
    nodes = LatticeNodes(Lattice.over(table), table, model, 1.0, objective_metric("ncp"))
    node = nodes.judged((0, 0), nodes.at((0, 0)))
    candidate = candidates(table, model, 1.0)[0, 0]
    assert node is not None
    assert candidate is not None
    assert node.suppressed == candidate.suppressed_records == 7
