"""What every metric promises, as checks that anybody's metric can be put through.

Each check is a plain function of a metric; `check_metric` runs them all on the running example, whose disease is the
column to be predicted where a metric needs one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import isnan

import numpy as np
from numpy.typing import NDArray

from sfumato.checks.base import ConformanceError
from sfumato.datasets.hospital import hospital
from sfumato.errors import SchemaError
from sfumato.lattice import Lattice
from sfumato.metrics.base import Metric
from sfumato.operations.generalize import generalize_groups, generalize_levels
from sfumato.partition import Partition
from sfumato.release import Candidate
from sfumato.schema import Role
from sfumato.table import Table

_SLACK = 1e-9


def check_metric(metric: Metric) -> None:
    """Run every check; the first broken promise is raised as a ConformanceError."""
    for check in CHECKS:
        check(metric)


def check_stays_within_limits(metric: Metric) -> None:
    """An answer outside `limits`, or none at all, would mislead whoever draws or compares it."""
    table = _example(metric)
    low, high = metric.limits
    for candidate in _candidates(table):
        answer = metric.measure(table, candidate)
        _demand(not isnan(answer) and low <= answer <= high, metric, f"answers {answer} outside {low} to {high}")


def check_best_when_nothing_changes(metric: Metric) -> None:
    """No generalization is cheaper than publishing every value as it is."""
    table = _example(metric)
    untouched = metric.measure(table, _at_levels(table, (0, 0, 0)))
    for levels in Lattice.over(table):
        answer = metric.measure(table, _at_levels(table, levels))
        _demand(not _better(metric, answer, untouched), metric, f"prefers levels {levels} to the untouched table")


def check_worst_when_nothing_is_published(metric: Metric) -> None:
    """Nothing costs more than leaving every record out."""
    table = _example(metric)
    for candidate in _candidates(table):
        empty = candidate.suppressing(np.ones(len(candidate.published), dtype=bool))
        answers = metric.measure(table, candidate), metric.measure(table, empty)
        _demand(not _better(metric, answers[1], answers[0]), metric, "prefers publishing nothing")


def check_not_improved_by_merging(metric: Metric) -> None:
    """A metric that declares `kept_by_merging` never gets better when two groups become one."""
    if not metric.kept_by_merging:
        return
    table = _example(metric)
    apart = np.arange(len(table), dtype=np.int32)
    before = metric.measure(table, _grouped(table, apart))
    for groups in _mergers(apart):
        after = metric.measure(table, _grouped(table, groups))
        _demand(not _better(metric, after, before), metric, "got better when groups were merged")
        before = after


def check_counts_records_not_rows(metric: Metric) -> None:
    """A row that stands for two records costs the same as two rows that stand for one each."""
    table = _example(metric)
    for candidate in _candidates(table):
        counted, single = metric.measure(table, candidate), metric.measure(table, _one_row_each(candidate))
        _demand(abs(counted - single) <= _SLACK * max(1.0, abs(counted)), metric, f"answers {counted} or {single}")


def check_leaves_its_input_alone(metric: Metric) -> None:
    """Measuring twice gives the same answer, and the tables are what they were."""
    table = _example(metric)
    candidate = _at_levels(table, (1, 0, 1))
    before = _contents(table) + _contents(candidate.published)
    first, second = metric.measure(table, candidate), metric.measure(table, candidate)
    _demand(first == second, metric, f"answers {first} and then {second} to the same question")
    _demand(before == _contents(table) + _contents(candidate.published), metric, "changed what it was given")


def check_asks_for_its_target(metric: Metric) -> None:
    """A metric that needs a target refuses a table without one; every other metric does without."""
    table = hospital()
    candidate = _at_levels(table, (1, 0, 1))
    try:
        metric.measure(table, candidate)
    except SchemaError:
        _demand(metric.needs_target, metric, "asks for a target without saying that it needs one")
    else:
        _demand(not metric.needs_target, metric, "says that it needs a target and answers without one")


CHECKS: tuple[Callable[[Metric], None], ...] = (
    check_stays_within_limits,
    check_best_when_nothing_changes,
    check_worst_when_nothing_is_published,
    check_not_improved_by_merging,
    check_counts_records_not_rows,
    check_leaves_its_input_alone,
    check_asks_for_its_target,
)


def _example(metric: Metric) -> Table:
    """The running example, with a target column where the metric asks for one."""
    table = hospital()
    if not metric.needs_target:
        return table
    columns = tuple(
        replace(column, role=Role.TARGET) if column.role is Role.SENSITIVE else column
        for column in table.schema.columns
    )
    return replace(table, schema=replace(table.schema, columns=columns))


def _candidates(table: Table) -> Iterator[Candidate]:
    """Every node of the lattice, each also with its smallest group left out, and two groupings."""
    for levels in Lattice.over(table):
        candidate = _at_levels(table, levels)
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
