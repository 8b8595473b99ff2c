"""MPALM: goldens of the running example, labels and shares counted plainly, and a comparison with SPALM."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Mpalm, Spalm
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import adult, hospital, hospital_population
from sfumato.disclosure.population import Population
from sfumato.errors import InfeasibleError
from sfumato.metrics import Discernibility
from sfumato.models import DeltaPresence, DistinctLDiversity, KAnonymity, TCloseness
from tests.examples import examples
from tests.models.test_delta_presence import LIMITS, tables_with_persons

EVERYBODY = Population.of_table(hospital_population())


def presence(low: float, high: float, population: Population = EVERYBODY) -> DeltaPresence:
    return DeltaPresence(delta_min=low, delta_max=high, population=population)


@pytest.mark.parametrize(
    ("low", "high", "spalm", "mpalm"), [(0.75, 0.8, 25, 25), (0.5, 1, 13, 11), (0.7, 0.78, 49, 49), (0, 1, 11, 11)]
)
def test_golden_running_example(low, high, spalm, mpalm) -> None:
    """Calculated by hand from the book's tables 2.2 and 2.3.

    With 0.5 and 1 both artists' jobs stay apart (2 of 3, 2 of 2), and so do the engineer of 35 (1 of 1), the engineer
    of 38 (1 of 1) and the lawyers of 38 and 39 (1 of 2): 4 + 4 + 1 + 1 + 1.
    """
    model = presence(low, high)
    assert Discernibility().measure(Spalm().anonymize(hospital(), model)) == spalm
    assert Discernibility().measure(Mpalm().anonymize(hospital(), model)) == mpalm


@examples(60)
@given(drawn=tables_with_persons(), limits=LIMITS, k=st.sampled_from([1, 2]))
def test_every_release_holds_and_is_found_wherever_one_group_is_one(drawn, limits, k) -> None:
    table, people, population = drawn
    model = presence(*limits, population) & KAnonymity(k=k)
    whole = model.compared()[0].admits(np.array([table.records]), np.array([len(people)]))[0]
    if not whole or table.records < k:
        with pytest.raises(InfeasibleError):
            Mpalm().anonymize(table, model)
        return
    release = Mpalm().anonymize(table, model)
    assert all(verdict.holds for verdict in release.verdicts)
    assert release.groups.sizes.min() >= k
    assert release.suppressed_records == 0


def test_absent_persons_are_covered_by_labels() -> None:
    """The lawyer of 39 is not in the data; the label of the lawyer of 38 covers both, so it says 1/2."""
    release = Mpalm().anonymize(hospital(), presence(0.5, 1))
    assert "[38, 39]" in release.recoding.labels["Age"].texts
    found = release.verdicts[0]
    assert (found.groups, found.level) == (5, 1)


def test_missing_values_get_a_group_of_their_own_or_any() -> None:
    schema = Schema.of(quasi=["age"])
    table = Table.of_rows(schema, {"age": ["1", "2", None]})
    apart = Population.of_table(Table.of_rows(schema, {"age": ["1", "2", None, None]}))
    assert set(Mpalm().anonymize(table, presence(0.5, 1, apart)).recoding.labels["age"].texts) == {"1", "2", None}
    assert Mpalm().anonymize(table, presence(0.75, 0.8, apart)).recoding.labels["age"].texts == ("*",)


def test_other_models_hold_in_every_group() -> None:
    model = presence(0, 1) & DistinctLDiversity(l=2) & TCloseness(t=0.3)
    release = Mpalm().anonymize(hospital(), model)
    assert [verdict.holds for verdict in release.verdicts] == [True] * 3
    assert len(release.groups) == 2


def adult_sample(size: int, share: float) -> tuple[Table, Population]:
    """A random sample of Adult as a population, and of this a random share as the data."""
    random, whole = np.random.default_rng(3), adult()
    rows = np.repeat(np.arange(len(whole)), whole.counts)
    people = random.choice(rows, size, replace=False)
    released = random.choice(people, int(size * share), replace=False)
    names = ["age", "sex", "education", "race"]

    def table(chosen, schema):
        return Table.of_rows(
            schema, {name: [whole.domain(name).texts[code] for code in whole.codes[name][chosen]] for name in names}
        )

    taxonomies = {name: whole.schema.column(name).taxonomy for name in names}
    mine = Schema.of(quasi=names, taxonomies=taxonomies)
    return table(released, mine), Population.of_table(table(people, Schema.of(quasi=names)))


@pytest.mark.parametrize(("low", "high"), [(0.2, 0.6), (0.05, 0.9)])
def test_it_loses_much_less_than_spalm_on_adult(low, high) -> None:
    """Book, section 5.3.1: usually a much lower loss than SPALM. Here 30,810 and 1,778, and 30,810 and 1,200."""
    table, population = adult_sample(1000, 0.4)
    model = presence(low, high, population)
    losses = [Discernibility().measure(algorithm.anonymize(table, model)) for algorithm in (Spalm(), Mpalm())]
    assert losses[1] * 10 < losses[0]
