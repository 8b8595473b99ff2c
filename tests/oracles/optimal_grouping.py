"""Brute force over every grouping of a few records: the cheapest that is safe, and the most groups that are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf

from sfumato.data.domain import Domain
from sfumato.data.table import Table
from tests.oracles.models_oracle import records_of

Members = tuple[int, ...]


@dataclass(frozen=True)
class Optimal:
    """The cheapest safe grouping: its groups as record numbers, and its NCP (inf where no grouping is safe)."""

    groups: tuple[Members, ...]
    ncp: float


def partitions(items: Members) -> Iterator[tuple[Members, ...]]:
    """Every way to split some items into groups."""
    if not items:
        yield ()
        return
    first, rest = items[0], items[1:]
    for chosen in range(1 << len(rest)):
        group = (first, *(item for place, item in enumerate(rest) if chosen >> place & 1))
        for others in partitions(tuple(item for item in rest if item not in group)):
            yield (group, *others)


def optimal_grouping(table: Table, safe: Callable[[Members], bool], *, sets: bool = False) -> Optimal:
    """The grouping of at most 8 records with the lowest NCP among those whose every group is safe.

    `safe` is asked about record numbers as `records_of(table)` gives them. What a group publishes is as Mondrian
    does: tight ranges for numbers, the lowest taxonomy node or, with `sets` or without a taxonomy, the set of values.
    """
    records = records_of(table)
    known: dict[Members, float] = {}
    for group in _subsets(tuple(range(len(records)))):
        known[group] = cost(table, [records[item] for item in group], sets) if safe(group) else inf
    best = min(partitions(tuple(range(len(records)))), key=lambda groups: sum(known[group] for group in groups))
    return Optimal(best, sum(known[group] for group in best) / (len(records) * len(table.schema.quasi)))


def most_groups(items: Members, safe: Callable[[Members], bool]) -> int:
    """Into how many safe groups some records can be split at most; 0 where not at all."""
    known = {group: safe(group) for group in _subsets(items)}
    return max((len(groups) for groups in partitions(items) if all(known[group] for group in groups)), default=0)


def _subsets(items: Members) -> Iterator[Members]:
    for chosen in range(1, 1 << len(items)):
        yield tuple(item for place, item in enumerate(items) if chosen >> place & 1)


def cost(table: Table, group: Sequence[dict[str, str | None]], sets: bool) -> float:
    """The summed NCP of all cells of a group."""
    return len(group) * sum(_penalty(table, name, {row[name] for row in group}, sets) for name in table.schema.quasi)


def _penalty(table: Table, column: str, values: set[str | None], sets: bool) -> float:
    domain = table.domain(column)
    if len(values) == 1:
        return 0.0
    if domain.ordered:
        return _width(domain, values)
    if sets or column not in table.taxonomies:
        return (len(values) - 1) / (len(domain) - 1)
    rows = table.taxonomies[column].level_rows()
    inside = [rows[domain.texts.index(value)] for value in values]
    level = next(level for level in range(len(rows[0])) if len({path[level] for path in inside}) == 1)
    return (sum(path[level] == inside[0][level] for path in rows) - 1) / (len(domain) - 1)


def _width(domain: Domain, values: set[str | None]) -> float:
    """A range over the column's range; everything where values are mixed with missing ones."""
    missing = domain.texts[-1] if domain.has_missing else ""
    if missing in values:
        return 1.0
    ends = sorted(domain.numbers[domain.texts.index(value)] for value in values)
    everything = domain.numbers[: domain.present]
    return float((ends[-1] - ends[0]) / (everything.max() - everything.min()))
