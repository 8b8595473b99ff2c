"""SPALM: goldens of the book, and the best of all nodes that hold by brute force."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Exhaustive, Spalm
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital, hospital_population
from sfumato.disclosure.exact_ratios import as_meant
from sfumato.disclosure.population import Population
from sfumato.errors import InfeasibleError, ParameterError
from sfumato.metrics import Discernibility
from sfumato.models import DeltaPresence, KAnonymity
from sfumato.operations.generalize import generalize_levels
from tests.examples import examples
from tests.models.test_delta_presence import LIMITS, tables_with_persons
from tests.oracles.full_domain import losses
from tests.oracles.presence_oracle import probabilities
from tests.strategies import small_tables

EVERYBODY = Population.of_table(hospital_population())


def presence(low: float, high: float, population: Population = EVERYBODY) -> DeltaPresence:
    return DeltaPresence(delta_min=low, delta_max=high, population=population)


@pytest.mark.parametrize(
    ("low", "high", "node", "discernibility"),
    [
        (0.75, 0.8, (1, 0, 1), 3**2 + 4**2),
        (0.5, 1, (0, 0, 1), 2**2 + 1 + 2**2 + 2**2),
        (0.7, 0.78, (2, 1, 2), 7**2),
    ],
)
def test_golden_running_example(low, high, node, discernibility) -> None:
    """Book, B11: with 0.75 and 0.8 the most specific node is (1, 0, 1), with 0.5 and 1 also (0, *, 1) hold."""
    release = Spalm().anonymize(hospital(), presence(low, high))
    assert tuple(release.recoding.levels.values()) == node
    assert Discernibility().measure(release) == discernibility


def test_golden_nodes_that_hold() -> None:
    """Book, B11: what holds for 0.75 and 0.8 is judged, and what is directly below it; nothing else."""
    found = Spalm().anonymize(hospital(), presence(0.7, 0.78)).provenance["search"]
    assert found == {"nodes": 18, "checked": 4, "proven": True}


@examples(60)
@given(drawn=tables_with_persons(), limits=LIMITS, k=st.sampled_from([1, 2]))
def test_nothing_that_holds_has_a_lower_discernibility(drawn, limits, k) -> None:
    table, people, population = drawn
    model = presence(*limits, population) & KAnonymity(k=k)
    wide = model.with_knowledge(table).with_derived_columns(table)
    low, high = map(as_meant, limits)
    held = {}
    for levels in product(*(range(wide.taxonomies[name].height + 1) for name in wide.schema.quasi)):
        sizes = generalize_levels(wide, dict(zip(wide.schema.quasi, levels, strict=True))).groups().sizes
        if sizes.min() >= k and all(low <= found <= high for found in probabilities(table, people, levels)):
            held[levels] = int((sizes**2).sum())
    if not held:
        with pytest.raises(InfeasibleError):
            Spalm().anonymize(table, model)
        return
    release = Spalm().anonymize(table, model)
    levels = tuple(release.recoding.levels[name] for name in table.schema.quasi)
    assert held[levels] == min(held.values())
    assert sum(levels) == min(sum(node) for node, loss in held.items() if loss == held[levels])


@examples(25)
@given(table=small_tables(taxonomies=True, max_rows=8, max_repeats=2), limit=st.sampled_from([0.0, 0.3, 1.0]))
def test_without_a_population_it_is_the_exhaustive_search(table, limit) -> None:
    model = KAnonymity(k=2)
    every = losses(table, model, limit, Discernibility())
    if not every:
        with pytest.raises(InfeasibleError):
            Spalm().anonymize(table, model, suppression=limit)
        return
    mine = Spalm().anonymize(table, model, suppression=limit).recoding
    assert (
        mine.levels == Exhaustive(objective="discernibility").anonymize(table, model, suppression=limit).recoding.levels
    )


def test_what_is_suppressed_for_another_model_is_absent() -> None:
    """A single c is suppressed for k = 2, so the share of all c falls from 1/2 to 0, which delta_min forbids."""
    columns = {"town": ["a", "a", "b", "b", "c"]}
    people = Schema.of(quasi=["town"])
    everybody = Population.of_table(Table.of_rows(people, {"town": ["a", "a", "b", "b", "c", "c"]}))
    tree = hospital().schema.column("Sex").taxonomy
    branches = type(tree)(branches={"ANY": ["a", "b", "c"]})
    table = Table.of_rows(Schema.of(quasi=["town"], taxonomies={"town": branches}), columns)
    loose = Spalm().anonymize(table, presence(0, 1, everybody) & KAnonymity(k=2), suppression=0.2)
    assert (loose.recoding.levels, loose.suppressed_records) == ({"town": 0}, 1)
    strict = Spalm().anonymize(table, presence(0.1, 1, everybody) & KAnonymity(k=2), suppression=0.2)
    assert (strict.recoding.levels, strict.suppressed_records) == ({"town": 1}, 0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("objective", ["ncp", "precision", "non_uniform_entropy", "iloss", "average_group_size"])
def test_other_objectives_also_have_values_that_no_record_has(objective) -> None:
    release = Spalm(objective=objective).anonymize(hospital(), presence(0.5, 1))
    assert tuple(release.recoding.levels.values()) == (0, 0, 1)  # the least general of the four that hold with 0.5


def test_what_is_wrong_is_refused() -> None:
    with pytest.raises(ParameterError, match="did you mean 'discernibility'"):
        Spalm(objective="discernability")
    with pytest.raises(InfeasibleError, match="7 of the 9 persons of the population"):
        Spalm().anonymize(hospital(), presence(0.78, 1))
