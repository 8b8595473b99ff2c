"""Delta-presence: goldens of the book, brute force over all nodes, written files, and what is refused."""

from __future__ import annotations

import csv
import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Anatomy, Exhaustive, Mondrian, Spalm
from sfumato.audit.audit import Audit
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital, hospital_population
from sfumato.datasets.hospital import PERSONS, ROWS
from sfumato.disclosure.exact_ratios import as_meant
from sfumato.disclosure.population import Population
from sfumato.disclosure.table_view import TableView
from sfumato.errors import DataError, ParameterError, UnsuitableError, UsageError
from sfumato.models import DeltaPresence, DistinctLDiversity, KAnonymity
from sfumato.models.judge import judge
from sfumato.operations.generalize import generalize_levels
from sfumato.plan.plan import Plan
from tests.examples import examples
from tests.golden import book
from tests.oracles.presence_oracle import probabilities, rows_of
from tests.strategies import small_tables

CONFORMING = [
    DeltaPresence(delta_min=0.2, delta_max=0.7, population=book.FOLDER / "external_raw.csv"),
    DeltaPresence(delta_min=0, delta_max=1, population=book.FOLDER / "external_raw.csv"),
]
EVERYBODY = Population.of_table(hospital_population())


def presence(low: float, high: float, population: Population = EVERYBODY) -> DeltaPresence:
    return DeltaPresence(delta_min=low, delta_max=high, population=population)


@pytest.mark.parametrize(
    ("low", "high", "holds"), [(0.75, 0.8, True), (0, 0.75, False), (0.76, 1, False), (0.75, 0.79, False)]
)
def test_golden_tables_2_4_and_2_5(low, high, holds) -> None:
    """Book, section 2.3: Alice is in the release with 4/5, Bob with 3/4."""
    view = TableView(table=book.table("patients_3anon", quasi=["Job", "Sex", "Age"]))
    everybody = Population.of_table(book.table("external_4anon", quasi=["Job", "Sex", "Age"]))
    verdict = presence(low, high, everybody).check(view)
    assert verdict.holds is holds
    assert verdict.groups == 2
    if low == 0.76:
        assert (verdict.required, verdict.level, verdict.better, verdict.failing_records) == (0.76, 0.75, "higher", 3)
    else:
        assert (verdict.required, verdict.level, verdict.better) == (high, 0.8, "lower")


LATTICE = {
    (0, 1): [(job, sex, 0) for job in (0, 1, 2) for sex in (0, 1) if (job, sex) != (2, 1)],
    (1 / 2, 1): [(0, sex, age) for sex in (0, 1) for age in (1, 2)],
    (3 / 4, 4 / 5): [(1, 0, 1), (1, 0, 2), (1, 1, 1), (1, 1, 2), (2, 0, 1), (2, 0, 2), (2, 1, 1)],
    (7 / 9, 7 / 9): [(2, 1, 2)],
}


@pytest.mark.parametrize(("bounds", "levels"), [(bounds, node) for bounds, nodes in LATTICE.items() for node in nodes])
def test_golden_lattice(bounds, levels) -> None:
    """Book, B11: the least and the largest probability at the nodes of the running example."""
    model = presence(*bounds).with_knowledge(hospital())
    view = generalize_levels(model.with_derived_columns(hospital()), dict(zip(ROWS, levels, strict=False))).view
    assert judge(view, model)[0].holds
    assert not presence(bounds[0] + 0.001, 1).with_knowledge(hospital()).check(view).holds
    assert not presence(0, max(bounds[1] - 0.001, 0)).with_knowledge(hospital()).check(view).holds


@st.composite
def tables_with_persons(draw):
    """Up to eight records, and a population that contains them and others."""
    table = draw(small_tables(taxonomies=True, max_rows=8, max_repeats=2))
    rows = rows_of(table)
    # The trees have values that no record has.
    columns = [[*table.schema.column(name).taxonomy.values(), None] for name in table.schema.quasi]
    more = draw(st.lists(st.tuples(*map(st.sampled_from, columns)), max_size=6))
    people = [*rows, *more]
    schema = Schema.of(quasi=list(table.schema.quasi))
    named = {name: [row[place] for row in people] for place, name in enumerate(table.schema.quasi)}
    return table, people, Population.of_table(Table.of_rows(schema, named))


