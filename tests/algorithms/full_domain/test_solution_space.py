"""The space of levels of the running example, of which the book's lattice (B11) says what holds where."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.algorithms import OptimalLattice
from sfumato.algorithms.full_domain.lattice_search import objective_metric
from sfumato.algorithms.full_domain.solution_space import SolutionSpace
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.errors import InfeasibleError, ParameterError, UsageError
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.runtime.time_limit import within
from tests.algorithms.full_domain.test_nodes import LIMITS, MODELS, suits
from tests.examples import examples
from tests.oracles.full_domain import candidates
from tests.strategies import small_tables

SAFE = {(1, 0, 1), (1, 0, 2), (1, 1, 1), (1, 1, 2), (2, 0, 1), (2, 0, 2), (2, 1, 1), (2, 1, 2)}
"""Book, B11: the nodes of job, sex and age that are 2- and 3-anonymous without suppression."""


def space(k: int = 3, **given) -> SolutionSpace:
    return SolutionSpace.of(hospital(), KAnonymity(k=k), **given)


def nodes(solutions) -> set[tuple[int, ...]]:
    return {tuple(one.levels.values()) for one in solutions}


@pytest.mark.parametrize(("k", "safe"), [(2, SAFE), (3, SAFE), (4, {(2, 1, 2)}), (7, {(2, 1, 2)})])
def test_golden_safe_nodes(k, safe):
    assert nodes(one for one in space(k) if one.holds) == safe


@pytest.mark.parametrize(("k", "limit", "least"), [(2, 1 / 7, {(0, 0, 1), (1, 0, 0)}), (3, 3 / 7, {(1, 0, 0)})])
def test_golden_minimal_nodes_with_suppression(k, limit, least):
    found = nodes(one for one in space(k, suppression=limit) if one.holds)
    minimal = {node for node in found if not any(other != node and below(other, node) for other in found)}
    assert minimal == least


def below(low, high):
    return all(one <= other for one, other in zip(low, high, strict=True))


def test_the_best_is_the_optimum_of_each_metric():
    found = space(metrics=["minimal_distortion", "discernibility", "precision"])
    for metric in found.metrics:
        release = OptimalLattice(objective=metric).anonymize(hospital(), KAnonymity(k=3))
        assert found.best(metric).levels == release.recoding.levels
    assert found.best().losses["minimal_distortion"] == 14
    assert found.best("discernibility").losses["discernibility"] == 25


def test_the_front_has_what_no_other_beats_both_ways():
    found = space(k=2, suppression=1 / 7)
    front = found.front("prosecutor", "ncp")
    risks, losses = [one.prosecutor for one in front], [one.losses["ncp"] for one in front]
    assert risks == sorted(risks)
    assert losses == sorted(losses, reverse=True)
    for one in found:
        if one.holds:
            assert any(
                other.prosecutor <= one.prosecutor and other.losses["ncp"] <= one.losses["ncp"] for other in front
            )


def test_risks_follow_from_group_sizes():
    """Groups of 3 and 4 at (1, 0, 1): at worst 1/3, on average 2 of 7."""
    (one,) = [one for one in space() if tuple(one.levels.values()) == (1, 0, 1)]
    assert one.prosecutor == pytest.approx(1 / 3)
    assert one.marketer == pytest.approx(2 / 7)


def test_neighbours_are_one_level_away():
    found = nodes(space().around({"Job": 1, "Age": 1}))
    assert found == {(0, 0, 1), (1, 0, 0), (2, 0, 1), (1, 1, 1), (1, 0, 2)}


def test_why_names_the_models_and_the_column_to_raise():
    """At (0, 0, 1) the engineer, alone among men of 35 to 40, and the two lawyers fail k = 3."""
    why = SolutionSpace.of(hospital(), KAnonymity(k=3) & DistinctLDiversity(l=2)).why({"Age": 1})
    assert why.failing["k_anonymity(k=3)"] == 7
    assert next(iter(why.raising.items())) == ("Job", 0)
    assert "7 records are in groups that fail k_anonymity(k=3)" in str(why)
    assert str(space().why({"Job": 1, "Age": 1})) == "Every group holds, so nothing is suppressed."


def test_a_combination_can_be_released():
    assert space().release({"Job": 1, "Age": 1}).verdicts[0].holds
    with pytest.raises(InfeasibleError):
        space().release({"Age": 1})


def test_the_frame_has_a_row_for_each_combination():
    frame = space(metrics=["ncp", "discernibility"]).frame()
    assert frame.num_rows == 18
    assert frame.column_names == [
        "Job", "Sex", "Age", "holds", "suppressed", "metric ncp", "metric discernibility", "prosecutor", "marketer",
        "failing k_anonymity(k=3)",
    ]  # fmt: skip
    assert frame["metric ncp"].null_count == 10


def test_what_is_asked_for_wrongly_is_refused():
    with pytest.raises(ParameterError, match="'Jobb' is no quasi column; did you mean 'Job'"):
        space().why({"Jobb": 1})
    with pytest.raises(ParameterError, match="Job=9, Sex=0, Age=0 was not looked at: levels are Job 0 to 2"):
        space().around({"Job": 9})
    with pytest.raises(ParameterError, match=r"not measured by 'precision'.*Name it in metrics"):
        space().best("precision")
    with pytest.raises(UsageError, match="as a list of names"):
        space(metrics="ncp")
    with pytest.raises(InfeasibleError, match="no combination of levels satisfies"):
        space(k=8).best()


def test_large_spaces_are_looked_at_in_part():
    found = space(most=5)
    assert (len(found), found.size) == (5, 18)
    assert "28% looked at" in repr(found)
    with within(0):
        assert len(space()) == 1


def test_explore_takes_frames_with_roles_and_tables():
    import pyarrow as pa

    from sfumato.datasets.hospital import ROWS

    taxonomies = {column.name: column.taxonomy for column in hospital().schema.columns if column.taxonomy is not None}
    roles = {"quasi": ["Job", "Sex", "Age"], "sensitive": ["Disease"], "taxonomies": taxonomies}
    of_frame = sfumato.explore(pa.table(ROWS), KAnonymity(k=3), **roles)
    of_table = sfumato.explore(hospital(), KAnonymity(k=3))
    assert of_frame.best().levels == of_table.best().levels
    assert nodes(of_frame) == nodes(of_table)


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(
    table=small_tables(taxonomies=True, max_rows=8, max_repeats=3),
    limit=LIMITS,
    metrics=st.lists(st.sampled_from(["ncp", "discernibility", "precision"]), min_size=1, unique=True),
)
@examples(15)
def test_every_combination_is_what_its_candidate_is(model, table: Table, limit, metrics) -> None:
    if not suits(table):
        return
    found = SolutionSpace.of(table, model, metrics=metrics, suppression=limit)
    for levels, candidate in candidates(table, model.as_group_model(), limit).items():
        one = found.solutions[levels]
        assert one.holds == (candidate is not None)
        if candidate is None:
            assert math.isnan(one.prosecutor)
            continue
        assert one.suppressed == candidate.suppressed_persons
        assert one.prosecutor == pytest.approx(1 / candidate.groups().sizes.min())
        for name in metrics:
            assert one.losses[name] == pytest.approx(objective_metric(name).measure(candidate), abs=1e-9)
