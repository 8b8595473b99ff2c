"""Conformance checks for metrics.

Each check is a plain function of a metric. `check_metric` runs them all on the running example, with the disease as
target if the metric needs one, or on a few measurements and their means if the metric compares numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import isfinite, isnan

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.full_domain.lattice import Lattice
from sfumato.checks.base import demand, demand_declared
from sfumato.data.partition import Partition
from sfumato.data.schema import Role, Schema
from sfumato.data.table import Table
from sfumato.datasets.hospital import hospital
from sfumato.errors import SchemaError, UnsuitableError
from sfumato.metrics.base import CellMetric, TableMetric
from sfumato.operations.generalize import generalize_groups, generalize_levels
from sfumato.operations.microaggregate import microaggregate
from sfumato.releases.table_candidate import TableCandidate

_SLACK = 1e-9


def check_metric(metric: TableMetric) -> None:
    """Run every check; the first violation is raised as a ConformanceError."""
    for check in CHECKS:
        check(metric)


def check_declarations(metric: TableMetric) -> None:
    """Settings and facts are declared as for all classes."""
    demand_declared(metric)


def check_stays_within_limits(metric: TableMetric) -> None:
    """The result is a number within the declared `limits`."""
    table = _example(metric)
    low, high = metric.limits
    for candidate in _candidates(metric, table):
        result = metric.measure(candidate)
        demand(not isnan(result) and low <= result <= high, metric, f"returns {result}, outside {low} to {high}")


def check_best_when_nothing_changes(metric: TableMetric) -> None:
    """No generalization and no mean is rated better than publishing every value unchanged."""
    table = _example(metric)
    unchanged = metric.measure(generalize_levels(table, {}))
    candidates = _at_every_level(table) if not metric.needs_numbers else _microaggregations(table)
    for candidate in candidates:
        result = metric.measure(candidate)
        demand(not _better(metric, result, unchanged), metric, "rates a candidate better than the unchanged table")


def check_worst_when_nothing_is_published(metric: TableMetric) -> None:
    """No candidate is rated worse than suppressing every record, and some are rated better."""
    table = _example(metric)
    told_apart = False
    for candidate in _candidates(metric, table):
        empty = candidate.suppressing(np.ones(len(candidate.published), dtype=bool))
        results = metric.measure(candidate), metric.measure(empty)
        demand(not _better(metric, results[1], results[0]), metric, "rates publishing nothing better than a candidate")
        told_apart = told_apart or _better(metric, *results)
    demand(told_apart, metric, "rates no candidate better than publishing nothing")


def check_not_improved_by_merging(metric: TableMetric) -> None:
    """A metric that declares `kept_by_merging` never improves when two groups are merged."""
    if not metric.kept_by_merging:
        return
    table = _example(metric)
    single = np.arange(len(table), dtype=np.int32)
    grouped = _microaggregate if metric.needs_numbers else _generalize
    before = metric.measure(grouped(table, single))
    for groups in _mergers(single):
        after = metric.measure(grouped(table, groups))
        demand(not _better(metric, after, before), metric, "improved when groups were merged")
        before = after


def check_counts_records_not_rows(metric: TableMetric) -> None:
    """A row with two records gives the same result as two rows with one record each."""
    table = _example(metric)
    for candidate in _candidates(metric, table):
        counted, single = metric.measure(candidate), metric.measure(_one_row_each(candidate))
        same = counted == single or abs(counted - single) <= _SLACK * max(1.0, abs(counted))
        demand(same, metric, f"returns {counted} for counted rows, but {single} for one row per record")


def check_leaves_its_input_alone(metric: TableMetric) -> None:
    """Measuring twice gives the same result, and the tables are unchanged."""
    table = _example(metric)
    candidate = _one_candidate(metric, table)
    before = _contents(table) + _contents(candidate.published)
    first, second = metric.measure(candidate), metric.measure(candidate)
    demand(first == second, metric, f"returns {first} and then {second} for the same candidate")
    demand(before == _contents(table) + _contents(candidate.published), metric, "changed its input")


def check_asks_for_its_target(metric: TableMetric) -> None:
    """A metric that declares `needs_target` refuses a table without a target; other metrics do not."""
    table = _measurements() if metric.needs_numbers else hospital()
    try:
        metric.measure(_one_candidate(metric, table))
    except SchemaError:
        demand(metric.needs_target, metric, "requires a target without declaring it")
    else:
        demand(not metric.needs_target, metric, "declares that it needs a target, but works without one")


def check_knows_what_it_suits(metric: TableMetric) -> None:
    """`suits` is true for what the metric can measure, and false where columns are not numbers, which it refuses."""
    table = _example(metric)
    demand(
        metric.suits(_one_candidate(metric, table)),
        metric,
        "declares that it does not suit a candidate that it measures",
    )
    if not metric.needs_numbers:
        return
    general = _generalize(table, np.zeros(len(table), dtype=np.int32))
    demand(not metric.suits(general), metric, "declares that it suits a candidate without numbers")
    try:
        metric.measure(general)
    except UnsuitableError:
        return
    demand(False, metric, "does not refuse a candidate without numbers")


def check_never_gains_from_dearer_cells(metric: TableMetric) -> None:
    """A metric that adds up cells never gets better if the sum of a column grows; searches over levels rely on it."""
    if not isinstance(metric, CellMetric):
        return
    table = _example(metric)
    for candidate in _candidates(metric, table):
        totals = metric.totals(candidate)
        before = float(metric.combined(totals, table))
        for name, total in totals.items():
            after = float(metric.combined({**totals, name: total + 0.5}, table))
            demand(not _better(metric, after, before), metric, f"improved when cells of {name!r} got dearer")
        both = metric.combined({name: np.array([total, total]) for name, total in totals.items()}, table)
        same = np.array_equal(both, [before, before])
        demand(same, metric, "combines the sums of two releases unlike those of one")


CHECKS: tuple[Callable[[TableMetric], None], ...] = (
    check_declarations,
    check_stays_within_limits,
    check_best_when_nothing_changes,
    check_worst_when_nothing_is_published,
    check_not_improved_by_merging,
    check_never_gains_from_dearer_cells,
    check_counts_records_not_rows,
    check_leaves_its_input_alone,
    check_asks_for_its_target,
    check_knows_what_it_suits,
)


def _example(metric: TableMetric) -> Table:
    """The running example, or measurements, with a target column if the metric needs one."""
    table = _measurements() if metric.needs_numbers else hospital()
    if not metric.needs_target:
        return table
    columns = tuple(
        replace(column, role=Role.TARGET) if column.role is Role.SENSITIVE else column
        for column in table.schema.columns
    )
    return replace(table, schema=replace(table.schema, columns=columns))


def _measurements() -> Table:
    """Nine records (eight distinct) with three measurements, one of them missing once, and a sensitive column."""
    rows: dict[str, list[str | None]] = {
        "height": ["160", "171", "182", "168", "190", "175", "160", "163", "160"],
        "weight": ["52", "80", "77.5", "61", "95", "71", "58", "66", "52"],
        "age": ["31", "44", "25", "62", "38", "29", None, "51", "31"],
        "ill": ["flu", "flu", "cold", "flu", "cold", "cold", "flu", "cold", "flu"],
    }
    return Table.of_rows(Schema.of(quasi=["height", "weight", "age"], sensitive=["ill"]), rows)


def _candidates(metric: TableMetric, table: Table) -> Iterator[TableCandidate]:
    """The candidates to measure: means if the metric compares numbers, generalizations otherwise."""
    return _microaggregations(table) if metric.needs_numbers else _generalizations(table)


def _microaggregations(table: Table) -> Iterator[TableCandidate]:
    """Means and medians for every number of groups, each also with its first group suppressed."""
    for groups in range(1, len(table) + 1):
        labels = (np.arange(len(table)) % groups).astype(np.int32)
        for centroid in ("mean", "median"):
            candidate = _microaggregate(table, labels, centroid=centroid)
            yield candidate
            yield candidate.suppressing(np.asarray(candidate.group_of) == 0)


def _microaggregate(table: Table, labels: NDArray[np.int32], *, centroid: str = "mean") -> TableCandidate:
    row = np.repeat(np.arange(len(table)), table.counts)
    return microaggregate(table, row, [(table.schema.quasi, labels[row])], centroid=centroid)


def _one_candidate(metric: TableMetric, table: Table) -> TableCandidate:
    """One candidate that every metric can measure."""
    halves = (np.arange(len(table)) % 2).astype(np.int32)
    return _microaggregate(table, halves) if metric.needs_numbers else _at_levels(table, (1, 0, 1))


def _at_every_level(table: Table) -> Iterator[TableCandidate]:
    """Every node of the generalization lattice."""
    return (_at_levels(table, levels) for levels in Lattice.over(table))


def _generalizations(table: Table) -> Iterator[TableCandidate]:
    """Every node of the lattice, each also with its smallest group suppressed, and two groupings."""
    for candidate in _at_every_level(table):
        yield candidate
        groups = candidate.groups()
        if groups.labels is not None:
            yield candidate.suppressing(groups.labels == groups.sizes.argmin())
    halves = (np.arange(len(table)) % 2).astype(np.int32)
    yield _generalize(table, halves)
    yield _generalize(table, halves, sets=True)


def _at_levels(table: Table, levels: tuple[int, ...]) -> TableCandidate:
    return generalize_levels(table, dict(zip(table.schema.quasi, levels, strict=True)))


def _generalize(table: Table, labels: NDArray[np.int32], *, sets: bool = False) -> TableCandidate:
    return generalize_groups(table, Partition.of_labels(labels), sets=sets)


def _mergers(labels: NDArray[np.int32]) -> Iterator[NDArray[np.int32]]:
    """Groupings from one row per group to one group of all rows, merging two groups at a time."""
    for largest in range(int(labels.max()) - 1, -1, -1):
        yield np.minimum(labels, largest).astype(np.int32)


def _one_row_each(candidate: TableCandidate) -> TableCandidate:
    """The same candidate with one row for every record."""
    rows = np.repeat(np.arange(len(candidate.published)), candidate.published.counts)
    codes = {name: column[rows] for name, column in candidate.published.codes.items()}
    published = replace(candidate.published, codes=codes, counts=np.ones(len(rows), dtype=np.int64))
    group_of = None if candidate.group_of is None else candidate.group_of[rows]
    origin, suppressed = candidate.origin[rows], candidate.suppressed[rows]
    return replace(candidate, published=published, origin=origin, suppressed=suppressed, group_of=group_of)


def _better(metric: TableMetric, one: float, other: float) -> bool:
    """Whether one result is better than the other by more than rounding."""
    slack = _SLACK * max(1.0, abs(other)) if isfinite(other) else 0.0
    return one < other - slack if metric.better == "lower" else one > other + slack


def _contents(table: Table) -> tuple[bytes, ...]:
    """The contents of a table in a form that can be compared."""
    return (*(column.tobytes() for column in table.codes.values()), table.counts.tobytes())
