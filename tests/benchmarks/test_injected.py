"""What the evaluations of Injector are built of, on nine patients, on made-up lines and on the real records."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from benchmarks.figures.__main__ import found
from benchmarks.figures.injected import ANATOMY, NEAR, PAPER, WAYS, below, listed, model, releases, smaller
from benchmarks.figures.injected_queries import independence_error, sized_queries
from benchmarks.figures.injected_rules import frequent
from benchmarks.figures.injector_3 import PRINTED, apart, percentages, share_claim
from benchmarks.figures.injector_7 import together
from benchmarks.figures.injector_8 import share_of
from benchmarks.figures.injector_prey import Taught, guessed, no_easier

from sfumato.algorithms import Anatomy
from sfumato.datasets import nine_patients
from sfumato.evaluation.queries import Estimator
from sfumato.evaluation.workloads.query_error import Query
from sfumato.knowledge import Item, Miner
from sfumato.knowledge.axis import ItemAxis
from sfumato.models import DistinctLDiversity

LINES = {ANATOMY: [(3, 50.0), (6, 60.0)], "less": [(3, 40.0), (6, 59.9)], "mixed": [(3, 40.0), (6, 60.4)]}


def counted(table, where):
    """Records one by one."""
    masks = [item.true_of(table.domain(item.column))[table.codes[item.column]] for item in where]
    return sum(int(count) for row, count in enumerate(table.counts.tolist()) if all(bool(mask[row]) for mask in masks))


def test_every_figure_is_found():
    assert {*(f"injector_{number}" for number in range(3, 9)), "injector_prey"} <= found().keys()
    assert not {"injected", "injected_rules", "injected_queries"} & found().keys()


def test_below_everywhere_or_not():
    assert smaller(LINES, "less").agrees
    assert not smaller(LINES, "mixed").agrees
    assert smaller(LINES, "mixed").measured == "40.0, 60.4 against 50.0, 60.0"
    assert below(LINES["mixed"], LINES[ANATOMY]) == [3]
    assert listed([(1, 1234.5678)], 2) == "1,234.57"


def test_sums_and_shares_of_lines():
    assert together(LINES["less"], LINES["mixed"]) == [(3, 80.0), (6, pytest.approx(120.3))]
    assert share_of(LINES["less"], LINES[ANATOMY]) == [(3, 0.8), (6, pytest.approx(0.99833, abs=1e-5))]


def test_half_a_point_more_is_no_easier_prey():
    assert no_easier(LINES, "mixed").agrees
    assert not no_easier({**LINES, "more": [(3, 50.6), (6, 10.0)]}, "more").agrees


def test_how_many_patients_have_values_ruled_out():
    """The one rule of 0.75 is about the six men."""
    patients = nine_patients()
    shares = percentages(Miner(min_expectation=0.75).mine(patients), patients)
    assert shares == pytest.approx((100 / 3, 200 / 3, 0, 0, 0, 0))


def test_printed_shares_agree_with_themselves_and_make_a_whole():
    for expectation, printed in PRINTED.items():
        assert share_claim(expectation, printed).agrees
        assert sum(printed[1:]) == pytest.approx(100, abs=0.31)
    assert apart(PRINTED[0.75], PRINTED[0.95]) == pytest.approx(15.8)
    assert not share_claim(0.75, PRINTED[0.95]).agrees


def test_frequent_items_are_those_of_enough_records():
    patients = nine_patients()
    items = [item for name in patients.schema.quasi for item in ItemAxis.of(patients, name).items]
    whens = [(item,) for item in items] + [
        pair for pair in combinations(items, 2) if len({i.column for i in pair}) == 2
    ]
    expected = {when for when in whens if counted(patients, when) >= 3}
    assert set(frequent(patients, 1 / 3)) == expected
    assert len(frequent(patients, 1 / 3)) == len(expected)


def test_questions_count_as_many_as_asked_for():
    patients = nine_patients()
    queries = sized_queries(patients, 0.2, 0.5, (1, 2), number=30, seed=3)
    assert len(queries) == 30
    assert {len(query.where) for query in queries} == {2, 3}
    for query in queries:
        assert query.truth == counted(patients, query.where)
        assert 0.2 <= query.truth / 9 <= 0.5
        assert query.where[-1].column == "Disease"
    assert queries == sized_queries(patients, 0.2, 0.5, (1, 2), number=30, seed=3)


def test_independence_by_hand():
    """Three women and three with flu among nine make one expected; two would be wrong by a half."""
    patients = nine_patients()
    estimator = Estimator.of_release(Anatomy().anonymize(patients, DistinctLDiversity(l=1)))
    women, flu = Item("Sex", "F"), Item("Disease", "Flu")
    assert (counted(patients, [women]), counted(patients, [flu])) == (3, 3)
    assert independence_error(estimator, [Query((women, flu), 2)]) == pytest.approx(50)


def test_who_is_taught_the_truth_guesses_what_is_there_alone():
    """With one record in each bucket everybody is right; among nine together, nobody needs more than the prior."""
    patients = nine_patients()
    alone = Anatomy().anonymize(patients, DistinctLDiversity(l=1))
    assert guessed(alone, Taught()) == pytest.approx(100)
    assert 0 < guessed(Anatomy().anonymize(patients, DistinctLDiversity(l=3)), Taught()) <= 100


def test_releases_of_adult_and_what_they_leave_open(data_folder):
    """Anatomy leaves about a thousand records open at l = 6, near buckets none."""
    if not (data_folder / "adult").is_dir():
        pytest.skip("the Adult files are not here")
    many = {way: sum(1 for _ in releases(way)) for way in (ANATOMY, PAPER)}
    assert many == {ANATOMY: 10, PAPER: 3}
    assert set(WAYS) > {NEAR, *many}
    assert model().vulnerable(next(releases(NEAR)).groups) == 0
    assert np.isclose(next(releases(NEAR)).groups.sizes.max(), 6)
    assert model().vulnerable(next(releases(ANATOMY)).groups) > 500
