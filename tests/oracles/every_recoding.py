"""Brute force over every global recoding of a few columns: plain sets of values, one loop over records."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations, pairwise, product
from math import inf

from sfumato.data.table import Table
from tests.oracles.models_oracle import Value, records_of

Record = dict[str, Value]
Recoding = dict[Value, frozenset[Value]]
Safe = Callable[[Sequence[Record]], bool]


def cheapest(table: Table, safe: Safe, limit: float, target: str | None = None) -> float:
    """The least LM (or CM, with a target) of all recodings that suppress no more than a share; inf if there is none."""
    columns, records = table.schema.quasi, records_of(table)
    ways = [list(recodings(table, name)) for name in columns]
    return min(
        _cost(table, records, dict(zip(columns, way, strict=True)), safe, limit, target) for way in product(*ways)
    )


def recodings(table: Table, column: str) -> Iterator[Recoding]:
    """Every way to recode one column, each once: a partition of its values that its kind allows."""
    seen = set()
    for blocks in _partitions(table, column):
        kept = frozenset(blocks)
        if kept not in seen:
            seen.add(kept)
            yield {value: block for block in kept for value in block}


def _partitions(table: Table, column: str) -> Iterator[list[frozenset[Value]]]:
    domain, values = table.domain(column), list(table.domain(column).texts)
    if column in table.taxonomies:
        paths = dict(zip(values, table.taxonomies[column].level_rows(), strict=True))
        yield from _tree_cuts(values, paths, len(paths[values[0]]) - 1)
    elif domain.ordered:
        yield [frozenset(values)]
        known = values[: domain.present]
        for starts in _subsets(range(1, len(known))):
            edges = [0, *starts, len(known)]
            blocks = [frozenset(known[a:b]) for a, b in pairwise(edges) if a < b]
            yield blocks + [frozenset(values[domain.present :])] * domain.has_missing
    else:
        for hidden in _subsets(values):
            yield [frozenset({value}) for value in values if value not in hidden] + [frozenset(hidden)] * bool(hidden)


def _tree_cuts(values: list[Value], paths: dict[Value, list[str]], level: int) -> Iterator[list[frozenset[Value]]]:
    yield [frozenset(values)]
    if level == 0:
        return
    below: dict[str, list[Value]] = defaultdict(list)
    for value in values:
        below[paths[value][level - 1]].append(value)
    for parts in product(*(list(_tree_cuts(block, paths, level - 1)) for block in below.values())):
        yield list(chain.from_iterable(parts))


def _subsets(items: Sequence) -> Iterator[tuple]:
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


def _cost(
    table: Table, records: list[Record], recoding: dict[str, Recoding], safe: Safe, limit: float, target: str | None
) -> float:
    groups: dict[tuple, list[Record]] = defaultdict(list)
    for record in records:
        groups[tuple(recoding[name][record[name]] for name in recoding)].append(record)
    gone = sum(len(group) for group in groups.values() if not safe(group))
    if gone > limit * table.records + 1e-9 or gone == table.records:
        return inf
    kept = {shown: group for shown, group in groups.items() if safe(group)}
    if target is not None:
        return (gone + sum(wrong([record[target] for record in group]) for group in kept.values())) / table.records
    cells = sum(len(group) * lost(table, recoding, shown) for shown, group in kept.items())
    return (cells + gone * len(recoding)) / table.records


def wrong(classes: list[Value]) -> int:
    """How many of a group are not of its commonest class."""
    return len(classes) - max(Counter(classes).values())


def lost(table: Table, recoding: dict[str, Recoding], shown: tuple[frozenset[Value], ...]) -> float:
    """What one record of a group loses, over all columns."""
    return sum(penalty(table, name, block) for name, block in zip(recoding, shown, strict=True))


def penalty(table: Table, column: str, block: frozenset[Value]) -> float:
    """What one cell loses that could be any of these values."""
    domain = table.domain(column)
    if len(block) == 1:
        return 0.0
    if not domain.ordered:
        return (len(block) - 1) / (len(domain) - 1)
    if domain.has_missing and domain.texts[-1] in block:
        return 1.0
    number = dict(zip(domain.texts[: domain.present], domain.numbers[: domain.present], strict=True))
    inside = [number[value] for value in block]
    return (max(inside) - min(inside)) / (max(number.values()) - min(number.values()))
