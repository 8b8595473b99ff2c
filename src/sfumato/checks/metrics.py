"""What every metric promises, as checks that anybody's metric can be put through.

Each check is a plain function of a metric; `check_metric` runs them all on the running example, whose disease is the
column to be predicted where a metric needs one, or on a few measurements and their means where it compares numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import isnan

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.full_domain.lattice import Lattice
from sfumato.checks.base import ConformanceError
from sfumato.data.partition import Partition
from sfumato.data.schema import Role, Schema
from sfumato.data.table import Table
from sfumato.datasets.hospital import hospital
from sfumato.errors import SchemaError, UnsuitableError
from sfumato.metrics.base import Metric
from sfumato.operations.generalize import generalize_groups, generalize_levels
from sfumato.operations.microaggregate import microaggregate
from sfumato.releases.candidate import Candidate

_SLACK = 1e-9


def check_metric(metric: Metric) -> None:
    """Run every check; the first broken promise is raised as a ConformanceError."""
    for check in CHECKS:
        check(metric)


def check_stays_within_limits(metric: Metric) -> None:
    """An answer outside `limits`, or none at all, would mislead whoever draws or compares it."""
    table = _example(metric)
    low, high = metric.limits
    for candidate in _candidates(metric, table):
        answer = metric.measure(candidate)
        _demand(not isnan(answer) and low <= answer <= high, metric, f"answers {answer} outside {low} to {high}")


def check_best_when_nothing_changes(metric: Metric) -> None:
    """No generalization and no mean is cheaper than publishing every value as it is."""
    table = _example(metric)
    untouched = metric.measure(generalize_levels(table, {}))
    shown = _at_every_level(table) if not metric.needs_numbers else _microaggregated(table)
    for candidate in shown:
        answer = metric.measure(candidate)
        _demand(not _better(metric, answer, untouched), metric, "prefers a candidate to the untouched table")


def check_worst_when_nothing_is_published(metric: Metric) -> None:
    """Nothing costs more than leaving every record out."""
    table = _example(metric)
    for candidate in _candidates(metric, table):
        empty = candidate.suppressing(np.ones(len(candidate.published), dtype=bool))
        answers = metric.measure(candidate), metric.measure(empty)
        _demand(not _better(metric, answers[1], answers[0]), metric, "prefers publishing nothing")


def check_not_improved_by_merging(metric: Metric) -> None:
    """A metric that declares `kept_by_merging` never gets better when two groups become one."""
    if not metric.kept_by_merging:
        return
    table = _example(metric)
    apart = np.arange(len(table), dtype=np.int32)
    grouped = _averaged if metric.needs_numbers else _grouped
    before = metric.measure(grouped(table, apart))
    for groups in _mergers(apart):
        after = metric.measure(grouped(table, groups))
        _demand(not _better(metric, after, before), metric, "got better when groups were merged")
        before = after


def check_counts_records_not_rows(metric: Metric) -> None:
    """A row that stands for two records costs the same as two rows that stand for one each."""
    table = _example(metric)
    for candidate in _candidates(metric, table):
        counted, single = metric.measure(candidate), metric.measure(_one_row_each(candidate))
        same = counted == single or abs(counted - single) <= _SLACK * max(1.0, abs(counted))
        _demand(same, metric, f"answers {counted} or {single}")


def check_leaves_its_input_alone(metric: Metric) -> None:
    """Measuring twice gives the same answer, and the tables are what they were."""
    table = _example(metric)
    candidate = _some(metric, table)
    before = _contents(table) + _contents(candidate.published)
    first, second = metric.measure(candidate), metric.measure(candidate)
    _demand(first == second, metric, f"answers {first} and then {second} to the same question")
    _demand(before == _contents(table) + _contents(candidate.published), metric, "changed what it was given")


def check_asks_for_its_target(metric: Metric) -> None:
    """A metric that needs a target refuses a table without one; every other metric does without."""
    table = _measurements() if metric.needs_numbers else hospital()
    try:
        metric.measure(_some(metric, table))
    except SchemaError:
        _demand(metric.needs_target, metric, "asks for a target without saying that it needs one")
    else:
        _demand(not metric.needs_target, metric, "says that it needs a target and answers without one")


def check_knows_what_it_suits(metric: Metric) -> None:
    """It suits whatever it can measure; where too few columns are numbers it says so, and refuses."""
    table = _example(metric)
    _demand(metric.suits(_some(metric, table)), metric, "says that it does not suit what it measures")
    if not metric.needs_numbers:
        return
    vague = _grouped(table, np.zeros(len(table), dtype=np.int32))
    _demand(not metric.suits(vague), metric, "says that it suits a candidate without numbers")
    try:
        metric.measure(vague)
    except UnsuitableError:
        return
    _demand(False, metric, "measures numbers where there are none")


CHECKS: tuple[Callable[[Metric], None], ...] = (
    check_stays_within_limits,
    check_best_when_nothing_changes,
    check_worst_when_nothing_is_published,
    check_not_improved_by_merging,
    check_counts_records_not_rows,
    check_leaves_its_input_alone,
    check_asks_for_its_target,
    check_knows_what_it_suits,
)


def _example(metric: Metric) -> Table:
    """The running example, or measurements, with a target column where the metric asks for one."""
    table = _measurements() if metric.needs_numbers else hospital()
    if not metric.needs_target:
        return table
    columns = tuple(
        replace(column, role=Role.TARGET) if column.role is Role.SENSITIVE else column
        for column in table.schema.columns
    )
    return replace(table, schema=replace(table.schema, columns=columns))


def _measurements() -> Table:
    """Nine records of eight different ones, with three measurements, of which one is missing once, and a secret."""
    rows: dict[str, list[str | None]] = {
        "height": ["160", "171", "182", "168", "190", "175", "160", "163", "160"],
        "weight": ["52", "80", "77.5", "61", "95", "71", "58", "66", "52"],
        "age": ["31", "44", "25", "62", "38", "29", None, "51", "31"],
        "ill": ["flu", "flu", "cold", "flu", "cold", "cold", "flu", "cold", "flu"],
    }
    return Table.of_rows(Schema.of(quasi=["height", "weight", "age"], sensitive=["ill"]), rows)


def _candidates(metric: Metric, table: Table) -> Iterator[Candidate]:
    """What a metric is asked about: means where it compares numbers, else whatever generalizes."""
    return _microaggregated(table) if metric.needs_numbers else _generalized(table)


def _microaggregated(table: Table) -> Iterator[Candidate]:
    """Means and medians of groups of every number, each also with its first group left out."""
    for groups in range(1, len(table) + 1):
        labels = (np.arange(len(table)) % groups).astype(np.int32)
        for centroid in ("mean", "median"):
            candidate = _averaged(table, labels, centroid=centroid)
            yield candidate
            yield candidate.suppressing(np.asarray(candidate.member) == 0)


def _averaged(table: Table, labels: NDArray[np.int32], *, centroid: str = "mean") -> Candidate:
    row = np.repeat(np.arange(len(table)), table.counts)
    return microaggregate(table, row, [(table.schema.quasi, labels[row])], centroid=centroid)


def _some(metric: Metric, table: Table) -> Candidate:
    """One candidate that every metric has something to say about."""
    halves = (np.arange(len(table)) % 2).astype(np.int32)
    return _averaged(table, halves) if metric.needs_numbers else _at_levels(table, (1, 0, 1))


def _at_every_level(table: Table) -> Iterator[Candidate]:
    return (_at_levels(table, levels) for levels in Lattice.over(table))


def _generalized(table: Table) -> Iterator[Candidate]:
    """Every node of the lattice, each also with its smallest group left out, and two groupings."""
    for candidate in _at_every_level(table):
        yield candidate
        groups = candidate.groups()
        if groups.labels is not None:
            yield candidate.suppressing(groups.labels == groups.sizes.argmin())
    halves = (np.arange(len(table)) % 2).astype(np.int32)
    yield _grouped(table, halves)
    yield _grouped(table, halves, sets=True)


def _at_levels(table: Table, levels: tuple[int, ...]) -> Candidate:
    return generalize_levels(table, dict(zip(table.schema.quasi, levels, strict=True)))


def _grouped(table: Table, labels: NDArray[np.int32], *, sets: bool = False) -> Candidate:
    return generalize_groups(table, Partition.of_labels(labels), sets=sets)


def _mergers(labels: NDArray[np.int32]) -> Iterator[NDArray[np.int32]]:
    """From every row on its own to all in one group, one merger at a time."""
    for largest in range(int(labels.max()) - 1, -1, -1):
        yield np.minimum(labels, largest).astype(np.int32)


def _one_row_each(candidate: Candidate) -> Candidate:
    """The same candidate with a row for every record."""
    rows = np.repeat(np.arange(len(candidate.published)), candidate.published.counts)
    codes = {name: column[rows] for name, column in candidate.published.codes.items()}
    published = replace(candidate.published, codes=codes, counts=np.ones(len(rows), dtype=np.int64))
    member = None if candidate.member is None else candidate.member[rows]
    origin, gone = candidate.origin[rows], candidate.suppressed[rows]
    return replace(candidate, published=published, origin=origin, suppressed=gone, member=member)


def _better(metric: Metric, one: float, other: float) -> bool:
    """Whether one answer is better than the other by more than rounding."""
    slack = _SLACK * max(1.0, abs(other))
    return one < other - slack if metric.better == "lower" else one > other + slack


def _contents(table: Table) -> tuple[bytes, ...]:
    return (*(column.tobytes() for column in table.codes.values()), table.counts.tobytes())


def _demand(kept: bool, metric: Metric, broken: str) -> None:
    if not kept:
        raise ConformanceError(f"{metric} {broken}.")
