"""The path of Datafly: its two rules to stop, and every step against candidates that are made one by one."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Datafly, OptimalLattice
from sfumato.algorithms.full_domain import nodes as nodes_module
from sfumato.algorithms.full_domain.lattice import Lattice, Levels
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.errors import InfeasibleError
from sfumato.models import ConfidenceBounding, KAnonymity
from sfumato.models.group_model import GroupModel
from sfumato.operations.generalize import generalize_levels
from sfumato.taxonomies import Flat
from tests.algorithms.full_domain.test_nodes import LIMITS, MODELS, suits
from tests.examples import examples
from tests.oracles.full_domain import candidates
from tests.strategies import small_tables

Stop = Literal["limit", "k"]


def plain_datafly(table: Table, model: GroupModel, limit: float, stop: Stop) -> Levels | None:
    """By the definition: where the path ends, or None if nothing on it holds."""
    made, lattice = candidates(table, model, limit), Lattice.over(table)
    levels = list(lattice.bottom)
    while True:
        candidate = made[tuple(levels)]
        most = model.bounds.least_size() if stop == "k" else table.persons
        if candidate is not None and candidate.suppressed_persons <= most:
            return tuple(levels)
        plain = generalize_levels(table, dict(zip(lattice.columns, levels, strict=True)))
        counted = [
            len(np.unique(plain.published.codes[name])) if level < height else -1
            for name, level, height in zip(lattice.columns, levels, lattice.heights, strict=True)
        ]
        if max(counted) == -1:
            return None
        levels[counted.index(max(counted))] += 1


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(
    table=small_tables(taxonomies=True, max_rows=8, max_repeats=3),
    limit=LIMITS,
    stop=st.sampled_from(["limit", "k"]),
    merging=st.booleans(),
)
@examples(25)
def test_it_ends_where_the_definition_ends(model, table, limit, stop, merging) -> None:
    if not suits(table):
        return
    expected = plain_datafly(table, model.as_group_model(), limit, stop)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodes_module, "_FEW", 0 if merging else 10**9)
        if expected is None:
            with pytest.raises(InfeasibleError):
                Datafly(stop=stop).anonymize(table, model, suppression=limit)
            return
        release = Datafly(stop=stop).anonymize(table, model, suppression=limit)
    assert tuple(release.recoding.levels[name] for name in table.schema.quasi) == expected
    facts = release.provenance["search"]
    assert facts["checked"] == len(facts["raised"]) + 1 == sum(expected) + 1


@pytest.mark.parametrize("stop", ["limit", "k"])
@pytest.mark.parametrize(
    ("suppressible", "levels", "left_out", "raised"),
    [(3, (1, 0, 0), 3, ["Job"]), (0, (1, 0, 1), 0, ["Job", "Age"]), (2, (1, 0, 1), 0, ["Job", "Age"])],
)
def test_golden_rules_to_stop(stop: Stop, suppressible: int, levels: Levels, left_out: int, raised: list[str]) -> None:
    """Book, section 5.1.2.2, on Table 2.2: jobs are raised first, which leaves three records; if so many must not be
    left out, ages are raised next.
    """
    release = Datafly(stop=stop).anonymize(hospital(), KAnonymity(k=3), suppression=suppressible / 7)
    assert tuple(release.recoding.levels.values()) == levels
    assert release.candidate.suppressed_records == left_out
    assert release.provenance["search"] == {"nodes": 18, "checked": len(raised) + 1, "raised": raised}


def test_the_original_rule_suppresses_no_more_than_k_records() -> None:
    """For k = 2, three records fail as they are: as many as the limit allows, and more than k."""
    by_limit = Datafly().anonymize(hospital(), KAnonymity(k=2), suppression=3 / 7)
    by_k = Datafly(stop="k").anonymize(hospital(), KAnonymity(k=2), suppression=3 / 7)
    assert (by_limit.recoding.levels["Job"], by_limit.candidate.suppressed_records) == (0, 3)
    assert (by_k.recoding.levels["Job"], by_k.candidate.suppressed_records) == (1, 1)


def test_among_equals_the_first_column_is_raised() -> None:
    rows = {"a": ["1", "2", "1", "2"], "b": ["x", "x", "y", "y"]}
    for order in (["a", "b"], ["b", "a"]):
        schema = Schema.of(quasi=order, taxonomies={"a": Flat(), "b": Flat()})
        release = Datafly().anonymize(Table.of_rows(schema, rows), KAnonymity(k=2))
        assert release.provenance["search"]["raised"] == order[:1]


def test_a_refusal_names_a_search_that_does_not_stay_on_the_path() -> None:
    """`a` has more values and is raised first; only with `a` as it is and `b` at its root, two groups hold."""
    rows = {"a": list("112233"), "b": list("xyxyxx"), "s": list("121211")}
    flat = {"a": Flat(), "b": Flat()}
    table = Table.of_rows(Schema.of(quasi=["a", "b"], sensitive=["s"], taxonomies=flat), rows)
    model = ConfidenceBounding(h=0.5)
    with pytest.raises(InfeasibleError, match="or take optimal_lattice, which looks beyond one path"):
        Datafly().anonymize(table, model, suppression=1 / 3)
    assert OptimalLattice().anonymize(table, model, suppression=1 / 3).recoding.levels == {"a": 0, "b": 1}
