"""InfoGain Mondrian: the book's figure 6.8, the slow twin on small tables, and better classes than Mondrian's."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import InfoGainMondrian, Mondrian
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets.adult import QUASI, adult_file, adult_schema
from sfumato.metrics import ClassEntropy, ClassificationMetric, Ncp
from sfumato.models import KAnonymity
from sfumato.operations.generalize import generalize_groups
from tests.algorithms.targets import groups_of, models, targeted_tables
from tests.examples import examples
from tests.oracles.targeted_cutting import cut_groups, entropy_of

GRID = ("YYYY", "YYYY", "NNYY", "NNNN", "NNNN", "NNNN")


def grid() -> Table:
    """Figure 6.8 of the book: one record for each of six ages and four jobs, its class printed in the cell."""
    cells = [(str(age), str(job), letter) for age, line in enumerate(GRID) for job, letter in enumerate(line)]
    schema = Schema.of(quasi=["Age", "Job"], target=["Class"])
    return Table.of_rows(schema, dict(zip(("Age", "Job", "Class"), zip(*cells, strict=True), strict=True)))


def errors(table: Table, label) -> float:
    """How many records have another class than most of their group, the group being a function of age and job."""
    cells = zip(table.codes["Age"].tolist(), table.codes["Job"].tolist(), strict=True)
    found = np.array([label(age, job) for age, job in cells])
    labels = np.unique(found, return_inverse=True)[1].astype(np.int32)
    if np.bincount(labels, weights=table.counts).min() < 3:
        return float("inf")
    candidate = generalize_groups(table, Partition.of_labels(labels), sets=True)
    return ClassificationMetric().measure(candidate) * table.records


def blocks(values: int):
    """Every way to cut a line of values into intervals, as the interval of each value."""
    for cuts in product([0, 1], repeat=values - 1):
        yield np.cumsum([0, *cuts])


def test_golden_grid_needs_more_than_one_dimension():
    """Figure 6.8: in groups of 3 no grid of intervals separates the classes; cutting jobs first, then ages, does."""
    table = grid()
    grids = [
        errors(table, lambda age, job, ages=ages, jobs=jobs: 10 * ages[age] + jobs[job])
        for ages, jobs in product(blocks(6), blocks(4))
    ]
    assert len(grids) == 32 * 8
    assert min(grids) == pytest.approx(2)
    assert errors(table, lambda age, job: 2 * (job >= 2) + (age >= (3 if job >= 2 else 2))) == 0


def test_golden_grid_is_not_separated_by_greedy_cuts():
    """Figure 6.8: the best first cut is by age, after the third row, and leaves a group of 2 Y and 2 N at last."""
    release = InfoGainMondrian().anonymize(grid(), KAnonymity(k=3))
    classes = release.groups.histogram("Class")
    mixed = np.flatnonzero(classes.distinct > 1)
    assert classes.dense(0, len(release.groups))[mixed].tolist() == [[2, 2]]
    assert release.groups.sizes.min() >= 3
    assert ClassificationMetric().measure(release) == pytest.approx(2 / 24)


@given(targeted_tables(), models(), st.sampled_from(["sum", "compound"]), st.booleans(), st.booleans())
@examples(150)
def test_groups_are_those_of_the_slow_twin(table, model, combine, sets, beneficial):
    algorithm = InfoGainMondrian(
        combine=combine, beneficial=beneficial, categories="sets" if sets else "taxonomy", targets=table.schema.targets
    )
    loss = entropy_of(table, table.schema.targets, compound=combine == "compound")
    assert groups_of(algorithm, table, model) == cut_groups(table, model, loss, sets=sets, beneficial=beneficial)


def test_cuts_that_gain_nothing_are_made_unless_told_otherwise():
    """All classes are the same: Mondrian's cuts, or none at all."""
    ages = [str(age) for age in range(20, 32)]
    table = Table.of_rows(Schema.of(quasi=["age"], target=["class"]), {"age": ages, "class": ["Y"] * 12})
    model = KAnonymity(k=3)
    assert groups_of(InfoGainMondrian(), table, model) == groups_of(Mondrian(), table, model)
    assert groups_of(InfoGainMondrian(beneficial=True), table, model) == {tuple(range(12))}


def test_compound_classes_see_what_sums_do_not():
    """One target alone says nothing on either side of the middle, nor does the other; together they do."""
    rows = {"q": ["1"] * 4 + ["2"] * 4, "a": list("YYNNYYNN"), "b": list("YYNNNNYY"), "r": list("12341234")}
    table = Table.of_rows(Schema.of(quasi=["r", "q"], target=["a", "b"]), rows)
    joint = InfoGainMondrian(combine="compound").anonymize(table, KAnonymity(k=4))
    assert len(joint.parts["table"].domains["q"].texts) == 2
    summed = InfoGainMondrian().anonymize(table, KAnonymity(k=4))
    assert ClassEntropy(target="a").measure(summed) == 0.0
    assert ClassEntropy(target="b").measure(summed) == 1.0


@pytest.mark.parametrize(("k", "most"), [(10, 0.155), (50, 0.175)])
def test_adult_classes_are_surer_than_mondrians(data_folder, k, most):
    plain = adult_schema(data_folder)
    grown = {column.name: column.taxonomy for column in plain.columns if column.taxonomy is not None}
    schema = Schema.of(quasi=QUASI, target=["salary-class"], taxonomies=grown, missing=["?"])
    table = Table.read(adult_file(data_folder), schema)
    ways = (InfoGainMondrian(), InfoGainMondrian(beneficial=True), Mondrian())
    candidates = [way.anonymize(table, KAnonymity(k=k)).candidate for way in ways]
    for metric in (ClassEntropy(), ClassificationMetric()):
        aimed, beneficial, general = (metric.measure(candidate) for candidate in candidates)
        assert aimed == pytest.approx(beneficial)
        assert aimed < general
    assert ClassificationMetric().measure(candidates[0]) <= most
    losses = [Ncp().measure(candidate) for candidate in candidates]
    assert all(higher > lower for lower, higher in pairwise([losses[2], losses[0], losses[1]]))
