"""LSD Mondrian: the slow twin on small tables, targets of very different size, and what cannot be predicted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import LsdMondrian, Mondrian
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets.adult import QUASI, adult_file, adult_schema
from sfumato.errors import DataError, SchemaError
from sfumato.models import KAnonymity
from tests.algorithms.targets import groups_of, models, targeted_tables
from tests.examples import examples
from tests.oracles.targeted_cutting import cut_groups, deviance_of

AGES = ["20", "30", "40", "50"]


@given(targeted_tables(numeric=True), models(), st.booleans(), st.booleans(), st.booleans())
@examples(150)
def test_groups_are_those_of_the_slow_twin(table, model, standardize, sets, beneficial):
    algorithm = LsdMondrian(standardize=standardize, beneficial=beneficial, categories="sets" if sets else "taxonomy")
    loss = deviance_of(table, table.schema.targets, standardize=standardize)
    assert groups_of(algorithm, table, model) == cut_groups(table, model, loss, sets=sets, beneficial=beneficial)


def test_cuts_where_the_deviations_are_least():
    """1, 2, 9, 10, 11: cut after the second, 0.5 + 2 is left; after the third it would be 38 + 0.5."""
    rows = {"age": ["20", "30", "40", "50", "60"], "pay": ["1", "2", "9", "10", "11"]}
    table = Table.of_rows(Schema.of(quasi=["age"], target=["pay"]), rows)
    assert groups_of(LsdMondrian(), table, KAnonymity(k=2)) == {(0, 1), (2, 3, 4)}


def test_targets_of_different_size_count_alike_when_standardized():
    """Age explains 16/17 of pay, sex all of height: sex leaves 1 + 0 of the variances, age leaves 1/17 + 1.

    In their own units height is nothing beside pay, and age is cut.
    """
    rows = {"age": AGES * 2, "sex": ["m"] * 4 + ["f"] * 4}
    rows["pay"] = ["1000", "2000", "5000", "6000"] * 2
    rows["height"] = ["2", "2", "2", "2", "1", "1", "1", "1"]
    table = Table.of_rows(Schema.of(quasi=["age", "sex"], target=["pay", "height"]), rows)
    by_height = LsdMondrian().anonymize(table, KAnonymity(k=4)).candidate
    by_pay = LsdMondrian(standardize=False).anonymize(table, KAnonymity(k=4)).candidate
    assert set(by_height.published.domains["sex"].texts) == {"f", "m"}
    assert set(by_pay.published.domains["sex"].texts) == {"{f, m}"}


def test_a_constant_target_changes_nothing():
    rows = {"age": AGES, "pay": ["1", "9", "9", "9"], "same": ["7"] * 4}
    both = Table.of_rows(Schema.of(quasi=["age"], target=["pay", "same"]), rows)
    model = KAnonymity(k=1)
    assert groups_of(LsdMondrian(), both, model) == groups_of(LsdMondrian(targets=("pay",)), both, model)
    only = LsdMondrian(targets=("same",), beneficial=True)
    assert groups_of(only, both, model) == {(0, 1, 2, 3)}


def test_extreme_numbers_are_still_told_apart():
    """Their squares are no numbers any more, but their order of size is what it was."""
    for scale in ("e-200", "e200"):
        rows = {"age": AGES, "pay": [f"1{scale}", f"1{scale}", f"9{scale}", f"9{scale}"]}
        table = Table.of_rows(Schema.of(quasi=["age"], target=["pay"]), rows)
        assert groups_of(LsdMondrian(beneficial=True), table, KAnonymity(k=1)) == {(0, 1), (2, 3)}


def test_dates_are_numbers_of_days():
    rows = {"age": AGES, "since": ["2020-01-01", "2020-01-02", "2020-01-03", "2021-05-05"]}
    table = Table.of_rows(Schema.of(quasi=["age"], target=["since"]), rows)
    assert (3,) in groups_of(LsdMondrian(), table, KAnonymity(k=1))
    assert groups_of(LsdMondrian(), table, KAnonymity(k=2)) == {(0, 1), (2, 3)}


def test_refuses_classes_and_missing_numbers():
    schema = Schema.of(quasi=["age"], target=["pay"])
    classes = Table.of_rows(schema, {"age": AGES, "pay": ["low", "low", "high", "high"]})
    with pytest.raises(SchemaError, match=r"'pay' is text, and lsd_mondrian predicts numbers.*info_gain_mondrian"):
        LsdMondrian().anonymize(classes, KAnonymity(k=2))
    gaps = Table.of_rows(schema, {"age": AGES, "pay": ["1", "2", None, "3"]})
    with pytest.raises(DataError, match="'pay' is missing in 1 of 4 records"):
        LsdMondrian().anonymize(gaps, KAnonymity(k=2))
    whole = gaps.rows_where(gaps.codes["pay"] < 3)
    assert LsdMondrian().anonymize(whole, KAnonymity(k=1)).holds


def explained(table: Table, candidate, target: str) -> float:
    """The share of a number's variance that the means of the groups explain."""
    numbers, counts = table.domain(target).numbers[table.codes[target]], table.counts
    seen = candidate.groups().labels
    inside, often = numbers[candidate.origin], candidate.published.counts
    means = np.bincount(seen, weights=often * inside) / np.bincount(seen, weights=often)
    total = counts @ (numbers - np.average(numbers, weights=counts)) ** 2
    return float(1 - often @ (inside - means[seen]) ** 2 / total)


@pytest.mark.parametrize(("target", "k"), [("hours-per-week", 10), ("hours-per-week", 50), ("capital-gain", 50)])
def test_adult_numbers_are_explained_better_than_mondrians(data_folder, target, k):
    plain = adult_schema(data_folder)
    grown = {column.name: column.taxonomy for column in plain.columns if column.taxonomy is not None}
    table = Table.read(adult_file(data_folder), Schema.of(quasi=QUASI, target=[target], taxonomies=grown))
    aimed, general = (way.anonymize(table, KAnonymity(k=k)) for way in (LsdMondrian(), Mondrian()))
    assert explained(table, aimed.candidate, target) > 1.2 * explained(table, general.candidate, target)
    assert aimed.groups.sizes.min() >= k