LIMITS = st.sampled_from([(0, 1), (0, 0.5), (0.5, 1), (1 / 3, 2 / 3), (0.25, 0.75), (0.5, 0.8)])


@examples(60)
@given(drawn=tables_with_persons(), limits=LIMITS)
def test_every_node_is_judged_as_by_counting_persons(drawn, limits) -> None:
    table, people, population = drawn
    model = presence(*limits, population).with_knowledge(table)
    wide = model.with_derived_columns(table)
    low, high = map(as_meant, limits)
    for levels in product(*(range(wide.taxonomies[name].height + 1) for name in wide.schema.quasi)):
        view = generalize_levels(wide, dict(zip(wide.schema.quasi, levels, strict=True))).view
        expected = all(low <= found <= high for found in probabilities(table, people, levels))
        assert model.check(view).holds is expected


@examples(30)
@given(drawn=tables_with_persons(), limits=LIMITS)
def test_generalizing_keeps_it(drawn, limits) -> None:
    """A5.5: the share of a merged group is a weighted mean of the shares of its parts."""
    table, _, population = drawn
    model = presence(*limits, population).with_knowledge(table)
    wide = model.with_derived_columns(table)
    heights = [wide.taxonomies[name].height for name in wide.schema.quasi]
    held = {
        levels: model.check(generalize_levels(wide, dict(zip(wide.schema.quasi, levels, strict=True))).view).holds
        for levels in product(*(range(height + 1) for height in heights))
    }
    for levels, holds in held.items():
        above = [other for other in held if all(a >= b for a, b in zip(other, levels, strict=True))]
        assert not holds or all(held[other] for other in above)


def test_ratios_are_compared_exactly() -> None:
    model = presence(0.1, 0.3)
    assert model.admits(np.array([3, 1, 4, 0]), np.array([10, 10, 10, 10])).tolist() == [True, True, False, False]
    huge = 10**15
    assert presence(1 / 3, 1 / 3).admits(np.array([huge, huge + 1]), np.array([3 * huge] * 2)).tolist() == [True, False]


def test_suppressed_records_count_as_absent() -> None:
    model = presence(0, 0.8).with_knowledge(hospital())
    candidate = generalize_levels(model.with_derived_columns(hospital()), {"Job": 1, "Sex": 0, "Age": 1})
    women = candidate.published.codes["Sex"] == candidate.published.codes["Sex"][-1]
    fewer = candidate.suppressing(women)
    verdict = model.check(fewer.view)
    assert (verdict.holds, verdict.groups) == (True, 2)
    strict = presence(0.1, 0.8).with_knowledge(hospital()).check(fewer.view)
    assert (strict.holds, strict.failing_groups, strict.level) == (False, 1, 0)
    assert "of 9 persons of the population are in no group of the release" in strict.reasons[0]


JOBS = {"ANY_Job": {"Professional": ["Engineer", "Lawyer"], "Artist": ["Dancer", "Writer"]}}
AGES = {"[30, 40)": {"[30, 35)": ["30", "32"], "[35, 40)": ["35", "38", "39"]}}
PLAN = {
    "columns": {
        "Job": {"role": "quasi", "taxonomy": {"branches": JOBS}},
        "Sex": {"role": "quasi", "taxonomy": {"branches": {"ANY_Sex": ["Male", "Female"]}}},
        "Age": {"role": "quasi", "taxonomy": {"branches": AGES}},
        "Disease": {"role": "sensitive"},
    },
}


def write(path, rows) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([list(rows), *zip(*rows.values(), strict=True)])


