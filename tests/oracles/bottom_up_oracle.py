"""Bottom-up generalization as it is written down: every candidate tried on every record, nothing remembered."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import inf, log2

from sfumato.data.table import Table
from tests.oracles.every_recoding import Recoding, Record, penalty
from tests.oracles.models_oracle import Value, records_of

Block = frozenset[Value]
Step = tuple[str, Block]
Level = Callable[[Sequence[Record]], float]


def bottom_up(
    table: Table, level: Level, required: float, target: str | None
) -> tuple[list[Step], dict[str, Recoding]]:
    """The steps that are taken, each a column and the values it puts together, and the recoding they end in."""
    records = records_of(table)
    recoding = {name: {value: frozenset({value}) for value in table.domain(name).texts} for name in table.schema.quasi}
    steps: list[Step] = []
    while worst(records, recoding, level) < required:
        step = _best(table, records, recoding, level, target)
        if step is None:
            break
        steps.append(step)
        recoding = applied(recoding, step)
    return steps, recoding


def worst(records: list[Record], recoding: dict[str, Recoding], level: Level) -> float:
    """The level of the worst group: A(QID)."""
    groups: dict[tuple, list[Record]] = defaultdict(list)
    for record in records:
        groups[tuple(recoding[name][record[name]] for name in recoding)].append(record)
    return min(level(group) for group in groups.values())


def applied(recoding: dict[str, Recoding], step: Step) -> dict[str, Recoding]:
    column, block = step
    changed = {value: block if value in block else shown for value, shown in recoding[column].items()}
    return {**recoding, column: changed}


def candidates(table: Table, recoding: dict[str, Recoding]) -> list[Step]:
    """Nodes with several children that are all published, by column, then the widest first, then in order."""
    found = []
    for column, shown in recoding.items():
        order = list(table.domain(column).texts)
        nodes = [node for node, below in children(table, column).items() if below <= set(shown.values())]
        nodes.sort(key=lambda node: (-len(node), min(map(order.index, node))))
        found += [(column, node) for node in nodes]
    return found


def children(table: Table, column: str) -> dict[Block, set[Block]]:
    """Every set of values that a node stands for, and the next smaller ones in it."""
    values = table.domain(column).texts
    blocks = {frozenset({value}) for value in values} | {frozenset(values)}
    if column in table.taxonomies:
        for labels in zip(*table.taxonomies[column].level_rows(), strict=True):
            blocks |= {
                frozenset(v for v, other in zip(values, labels, strict=True) if other == label) for label in labels
            }
    inside = {node: {block for block in blocks if block < node} for node in blocks if len(node) > 1}
    return {node: {b for b in below if not any(b < other for other in below)} for node, below in inside.items()}


def _best(
    table: Table, records: list[Record], recoding: dict[str, Recoding], level: Level, target: str | None
) -> Step | None:
    before, ranked = worst(records, recoding, level), []
    offered = candidates(table, recoding)
    for place, step in enumerate(offered):
        gained = worst(records, applied(recoding, step), level) - before
        loss = round(_loss(table, records, step, target), 12)
        price = round(loss / gained, 12) if gained > 0 else inf
        ranked.append((price, -gained, place) if gained > 0 else (inf, loss, place))
    return offered[min(ranked)[2]] if ranked else None


def _loss(table: Table, records: list[Record], step: Step, target: str | None) -> float:
    column, node = step
    parts = [[r for r in records if r[column] in block] for block in children(table, column)[node]]
    if target is None:
        blocks = children(table, column)[node]
        price = {block: penalty(table, column, node) - penalty(table, column, block) for block in blocks}
        return sum(price[b] * sum(r[column] in b for r in records) for b in blocks) / len(records)
    whole = [record[target] for part in parts for record in part]
    if not whole:
        return 0.0
    inner = sum(len(part) / len(whole) * entropy([record[target] for record in part]) for part in parts if part)
    return max(entropy(whole) - inner, 0.0)


def entropy(classes: list[Value]) -> float:
    return -sum(often / len(classes) * log2(often / len(classes)) for often in Counter(classes).values())
