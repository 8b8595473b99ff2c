"""The contract of metrics: shared behaviour, and every metric of the folder against its slow twin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Mdav, Mondrian, OptimalLattice
from sfumato.data.partition import Partition
from sfumato.data.schema import Role, Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.errors import ParameterError, UnsuitableError
from sfumato.metrics import (
    AverageGroupSize,
    Discernibility,
    Iloss,
    Ncp,
    NonUniformEntropy,
    NormalizedGroupSize,
    SquaredError,
    SuppressedShare,
)
from sfumato.metrics.base import CellMetric, SharedCells, TableMetric, weigh
from sfumato.models import KAnonymity
from sfumato.operations.generalize import generalize_groups, generalize_levels
from sfumato.releases.table_candidate import TableCandidate
from sfumato.settings.catalogue import without_required_settings
from tests.instances import instances
from tests.oracles import metrics_oracle as slow
from tests.strategies import small_tables

JOBS, AGES = ("cook", "dancer", "writer", "miner"), ("20", "21", "30", "44", "60")


@st.composite
def grouped(draw: st.DrawFn) -> tuple[list[dict[str, str]], TableCandidate, list[slow.Shown]]:
    """Records with a random grouping, some groups suppressed: as a candidate and as plain Python."""
    size = draw(st.integers(1, 12))
    rows = [{"job": draw(st.sampled_from(JOBS)), "age": draw(st.sampled_from(AGES))} for _ in range(size)]
    keys = sorted({(row["job"], row["age"]) for row in rows})
    place = {key: draw(st.integers(0, 3)) for key in keys}
    gone = draw(st.sets(st.integers(0, 3)))
    table = Table.of_rows(
        Schema.of(quasi=["job", "age"]), {name: [row[name] for row in rows] for name in ("job", "age")}
    )
    held = [(table.domain("job").texts[j], table.domain("age").texts[a]) for j, a in _pairs(table)]
    number = {old: new for new, old in enumerate(sorted(set(place.values())))}
    labels = np.array([number[place[key]] for key in held], dtype=np.int32)
    candidate = generalize_groups(table, Partition.of_labels(labels), sets=True)
    candidate = candidate.suppressing(np.array([place[key] in gone for key in held]))
    return rows, candidate, [_shown(row, rows, place, gone) for row in rows]


def _pairs(table: Table) -> list[tuple[int, int]]:
    return list(zip(table.codes["job"].tolist(), table.codes["age"].tolist(), strict=True))


def _shown(row: dict[str, str], rows: list[dict[str, str]], place: dict[tuple[str, str], int], gone: set[int]):
    mine = place[row["job"], row["age"]]
    if mine in gone:
        return None
    peers = [other for other in rows if place[other["job"], other["age"]] == mine]
    low, high = min(int(peer["age"]) for peer in peers), max(int(peer["age"]) for peer in peers)
    ages = frozenset(other["age"] for other in rows if low <= int(other["age"]) <= high)
    return {"job": frozenset(peer["job"] for peer in peers), "age": ages}


@given(grouped())
def test_ncp_equals_its_slow_twin(drawn):
    rows, candidate, shown = drawn
    assert Ncp().measure(candidate) == pytest.approx(slow.ncp(rows, shown, {"age"}))


@given(grouped())
def test_iloss_equals_its_slow_twin(drawn):
    rows, candidate, shown = drawn
    assert Iloss().measure(candidate) == pytest.approx(slow.iloss(rows, shown))


@given(grouped())
def test_discernibility_equals_its_slow_twin(drawn):
    _, candidate, shown = drawn
    assert Discernibility().measure(candidate) == slow.discernibility(shown)


@given(grouped(), st.integers(1, 5))
def test_average_group_size_equals_its_slow_twin(drawn, k):
    _, candidate, shown = drawn
    expected = slow.average_group_size(shown)
    assert AverageGroupSize().measure(candidate) == pytest.approx(expected)
    assert NormalizedGroupSize(k=k).measure(candidate) == pytest.approx(expected / k)


@given(grouped())
def test_non_uniform_entropy_equals_its_slow_twin(drawn):
    rows, candidate, shown = drawn
    measured = NonUniformEntropy().measure(candidate)
    assert measured == pytest.approx(slow.non_uniform_entropy(rows, shown))


@given(grouped())
def test_suppressed_share_equals_its_slow_twin(drawn):
    _, candidate, shown = drawn
    assert SuppressedShare().measure(candidate) == pytest.approx(slow.suppressed_share(shown))


METRICS = [metric for metric in instances("metrics") if not metric.needs_numbers]
NUMBER_METRICS = [metric for metric in instances("metrics") if metric.needs_numbers]


def no_better(metric, one: float, other: float) -> bool:
    """Whether `one` is at most as good as `other`, give or take rounding."""
    gap = one - other if metric.better == "lower" else other - one
    return gap >= -1e-9 * max(1.0, abs(other))


def suiting(metric, table: Table) -> Table:
    """The table, with its first secret as the column to be predicted where the metric needs one."""
    if not metric.needs_target:
        return table
    columns = tuple(
        replace(column, role=Role.TARGET) if column.name == table.schema.sensitive[0] else column
        for column in table.schema.columns
    )
    return replace(table, schema=replace(table.schema, columns=columns))


def in_groups(table: Table, labels) -> TableCandidate:
    _, dense = np.unique(np.asarray(labels), return_inverse=True)
    return generalize_groups(table, Partition.of_labels(dense.astype(np.int32)), sets=False)


def with_tables(table: Table) -> Iterator[tuple[list[TableMetric], Table]]:
    """The metrics, and the table as they need it: those that need a column to predict have a table of their own."""
    for needs_target in (False, True):
        some = [metric for metric in METRICS if metric.needs_target is needs_target]
        yield some, suiting(some[0], table)


@given(table=small_tables(max_repeats=2))
def test_the_untouched_table_is_best_and_loses_nothing(table):
    for metrics, suited in with_tables(table):
        untouched = in_groups(suited, suited.group_numbers(suited.schema.quasi))
        whole = in_groups(suited, [0] * len(suited))
        for metric in metrics:
            best = metric.measure(untouched)
            assert no_better(metric, metric.measure(whole), best), metric
            if isinstance(metric, CellMetric):
                assert best == (1 if metric.better == "higher" else 0), metric


@given(table=small_tables(max_repeats=2), data=st.data())
def test_nothing_is_worse_than_publishing_nothing(table, data):
    labels = data.draw(st.lists(st.integers(0, 3), min_size=len(table), max_size=len(table)))
    for metrics, suited in with_tables(table):
        candidate = in_groups(suited, labels)
        nothing = candidate.suppressing(np.ones(len(candidate.published), dtype=bool))
        for metric in metrics:
            assert no_better(metric, metric.measure(nothing), metric.measure(candidate)), metric


@given(table=small_tables(max_repeats=2), data=st.data())
def test_merging_two_groups_never_improves_what_says_so(table, data):
    labels = data.draw(st.lists(st.integers(0, 3), min_size=len(table), max_size=len(table)))
    apart = in_groups(table, labels).groups().labels
    pair = data.draw(st.lists(st.sampled_from(sorted(set(apart.tolist()))), min_size=2, max_size=2))
    merged = np.where(apart == pair[0], pair[1], apart)
    for metrics, suited in with_tables(table):
        before, after = (in_groups(suited, some) for some in (apart, merged))
        for metric in metrics:
            worse = not metric.kept_by_merging or no_better(metric, metric.measure(after), metric.measure(before))
            assert worse, metric


@st.composite
def masked(draw: st.DrawFn) -> PairedNumbers:
    """Up to eight rows of two or three numbers, some missing, before and after."""
    size, width = draw(st.integers(1, 8)), draw(st.integers(2, 3))
    number = st.one_of(st.integers(-5, 5).map(float), st.just(float("nan")))
    sides = [draw(st.lists(number, min_size=size * width, max_size=size * width)) for _ in range(2)]
    counts = draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))
    before, after = (np.reshape(side, (size, width)) for side in sides)
    return PairedNumbers.of_arrays(before, after, counts=counts)


@given(pair=masked())
def test_numbers_that_did_not_move_cost_nothing(pair):
    same = PairedNumbers.of_arrays(pair.original, pair.original, counts=pair.counts)
    for metric in NUMBER_METRICS:
        low, high = metric.limits
        best = low if metric.better == "lower" else high
        assert not same.people or metric.measure(same) == pytest.approx(best, abs=1e-9), metric
        assert low <= metric.measure(pair) <= high, metric


@given(pair=masked(), data=st.data())
def test_rows_stand_for_records_in_any_order(pair, data):
    order = data.draw(st.permutations(np.repeat(np.arange(len(pair.counts)), pair.counts).tolist()))
    single = PairedNumbers.of_arrays(pair.original[order], pair.published[order])
    for metric in NUMBER_METRICS:
        assert metric.measure(single) == pytest.approx(metric.measure(pair), rel=1e-6, abs=1e-6), metric


@pytest.mark.parametrize("metric", NUMBER_METRICS, ids=str)
def test_too_few_numbers_are_refused(metric):
    nothing = PairedNumbers.of_arrays(np.zeros((3, 0)), np.zeros((3, 0)))
    with pytest.raises(UnsuitableError, match="columns of numbers, and 0 are published"):
        metric.measure(nothing)


@pytest.mark.parametrize("metric", NUMBER_METRICS, ids=str)
def test_where_nothing_is_left_it_is_as_bad_as_can_be(metric):
    gone = PairedNumbers.of_arrays(np.full((3, 2), np.nan), np.zeros((3, 2)))
    assert metric.measure(gone) == metric.limits[1 if metric.better == "lower" else 0]


def test_a_release_is_measured_like_its_candidate():
    release = Mondrian().anonymize(hospital(), KAnonymity(k=3))
    for metric in (Ncp(), Discernibility(), AverageGroupSize(), SuppressedShare()):
        assert metric.measure(release) == metric.measure(release.candidate)
    means = Mdav().anonymize(Table.of_rows(Schema.of(quasi=["age"]), {"age": list("12489")}), KAnonymity(k=2))
    assert SquaredError().measure(means) == SquaredError().measure(means.candidate) > 0


@pytest.mark.parametrize("metric", [Ncp(), SquaredError()], ids=str)
def test_the_earlier_call_with_the_original_first_still_works(metric):
    release = Mdav().anonymize(Table.of_rows(Schema.of(quasi=["age"]), {"age": list("12489")}), KAnonymity(k=2))
    with pytest.warns(DeprecationWarning, match=r"measure\(release\) now"):
        found = metric.measure(release.original, release.candidate)
    assert found == metric.measure(release)


def test_a_column_that_was_left_alone_costs_nothing():
    table = hospital()
    only_job = generalize_levels(table, {"Job": 2})
    assert Ncp().per_column(only_job) == {"Job": 1.0, "Sex": 0.0, "Age": 0.0}


def test_weights_name_quasi_columns():
    with pytest.raises(ParameterError, match="did you mean 'Age'"):
        weigh({"Agee": 1}, ("Job", "Age"))


@pytest.mark.parametrize("weights", [{"Job": -1.0}, {"Job": float("inf")}, {"Job": float("nan")}, {"Job": 0, "Age": 0}])
def test_weights_must_be_usable(weights):
    with pytest.raises(ParameterError):
        weigh(weights, ("Job", "Age"))


@pytest.mark.parametrize("weight", ["x", None, True, np.True_, [1], 1j, 1e308, 10**400])
@pytest.mark.parametrize("metric", [Ncp, Iloss])
def test_a_weight_is_a_number_whose_sums_are_finite(weight, metric):
    candidate = generalize_levels(hospital(), {"Job": 1})
    with pytest.raises(ParameterError, match=r"the weight of 'Job' must be a number >= 0 and <= 1e\+100; got \S+\.$"):
        metric(weights={"Job": weight, "Age": weight}).measure(candidate)
    with pytest.raises(ParameterError, match="the weight of 'Job'"):
        OptimalLattice(objective=metric.name(), weights={"Job": weight}).anonymize(hospital(), KAnonymity(k=2))


def test_numbers_of_other_libraries_and_great_weights_are_weights():
    candidate = generalize_levels(hospital(), {"Job": 1})
    assert weigh({"Job": np.float32(0.5), "Age": np.int64(2)}, ("Job", "Age")) == {"Job": 0.5, "Age": 2.0}
    assert np.isfinite(Iloss(weights={"Job": 1e100, "Age": 1e100}).measure(candidate))


@given(grouped())
def test_shared_cells_change_no_number(given):
    """Counting equal cells once, for several metrics, is the same as adding up the cells of all rows."""
    _, candidate, _ = given
    shared = SharedCells.of(candidate)
    for metric in (thing() for thing in without_required_settings("metrics", TableMetric)):
        if metric.suits(candidate) and not metric.needs_target:
            assert metric.measure(shared) == pytest.approx(metric.measure(candidate)), metric
        if isinstance(metric, CellMetric):
            assert metric.totals(shared) == pytest.approx(metric.totals(candidate)), metric