@pytest.mark.parametrize("algorithm", ["spalm", "mpalm"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_plan_publishes_and_judges_the_written_file(tmp_path, algorithm, suffix) -> None:
    write(tmp_path / "patients.csv", ROWS)
    write(tmp_path / "persons.csv", PERSONS)
    settings = {"name": "delta_presence", "delta_min": 0.5, "delta_max": 1, "population": "persons.csv"}
    plan = Plan.of(
        PLAN
        | {
            "data": {"path": "patients.csv"},
            "models": [settings, {"name": "k_anonymity", "k": 2}],
            "algorithm": {"name": algorithm},
            "output": {"path": f"release.{suffix}", "certificate": "certificate.json"},
        },
        tmp_path,
    )
    outcome = plan.run()
    assert all(verdict.holds for verdict in outcome.release.verdicts)
    text = (tmp_path / "certificate.json").read_text(encoding="utf-8")
    about = outcome.release.verdicts[0].model["population"]
    assert (about["source"], about["records"]) == ("persons.csv", 9)
    assert json.dumps(about)[1:-1].split(", ")[-1] in " ".join(text.split())
    assert not any(name in text for name in PERSONS["Name"])
    assert str(tmp_path) not in text


def test_check_reads_the_population_from_a_file(tmp_path) -> None:
    audit = Audit.of_file(book.FOLDER / "patients_3anon.csv", quasi=["Job", "Sex", "Age"], sensitive=["Disease"])
    path = book.FOLDER / "external_4anon.csv"
    assert audit.judge(DeltaPresence(delta_min=0.75, delta_max=0.8, population=path))[0].holds
    assert not audit.judge(DeltaPresence.parse({"delta_min": "0", "delta_max": "0.75", "population": str(path)}))[
        0
    ].holds
    with pytest.raises(UsageError, match="Judge the release by the plan that made it"):
        audit.judge(DeltaPresence(delta_min=0, delta_max=1, population=book.FOLDER / "external_raw.csv"))
    with pytest.raises(DataError, match="nobody"):
        audit.judge(DeltaPresence(delta_min=0, delta_max=1, population=tmp_path / "nobody.csv"))


def test_settings_are_refused_and_written() -> None:
    with pytest.raises(ParameterError, match="'delta_min' of DeltaPresence must be at most 'delta_max'"):
        presence(0.8, 0.7)
    with pytest.raises(ParameterError, match="'delta_max' of DeltaPresence must be"):
        presence(0.8, 1.2)
    with pytest.raises(UsageError, match="no population yet"):
        DeltaPresence(delta_min=0, delta_max=1, population="persons.csv").with_derived_columns(hospital())
    plain = DeltaPresence(delta_min=0, delta_max=1, population="a/persons.csv").to_dict()
    assert DeltaPresence.build({key: value for key, value in plain.items() if key != "name"}).to_dict() == plain


@pytest.mark.parametrize("algorithm", [Mondrian(), Exhaustive(), Anatomy()])
def test_algorithms_that_read_no_population_refuse_it(algorithm) -> None:
    with pytest.raises(UnsuitableError, match="take an algorithm that does, such as spalm or mpalm"):
        algorithm.anonymize(hospital(), presence(0, 1) & KAnonymity(k=2))


def test_persons_with_several_records_waivers_and_buckets_are_refused() -> None:
    rows = {"town": ["a", "a", "b"], "who": ["1", "1", "2"], "free": ["no", "yes", "no"], "ill": ["x", "y", "x"]}
    towns = Population.of_table(Table.of_rows(Schema.of(quasi=["town"]), {"town": ["a", "a", "b"]}))
    repeated = Table.of_rows(Schema.of(quasi=["town"], person="who"), rows)
    waived = Table.of_rows(Schema.of(quasi=["town"], waiver="free"), rows)
    for table in (repeated, waived):
        with pytest.raises(UnsuitableError, match="persons"):
            presence(0, 1, towns).check(TableView(table=table))
    bucketed = Anatomy().anonymize(hospital(), DistinctLDiversity(l=1)).view
    with pytest.raises(UnsuitableError, match="bucketized"):
        presence(0, 1).check(bucketed)


def test_the_share_of_the_whole_table_says_why_there_is_no_release() -> None:
    assert presence(0.7, 0.8).infeasible_because(hospital()) == ""
    assert "7 of the 9 persons" in presence(0, 0.7).infeasible_because(hospital())
    assert Spalm().anonymize(hospital(), presence(7 / 9, 7 / 9)).groups.sizes.tolist() == [7]
