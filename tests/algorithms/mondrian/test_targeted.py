"""What the workload-aware algorithms have in common: which targets are meant, and what happens without one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import InfoGainMondrian, LsdMondrian, Mondrian
from sfumato.checks.algorithms import check_algorithm
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import InfeasibleError, ParameterError, SchemaError, UnsuitableError
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.taxonomies import Flat, Intervals
from tests.algorithms.targets import targeted_tables
from tests.examples import examples
from tests.strategies import small_tables

FAMILY = [InfoGainMondrian, LsdMondrian]


def people(**more) -> Table:
    rows = {"age": ["20", "30", "40", "50"], "height": ["2", "2", "2", "1"], "pay": ["1", "9", "9", "9"]}
    return Table.of_rows(Schema.of(quasi=["age"], target=["height", "pay"], **more), rows)


@pytest.mark.parametrize("kind", FAMILY)
@pytest.mark.parametrize("categories", ["sets", "taxonomy"])
@given(table=small_tables(max_rows=8, max_repeats=3), k=st.integers(1, 4))
@examples(30)
def test_without_a_target_the_groups_are_mondrians(kind, categories, table, k):
    found = kind(categories=categories)._choose_groups(table, KAnonymity(k=k), np.random.default_rng(0))
    expected = Mondrian(categories=categories)._choose_groups(table, KAnonymity(k=k), np.random.default_rng(0))
    np.testing.assert_array_equal(found.group, expected.group)


@pytest.mark.parametrize("kind", FAMILY)
@pytest.mark.parametrize("beneficial", [False, True])
@given(table=targeted_tables(numeric=True), k=st.integers(1, 4), l=st.integers(1, 2))
@examples(30)
def test_every_release_keeps_its_promise_and_covers_its_records(kind, beneficial, table, k, l):
    model = KAnonymity(k=k) & DistinctLDiversity(l=l)
    try:
        release = kind(beneficial=beneficial).anonymize(table, model)
    except InfeasibleError:
        assert table.records < k or len(np.unique(table.codes["s0"])) < l
        return
    back = np.bincount(release.candidate.origin, weights=release.candidate.published.counts, minlength=len(table))
    assert release.holds
    np.testing.assert_array_equal(back, table.counts)


@pytest.mark.parametrize("kind", FAMILY)
def test_a_named_target_is_the_only_one_that_counts(kind):
    """Pay has its one clear cut after 20, height after 40; with both the cut would be one of the two."""
    for name, lower in (("pay", 1), ("height", 3)):
        way, random = kind(targets=(name,), beneficial=True), np.random.default_rng(0)
        groups = way._choose_groups(people(), KAnonymity(k=1), random).group
        assert len(set(groups[:lower].tolist())) == 1
        assert len(set(groups[lower:].tolist())) == 1
        assert len(set(groups.tolist())) == 2


@pytest.mark.parametrize("kind", FAMILY)
@pytest.mark.parametrize("ends", ["1" * 6 + "2", "1" * 8 + "2", "1" * 11 + "2" * 3])
def test_mondrians_score_decides_between_equals_whatever_they_are_rounded_to(kind, ends):
    """The two cuts mirror each other in the target, so that the wider gap between ages is the better one."""
    half = (len(ends) - 1) // 2
    pay = [*ends, *"12" * half, *ends.translate(str.maketrans("12", "21"))]
    for ages, first in (((20, 30, 60), len(ends) + 2 * half), ((20, 50, 60), len(ends))):
        age = np.repeat(ages, [len(ends), 2 * half, len(ends)]).astype(str).tolist()
        table = Table.of_rows(Schema.of(quasi=["age"], target=["pay"]), {"age": age, "pay": pay})
        release = kind().anonymize(table, KAnonymity(k=len(ends)))
        assert release.parts["table"].histogram("age")[0] == first
        assert len(release.groups) == 2


@pytest.mark.parametrize("kind", FAMILY)
@pytest.mark.parametrize("beneficial", [False, True])
def test_conforms_with_something_to_predict(kind, beneficial):
    schema = Schema.of(
        quasi=["town", "age"],
        sensitive=["vote"],
        target=["pay", "height"],
        taxonomies={"town": Flat(), "age": Intervals(width=10)},
    )
    rows = {
        "town": ["north", "south", "east", "west"] * 4,
        "age": ["20", "21", "29", "30", "30", "45", "20", "51"] * 2,
        "vote": ["left", "right", "left", "left", "green"] * 3 + ["left"],
        "pay": ["1", "1", "2", "5"] * 4,
        "height": ["8", "7", "7", "9", "9", "9", "7", "8"] * 2,
    }
    assert check_algorithm(kind(beneficial=beneficial), Table.of_rows(schema, rows)) is None


@pytest.mark.parametrize("kind", FAMILY)
def test_refuses_targets_that_are_not_there(kind):
    with pytest.raises(SchemaError, match="'hight' is not declared target; did you mean 'height'"):
        kind(targets=("hight",)).anonymize(people(), KAnonymity(k=2))
    with pytest.raises(SchemaError, match="'age' is not declared target"):
        kind(targets=("age",)).anonymize(people(), KAnonymity(k=2))
    with pytest.raises(ParameterError, match="names 'pay' twice"):
        kind(targets=("pay", "pay"))


@pytest.mark.parametrize("kind", FAMILY)
def test_refuses_models_without_the_facts_it_needs(kind):
    class Restless(KAnonymity):
        kept_by_merging = False

    with pytest.raises(UnsuitableError, match="still hold when groups are merged"):
        kind().anonymize(people(), Restless(k=2))


@pytest.mark.parametrize("kind", FAMILY)
def test_preparing_needs_none_of_the_named_targets(kind):
    assert kind(targets=("pay",)).prepare() is None
