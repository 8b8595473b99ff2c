"""Lowers the cover loss of groups with at least k records by simulated annealing.

`anneal_covers` is the local search for groups that are published as ranges, sets or taxonomy nodes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.covers import compact_blocks, covers_at, covers_of
from sfumato.algorithms.improvement.loops.cover_annealing import (
    CoverCells,
    GroupedRecords,
    anneal,
    fill_state,
    near_rows,
)
from sfumato.data.partition import Partition
from sfumato.data.table import Table
from sfumato.kernels.covers import FAR, Covers, empty_group_covers, join_least, join_runs
from sfumato.kernels.random import chance_from
from sfumato.runtime.progress import advance
from sfumato.runtime.time_limit import enough

Whole = NDArray[np.int32]
Counts = NDArray[np.int64]

_NEAR = 8
"""Number of near records kept for each row."""

_COMPARED = 20_000
"""Number of rows among which near rows are searched."""

_STEPS = 256
"""Number of temperature steps."""

_LOOK = 20_000
"""Number of proposals between two checks of the time."""

_HOT, _COLD = 0.3, 0.012
"""The first and last temperature, as fractions of the geometric mean of a group's loss and the largest loss of a cell.
"""

_LITTLE = 1e-6
"""The smallest relative loss of a group from which a temperature is derived."""

_SPARE = 0.05
"""Fraction of records that their groups do not need: with more, groups grow too large; with fewer, few moves exist."""


def anneal_covers(
    table: Table,
    partition: Partition,
    k: int,
    *,
    sets: bool,
    min_levels: int = 0,
    effort: float,
    seed: int,
    seconds: float | None = None,
) -> Partition:
    """A partition with a smaller loss, or the same one; if all groups had at least k records, they still have.

    A few groups are dissolved first, so that other groups have records to spare. Such a record can move to another
    group without an exchange; that group can then spare another record. `effort` is the number of proposed moves per
    record; with `seconds` the search ends after that time, whatever the number of moves. The same effort and seed give
    the same groups; seconds do not. The loss is that of ranges, and of sets or taxonomy nodes. The search respects
    k-anonymity and no other model.
    """
    quasi, owner = table.distinct(table.schema.quasi)
    covers = covers_of(quasi, sets=sets, min_levels=min_levels)
    counts = table.counts if partition.counts is None else partition.counts
    record, group = np.repeat(partition.row, counts), np.repeat(partition.group, counts)
    # Equal rows have the same cover, so the search works on distinct rows; every record knows its distinct row.
    row, cells, random = owner[record].astype(np.int64), _cells(covers), np.random.default_rng(seed)
    grouped = _grouped_records(cells, row, _dissolve_some(covers, row, group, k, random), k)
    near, chance = _near_records(covers, grouped.row, random), chance_from(seed)
    # `whole * sqrt(loss / whole)` is the geometric mean of the loss of an average group and the largest loss of a cell.
    hot = _HOT * cells.whole * max(_total(grouped) / len(grouped.size) / cells.whole, _LITTLE) ** 0.5
    for share, proposals in _schedule(int(effort * len(record)), seconds):
        anneal(cells, grouped, near, k, chance, proposals, hot * (_COLD / _HOT) ** share)
    # Annealing ends with a low loss, but gives no guarantee; the given groups are the fallback.
    better = _total(grouped) < _total(_grouped_records(cells, row, group, k))
    return Partition.of_records(record, grouped.group) if better else partition


def _dissolve_some(covers: Covers, row: Counts, group: Whole, k: int, random: np.random.Generator) -> Whole:
    """The groups after some random ones are dissolved.

    Each record of a dissolved group joins the group whose loss increases least.
    """
    groups = int(group.max()) + 1
    # With n records and groups of k, at most n / k groups are full; this keeps a little fewer of them.
    keep = max(min(groups, int(len(group) * (1 - _SPARE) / max(k, 1))), 1)
    stays = np.zeros(groups, dtype=bool)
    stays[random.permutation(groups)[:keep]] = True
    place, inside = np.cumsum(stays).astype(np.int32) - 1, stays[group]
    grown, found, ones = empty_group_covers(covers, keep), place[group], np.ones(len(group), dtype=np.int64)
    join_runs(covers, grown, row[inside], found[inside], ones[inside])
    found[~inside] = join_least(covers, grown, row[~inside], ones[~inside])
    return found


def _schedule(proposals: int, seconds: float | None) -> Iterator[tuple[float, int]]:
    """The progress from 0 to 1 and the number of proposals until the next check; the last step has progress 1."""
    step, start, done = max(proposals // _STEPS, 1) if seconds is None else _LOOK, time.monotonic(), 0
    share = 0.0
    while share < 1.0 and not enough():
        yield share, step
        done += step
        share = done / max(proposals, 1) if seconds is None else (time.monotonic() - start) / max(seconds, 1e-9)
        advance("annealing", round(_STEPS * min(share, 1.0)), _STEPS)
    # One last step at the lowest temperature, also if the time limit stopped the search early.
    yield 1.0, step


def _cells(covers: Covers) -> CoverCells:
    """The same terms row by row, with names that are numbered consecutively over all terms."""
    named = [*covers.values, *covers.nodes]
    names, first = [np.empty((0, covers.places.shape[1]), dtype=np.int32)], 0
    for term in named:
        used, name = np.unique(term, return_inverse=True)
        names.append((name + first).astype(np.int32)[None])
        first += len(used)
    price = np.concatenate([covers.value_price, covers.node_price])
    rows = np.ascontiguousarray(np.concatenate(names).T, dtype=np.int32)
    return CoverCells(np.ascontiguousarray(covers.places.T), rows, price, len(covers.values), covers.whole)


def _grouped_records(cells: CoverCells, row: Counts, group: Whole, k: int) -> GroupedRecords:
    """The records in their groups; each group has room to grow to the size of the largest one, or to 2k."""
    groups, terms = int(group.max()) + 1, len(cells.price)
    room = max(int(np.bincount(group).max()), 2 * k) + 1
    names, numbers = int(cells.name.max(initial=-1)) + 1, cells.place.shape[1]
    grouped = GroupedRecords(
        row=row.astype(np.int32),
        group=group.astype(np.int32),
        at=np.zeros(len(row), dtype=np.int32),
        member=np.zeros((groups, room), dtype=np.int32),
        size=np.zeros(groups, dtype=np.int64),
        name_count=np.zeros((groups, names), dtype=np.int32),
        distinct=np.zeros((groups, terms), dtype=np.int32),
        low=np.full((groups, numbers), FAR, dtype=np.int32),
        high=np.full((groups, numbers), -FAR, dtype=np.int32),
        loss=np.zeros(groups, dtype=np.int64),
    )
    fill_state(cells, grouped)
    return grouped


def _total(grouped: GroupedRecords) -> int:
    """The loss of all records."""
    return int(grouped.size @ grouped.loss)


def _near_records(covers: Covers, row: Whole, random: np.random.Generator) -> Whole:
    """For each row, random records of the rows nearest to it."""
    rows = covers.places.shape[1]
    near = np.empty((rows, min(_NEAR, max(rows - 1, 1))), dtype=np.int32)
    for block in compact_blocks(covers, np.ones(rows, dtype=np.int64), _COMPARED):
        found = near_rows(covers_at(covers, block), near.shape[1])
        near[block] = block[found]
    order = np.argsort(row, kind="stable")
    start = np.searchsorted(row[order], np.arange(rows + 1))
    share = random.random(near.shape)
    # A near row stands for all records that have it; one of them is drawn as the partner.
    nth = (share * (start[near + 1] - start[near])).astype(np.int64)
    return np.asarray(order[start[near] + nth], dtype=np.int32)
