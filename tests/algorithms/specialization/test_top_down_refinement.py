"""Top-down refinement: worked examples step by step, and the same steps as the plain search on random tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import TopDownRefinement
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets.adult import data_folder
from sfumato.datasets.adult_trees import adult_trees
from sfumato.errors import SchemaError
from sfumato.models import DistinctLDiversity, KAnonymity, LkcPrivacy, TCloseness
from sfumato.runtime import time_limit as patience
from sfumato.taxonomies import Intervals, Tree
from tests.examples import examples
from tests.golden.classification import running, trade_off
from tests.golden.refined_census import ADULT, FIRST_STEPS, RUNS, Run
from tests.oracles.plain_refinement import refine
from tests.strategies import small_tables

BOTH = KAnonymity(k=4, quasi="one") & KAnonymity(k=11, quasi="two")


def seen(release) -> dict[tuple, int]:
    """Published quasi rows and the records each stands for."""
    table, found = release.candidate.published_rows, {}
    names = release.original.schema.quasi
    for row in range(len(table)):
        key = tuple(table.domains[name].texts[table.codes[name][row]] for name in names)
        found[key] = found.get(key, 0) + int(table.counts[row])
    return found


def test_c2_first_scores() -> None:
    """Golden C2: book, Table 6.4."""
    first = {}
    for name in ("Education", "Sex", "Work_Hrs"):
        alone = trade_off()
        model = KAnonymity(k=4)
        schema = Schema.of(quasi=[name], target=["Class"], taxonomies={
            column.name: column.taxonomy for column in alone.schema.columns if column.taxonomy and column.name == name
        })  # fmt: skip
        table = Table(schema, alone.codes, alone.counts, alone.domains, alone.taxonomies)
        step = TopDownRefinement().refined(table, model).steps[0]
        first[name] = (step.gain, step.loss, step.score)
    assert first["Education"] == pytest.approx((0.6100, 36, 0.0165), abs=5e-5)
    assert first["Sex"] == pytest.approx((0.4934, 26, 0.0183), abs=5e-5)
    assert first["Work_Hrs"] == pytest.approx((0.3958, 28, 0.0136), abs=6e-5)


def test_c2_by_information_gain_alone() -> None:
    """Golden C2, run A: education is refined, and nothing else may be."""
    release = TopDownRefinement(score="gain").anonymize(trade_off(), KAnonymity(k=4))
    assert seen(release) == {("10th", "ANY_Sex", "*"): 24, ("9th", "ANY_Sex", "*"): 12, ("8th", "ANY_Sex", "*"): 4}


def test_c2_by_gain_per_loss() -> None:
    """Golden C2, run B: sex, then hours; the classes come apart."""
    algorithm, table = TopDownRefinement(score="gain_per_loss"), trade_off()
    assert [step.value for step in algorithm.refined(table, KAnonymity(k=4)).steps] == ["ANY_Sex", "[30, 40]"]
    assert seen(algorithm.anonymize(table, KAnonymity(k=4))) == {
        ("ANY_Edu", "M", ">=40"): 20,
        ("ANY_Edu", "M", "<40"): 6,
        ("ANY_Edu", "F", ">=40"): 8,
        ("ANY_Edu", "F", "<40"): 6,
    }


def test_c3_step_by_step() -> None:
    """Golden C3 under both quasi-identifiers: gain, loss and score of every step."""
    steps = TopDownRefinement().refined(running(), BOTH).steps
    assert [(step.column, step.value, step.at) for step in steps] == [
        ("Work_Hrs", "[30, 44]", "37"),
        ("Education", "ANY_Edu", ""),
        ("Education", "Secondary", ""),
        ("Education", "University", ""),
        ("Education", "Senior Sec.", ""),
    ]
    expected = [
        (0.3584, 22, 0.01558), (0.2716, 18, 0.01429), (0.3386, 9, 0.03386), (0.1022, 0, 0.10219), (0.0911, 3, 0.02277),
    ]  # fmt: skip
    for step, numbers in zip(steps, expected, strict=True):
        assert (step.gain, step.loss, step.score) == pytest.approx(numbers, abs=6e-5)


@pytest.mark.parametrize("beneficial", [True, False])
def test_c3_ends_in_the_printed_table(beneficial: bool) -> None:
    """Golden C3: book, Table 7.2."""
    release = TopDownRefinement(beneficial=beneficial).anonymize(running(), BOTH)
    assert seen(release) == {
        ("Junior Sec.", "ANY_Sex", "<37"): 7,
        ("11th", "ANY_Sex", "<37"): 5,
        ("12th", "ANY_Sex", ">=37"): 4,
        ("Bachelors", "ANY_Sex", ">=37"): 10,
        ("Grad School", "ANY_Sex", ">=37"): 8,
    }
    assert [verdict.level for verdict in release.verdicts] == [4, 12]


def test_c3_first_score_of_education() -> None:
    """Fung, Wang and Yu (2007), Example 4: gain 0.2716 over a loss of 18."""
    table = running(quasi_identifiers={"one": ["Education", "Sex"]})
    step = TopDownRefinement().refined(table, KAnonymity(k=4, quasi="one")).steps[0]
    assert (step.value, step.gain, step.loss, step.score) == pytest.approx(("ANY_Edu", 0.2716, 18, 0.0143), abs=5e-5)


def test_a_quasi_identifier_inside_another_is_not_counted_again() -> None:
    """Book, Observation 7.2.1: a requirement that another implies must not weigh in the average."""
    table = running(quasi_identifiers={"one": ["Education", "Sex"], "two": ["Sex"]})
    covered = KAnonymity(k=4, quasi="one") & KAnonymity(k=4, quasi="two")
    alone = TopDownRefinement().refined(table, KAnonymity(k=4, quasi="one")).steps
    for model in (covered, KAnonymity(k=4, quasi="two") & KAnonymity(k=4, quasi="one")):
        assert TopDownRefinement().refined(table, model).steps == alone


def test_columns_in_no_quasi_identifier_are_left_alone() -> None:
    table = running(quasi_identifiers={"one": ["Education", "Sex"]})
    release = TopDownRefinement().anonymize(table, KAnonymity(k=4, quasi="one"))
    assert set(release.recoding.labels) == {"Education", "Sex"}


@st.composite
def tables(draw) -> tuple[Table, list[tuple[tuple[str, ...], int]]]:
    """Up to forty records with a tree, two columns of numbers and two of categories, and some requirements."""
    records = draw(st.integers(1, 40))
    letters, small = list("abcdef"), [str(number) for number in range(7)]
    choices = {"tree": letters, "n1": small, "n2": [*small[:3], None], "c1": letters[:4], "c2": [*letters[:2], None]}
    names = draw(st.lists(st.sampled_from(sorted(choices)), min_size=1, max_size=4, unique=True))
    rows = {name: draw(st.lists(st.sampled_from(choices[name]), min_size=records, max_size=records)) for name in names}
    rows["class"] = draw(st.lists(st.sampled_from("xyz"), min_size=records, max_size=records))
    rows["class"][:2] = ["x", "y"][:records]  # with a single class there would be nothing to predict
    for name in names:  # a column that holds no number at all is no column of numbers
        if all(value is None for value in rows[name]):
            rows[name][0] = choices[name][0]
    sets = draw(st.lists(st.lists(st.sampled_from(names), min_size=1, unique=True), min_size=1, max_size=3))
    requirements = [(tuple(columns), draw(st.integers(1, 6))) for columns in sets]
    tree = Tree(branches={"any": {"left": {"low": ["a", "b"], "single": ["c"]}, "right": ["d", "e", "f"]}})
    schema = Schema.of(
        quasi=names,
        target=["class"],
        taxonomies={"tree": tree} if "tree" in names else {},
        quasi_identifiers={f"q{at}": columns for at, (columns, _) in enumerate(requirements)},
    )
    return Table.of_rows(schema, rows), requirements


@examples(80)
@given(tables(), st.sampled_from(["gain_per_loss", "gain"]), st.booleans())
def test_the_same_steps_as_the_plain_search(drawn, score: str, beneficial: bool) -> None:
    """To the last: the plain search stops when it finds nothing valid and beneficial among all that is left, so the
    result is maximally refined (Fung, Wang and Yu 2007, Theorem 1).
    """
    table, requirements = drawn
    model = None
    for at, (_, k) in enumerate(requirements):
        one = KAnonymity(k=k, quasi=f"q{at}")
        model = one if model is None else model & one
    by = (lambda gain, loss: gain / (loss + 1)) if score == "gain_per_loss" else (lambda gain, loss: gain)
    plain = refine(table, requirements, by, beneficial=beneficial)
    steps = TopDownRefinement(score=score, beneficial=beneficial).refined(table, model).steps
    assert [(step.column, step.at) for step in steps] == [(column, at) for column, _, at, _, _ in plain]
    for step, (_, value, _, gain, loss) in zip(steps, plain, strict=True):
        assert (step.gain, step.loss) == pytest.approx((gain, loss), abs=1e-9)
        assert value in ("", step.value)


@pytest.mark.parametrize("share", [6, 10**9])
@examples(60)
@given(tables())
def test_rows_listed_or_not_the_steps_are_the_same(share: int, drawn) -> None:
    """With lists for nearly every refinement, and with none, as in large tables early and late."""
    from sfumato.algorithms.specialization import constraint_checks as guards
    from sfumato.algorithms.specialization import leaf_guard

    table, requirements = drawn
    model = KAnonymity(k=requirements[0][1], quasi="q0")
    expected = TopDownRefinement().refined(table, model).steps
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(guards, "_SPARSE", 1 if share == 6 else share)
        patched.setattr(leaf_guard, "_SMALL", 2)
        patched.setattr(leaf_guard, "_LARGE", 1)
        assert TopDownRefinement().refined(table, model).steps == expected


def test_it_can_be_stopped_at_any_step() -> None:
    """Whatever has been reached keeps the promise; more steps only show more."""
    table, groups = running(), []
    for limit in range(6):
        left = iter([False] * limit)
        with patience.stopping(lambda left=left: next(left, True)):
            release = TopDownRefinement().anonymize(table, BOTH)
        assert release.holds
        groups.append(len(release.groups))
    assert groups == [1, 2, 3, 4, 5, 5], "golden C3: 12 and 22 records, then 12, 4 and 18, and so on"


def test_other_models_are_kept_too() -> None:
    schema = Schema.of(quasi=["age", "town"], sensitive=["illness"], target=["class"])
    random = np.random.default_rng(5)
    rows = {
        "age": [str(age) for age in random.integers(20, 60, 200)],
        "town": list(random.choice(list("abcde"), 200)),
        "illness": list(random.choice(["flu", "hiv", "gout"], 200, p=[0.7, 0.2, 0.1])),
        "class": list(random.choice(["yes", "no"], 200)),
    }
    table = Table.of_rows(schema, rows)
    for model in (KAnonymity(k=5) & DistinctLDiversity(l=2), LkcPrivacy(l=1, k=5, c=0.8)):
        search = TopDownRefinement(beneficial=False).refined(table, model)
        assert search.steps
        assert TopDownRefinement(beneficial=False).anonymize(table, model).holds


@examples(30)
@given(small_tables(max_sensitive=1), st.integers(1, 4))
def test_secrets_of_very_many_values_are_counted_another_way(table: Table, k: int) -> None:
    """As if every matrix were too large: what is asked of the sensitive column gets the same answer."""
    from sfumato.algorithms.specialization import leaf_guard

    for model in (KAnonymity(k=k) & DistinctLDiversity(l=2), TCloseness(t=0.4)):
        expected = TopDownRefinement().refined(table, model).steps
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(leaf_guard, "_CELLS", 0)
            assert TopDownRefinement().refined(table, model).steps == expected


def test_without_a_target_records_are_told_apart() -> None:
    schema = Schema.of(quasi=["age"], taxonomies={})
    table = Table.of_rows(schema, {"age": [str(age) for age in range(64)]})
    assert TopDownRefinement().anonymize(table, KAnonymity(k=8)).groups.sizes.tolist() == [8] * 8


def test_a_target_that_is_not_there_is_refused() -> None:
    with pytest.raises(SchemaError, match="neither target nor sensitive"):
        TopDownRefinement(target="Classs").anonymize(running(), BOTH)


def test_taxonomies_of_numbers_are_used_where_given() -> None:
    schema = Schema.of(quasi=["age"], target=["class"], taxonomies={"age": Intervals(width=10)})
    rows = {"age": [str(age) for age in range(20, 60)], "class": ["x"] * 13 + ["y"] * 27}
    table = Table.of_rows(schema, rows)
    given_ = TopDownRefinement(beneficial=False).anonymize(table, KAnonymity(k=10)).recoding.labels["age"].texts
    assert set(given_) == {"[20, 30)", "[30, 40)", "[40, 50)", "[50, 60)"}
    grown = TopDownRefinement(taxonomies=False).anonymize(table, KAnonymity(k=10)).recoding.labels["age"].texts
    assert grown == ("<33", ">=33")


FILES = {
    "adult": ("adult/adult_all_complete.csv", "salary-class"),
    "crx": ("crx/crx_complete.csv", "A16"),
    "german": ("german/german.csv", "class"),
}


def read(data: str, columns, **settings) -> Table:
    path = data_folder() / FILES[data][0]
    if not path.is_file():
        pytest.skip("the public data files are not here")
    kinds = {"A14": "number"} if "A14" in columns else {}  # of CRX, written with leading zeros
    return Table.read(path, Schema.of(quasi=columns, target=[FILES[data][1]], kinds=kinds, **settings))


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run.data}-{len(run.columns)}-{run.k}")
def test_c9_public_data(run: Run) -> None:
    """Golden C9: steps, groups, smallest group and columns left alone, on Adult, CRX and German credit."""
    table, model = read(run.data, run.columns), KAnonymity(k=run.k)
    steps = TopDownRefinement().refined(table, model).steps
    release = TopDownRefinement().anonymize(table, model)
    refined = {step.column for step in steps}
    top = tuple(name for name in run.columns if name not in refined)
    found = (len(steps), len(release.groups), int(release.groups.sizes.min()), top)
    assert found == (run.steps, run.groups, run.smallest, run.top)


@pytest.mark.parametrize(("data", "top", "k"), list(FIRST_STEPS))
def test_c9_first_steps(data: str, top: int, k: int) -> None:
    columns = next(run.columns for run in RUNS if run.data == data and len(run.columns) == top)
    steps = TopDownRefinement().refined(read(data, columns), KAnonymity(k=k)).steps
    told = [f"{step.column} at {step.at}" if step.at else f"{step.column}={step.value}" for step in steps]
    assert told[: len(FIRST_STEPS[data, top, k])] == FIRST_STEPS[data, top, k]


def test_c9_generalizing_leaves_the_same_four_columns_alone() -> None:
    """Fung, Wang and Yu (2007), section 5.1.2: at k = 500 gains, age, relationship and sex stay at the root."""
    columns = ADULT[:7]
    trees = {name: tree for name, tree in adult_trees().items() if name in columns}
    table = read("adult", columns, taxonomies=trees)
    release = TopDownRefinement().anonymize(table, KAnonymity(k=500))
    alone = {name for name, labels in release.recoding.labels.items() if len(labels) == 1}
    assert alone == {"capital-gain", "age", "relationship", "sex"}
    assert set(release.recoding.labels["marital-status"].texts) == {"Married", "Was-married", "Never-married"}
    assert (len(release.groups), int(release.groups.sizes.min())) == (12, 652)
