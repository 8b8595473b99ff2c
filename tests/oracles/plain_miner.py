"""A slow miner that reads like the definition: every itemset, every value, every record, with exact fractions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import inf, log
from typing import Any, NamedTuple

from sfumato.data.table import Table
from sfumato.disclosure.exact_ratios import as_meant
from sfumato.knowledge import Item, Miner, Rule

Key = tuple[frozenset[tuple[str, frozenset[int]]], str]


class Node(NamedTuple):
    """A node of a column: the codes under it, the degree to which it is true of each code, and where surely."""

    column: str
    under: frozenset[int]
    degree: dict[int, Fraction]
    sure: frozenset[int]


def nodes_of(table: Table, column: str, fuzziness: float = 0, shape: str = "trapezoid") -> list[Node]:
    """Values first, then nodes level by level; second names for the same sure values are left out."""
    domain = table.domain(column)
    everything = frozenset(range(len(domain)))
    sets = [frozenset({code}) for code in sorted(everything)]
    if column in table.taxonomies:
        rows = table.taxonomies[column].level_rows()
        for level in range(1, len(rows[0])):
            names = dict.fromkeys(row[level] for row in rows)
            sets += [frozenset(code for code, row in enumerate(rows) if row[level] == name) for name in names]
    found: dict[frozenset[int], Node] = {}
    for under in sets:
        degree = degrees(domain, under, as_meant(fuzziness), shape)
        bar = Fraction(1, 2) if shape == "triangle" and fuzziness else 1
        sure = frozenset(code for code in everything if degree[code] >= bar)
        if sure and sure != everything:
            found.setdefault(sure, Node(column, under, degree, sure))
    return list(found.values())


def degrees(domain: Any, under: frozenset[int], fuzziness: Fraction, shape: str) -> dict[int, Fraction]:
    """How true a node is of each code."""
    plain = {code: Fraction(code in under) for code in range(len(domain))}
    if domain.numbers is None or fuzziness == 0 or len(under) == 1:
        return plain
    places = {code: Fraction(float(domain.numbers[code])) for code in range(domain.present)}
    if any(code not in places for code in under):
        return plain
    low, high = min(places[code] for code in under), max(places[code] for code in under)
    width, found = high - low, dict.fromkeys(plain, Fraction(0))
    for code, place in places.items():
        if shape == "triangle":
            away, slope = abs(place - (low + high) / 2), width / 2 + fuzziness * width
        else:
            away, slope = max(low - place, place - high, Fraction(0)), fuzziness * width
        found[code] = max(1 - away / slope, Fraction(0))
    return found


def itemsets(table: Table, miner: Miner) -> Iterator[tuple[Node, ...]]:
    """Every choice of one node of each of at most `max_items` columns."""
    nodes = {name: nodes_of(table, name, miner.fuzziness, miner.membership) for name in table.schema.quasi}
    for size in range(1, miner.max_items + 1):
        for columns in combinations(table.schema.quasi, size):
            yield from product(*(nodes[name] for name in columns))


def counted(table: Table, sensitive: str, items: tuple[Node, ...]) -> tuple[Fraction, dict[int, Fraction]]:
    """The records that have the items, and those of them that have each value."""
    by_value = dict.fromkeys(range(len(table.domain(sensitive))), Fraction(0))
    for row, count in enumerate(table.counts.tolist()):
        degree = Fraction(count)
        for node in items:
            degree *= node.degree[int(table.codes[node.column][row])]
        by_value[int(table.codes[sensitive][row])] += degree
    return sum(by_value.values(), Fraction(0)), by_value


def is_surprising(support: Fraction, having: int, records: int, least: Fraction) -> bool:
    """Whether 1 - (1 - P)^C reaches the least expectation."""
    if not support:
        return False
    if support.denominator == 1:
        return 1 - (1 - Fraction(having, records)) ** int(support) >= least
    return having == records or (having > 0 and support >= log(1 - least) / log(1 - having / records))


def negative_rules(table: Table, sensitive: str, miner: Miner) -> dict[Key, tuple[Fraction, Fraction]]:
    """All negative rules with support and count, or only the most general of them."""
    histogram = table.histogram(sensitive).tolist()
    found = {}
    for items in itemsets(table, miner):
        support, by_value = counted(table, sensitive, items)
        for value, count in by_value.items():
            sure = count <= (1 - as_meant(miner.min_confidence)) * support
            if sure and is_surprising(support, histogram[value], table.records, as_meant(miner.min_expectation)):
                found[items_key(items), value] = (items, support, count)
    kept = found
    if miner.most_general:
        kept = {
            key: one
            for key, one in found.items()
            if not any(other[1] == key[1] and is_wider(wide, one[0]) for other, (wide, _, _) in found.items())
        }
    named = table.domain(sensitive).named
    return {(key, named(value)): one[1:] for (key, value), one in kept.items()}


def is_wider(wide: tuple[Node, ...], narrow: tuple[Node, ...]) -> bool:
    """Whether an itemset is another generalization: nodes above, items left out, and not the same."""
    inside = {node.column: node.under for node in narrow}
    above = all(node.column in inside and node.under >= inside[node.column] for node in wide)
    return above and items_key(wide) != items_key(narrow)


def positive_rules(table: Table, sensitive: str, miner: Miner) -> dict[Key, tuple[Fraction, Fraction, float]]:
    """All positive rules with support, count and conviction."""
    histogram, records, found = table.histogram(sensitive).tolist(), table.records, {}
    for items in itemsets(table, miner):
        support, by_value = counted(table, sensitive, items)
        for value, count in by_value.items():
            chance, broken = support * (records - histogram[value]), (support - count) * records
            strong = chance > 0 and chance >= as_meant(miner.min_conviction) * broken
            if strong and count >= as_meant(miner.min_support) * records:
                conviction = float(chance / broken) if broken else inf
                found[items_key(items), table.domain(sensitive).named(value)] = (support, count, conviction)
    return found


def items_key(items: tuple[Node, ...]) -> frozenset[tuple[str, frozenset[int]]]:
    """What the items are surely true of."""
    return frozenset((node.column, node.sure) for node in items)


def key_of(table: Table, rule: Rule) -> Key:
    """The same of a rule that was mined."""
    return frozenset((item.column, codes_of(table, item)) for item in rule.when), rule.value


def codes_of(table: Table, item: Item) -> frozenset[int]:
    """The codes an item is true of."""
    return frozenset(item.true_of(table.domain(item.column)).nonzero()[0].tolist())
