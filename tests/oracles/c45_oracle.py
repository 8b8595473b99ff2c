"""C4.5 the slow and obvious way: records are tuples, a tree is nested tuples, nothing is shared with the library.

A leaf is `(class, cases, wrong)`. An inner node is `(class, cases, wrong, column, limit, children)`; `children` maps a
name to a node, or False and True to the sides of a number, and `limit` is the highest number that goes to False.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from math import exp, inf, isnan, log, log2, sqrt
from typing import Any, NamedTuple

ROUNDING, TOLERANCE = 1e-9, 1e-3


class Case(NamedTuple):
    """One record: its cells (texts or floats), its class and its weight."""

    cells: tuple[Any, ...]
    label: int
    weight: float


class Rules(NamedTuple):
    """What a whole tree goes by: the kinds of columns, all their numbers, and the settings."""

    numeric: tuple[bool, ...]
    numbers: tuple[list[float], ...]
    many: tuple[bool, ...]
    classes: int
    fewest: int


class Test(NamedTuple):
    """How a column would part the cases."""

    gain: float
    information: float
    limit: float
    sides: dict[Any, list[Case]]


Test.__test__ = False  # type: ignore[attr-defined]


def grown(cases: list[Case], numeric: tuple[bool, ...], fewest: int = 2, names: tuple[int, ...] = ()) -> Any:
    """The tree before pruning; `names` is how many names each column could have."""
    columns = range(len(numeric))
    numbers = tuple(
        sorted({case.cells[c] for case in cases if not isnan(case.cells[c])}) if numeric[c] else [] for c in columns
    )
    many = tuple(not numeric[c] and names[c] >= 0.3 * len(cases) for c in columns)
    rules = Rules(numeric, numbers, many, len({case.label for case in cases}), fewest)
    return _grow(cases, rules, frozenset())


def _grow(cases: list[Case], rules: Rules, used: frozenset[int]) -> Any:
    sums = weights_by(cases, lambda case: case.label)
    total, best = sum(sums.values()), max(sums.values(), default=0.0)
    label = min((one for one, weight in sums.items() if weight == best), default=0)
    leaf = (label, total, total - best)
    if total - best == 0 or total < 2 * rules.fewest:
        return leaf
    tests = {c: _test(cases, c, rules) for c in range(len(rules.numeric)) if c not in used}
    column = _best({c: test for c, test in tests.items() if test is not None and test.gain > ROUNDING}, rules)
    if column is None:
        return leaf
    test = tests[column]
    further = used if rules.numeric[column] else used | {column}
    return (*leaf, column, test.limit, {side: _grow(some, rules, further) for side, some in test.sides.items()})


def _best(tests: dict[int, Test], rules: Rules) -> int | None:
    counted = [test.gain for c, test in tests.items() if not rules.many[c] or all(rules.many)]
    least = sum(counted) / len(counted) - TOLERANCE if counted else inf
    chosen, highest = None, 0.0
    for column, test in sorted(tests.items()):
        if test.gain >= least and test.information > TOLERANCE:
            ratio = test.gain / test.information
            if ratio > highest + ROUNDING:
                chosen, highest = column, ratio
    return chosen


def _test(cases: list[Case], column: int, rules: Rules) -> Test | None:
    return _cut(cases, column, rules) if rules.numeric[column] else _branches(cases, column, rules)


def _branches(cases: list[Case], column: int, rules: Rules) -> Test | None:
    sides = parted(cases, lambda case: case.cells[column])
    if sum(weight(some) >= rules.fewest for some in sides.values()) < 2:
        return None
    sizes = [weight(some) for some in sides.values()]
    return Test(gain_of(cases, list(sides.values())), entropy(sizes), -1, sides)


def _cut(cases: list[Case], column: int, rules: Rules) -> Test | None:
    known = [case for case in cases if not isnan(case.cells[column])]
    numbers = sorted({case.cells[column] for case in known})
    least = min(max(0.1 * weight(known) / rules.classes, rules.fewest), max(25, rules.fewest))
    tried = []
    for low, high in pairwise(numbers):
        sides = parted(known, lambda case, low=low: case.cells[column] > low)
        if min(weight(some) for some in sides.values()) >= least:
            tried.append((gain_of(known, list(sides.values())), (low + high) / 2, sides))
    if not tried:
        return None
    best = tried[0]
    for other in tried[1:]:
        if other[0] > best[0] + ROUNDING:
            best = other
    gain, middle, sides = best
    total, share = weight(cases), weight(known) / weight(cases)
    information = entropy([weight(sides[False]), weight(sides[True]), total - weight(known)])
    heavy = weight(sides[True]) > weight(sides[False])
    unknown = [case for case in cases if isnan(case.cells[column])]
    whole = {side: some + (unknown if side is heavy else []) for side, some in sides.items()}
    limit = max(number for number in rules.numbers[column] if number <= middle)
    return Test(share * gain - log2(len(tried)) / total, information, limit, whole)


def pruned(node: Any, confidence: float) -> Any:
    """The tree with collapsed and pruned branches."""
    return _pruned(_collapsed(node)[0], confidence)[0]


def _collapsed(node: Any) -> tuple[Any, float]:
    if len(node) == 3:
        return node, node[2]
    below = {side: _collapsed(child) for side, child in node[5].items()}
    errors = sum(wrong for _, wrong in below.values())
    if errors >= node[2] - TOLERANCE:
        return node[:3], node[2]
    return (*node[:5], {side: child for side, (child, _) in below.items()}), errors


def _pruned(node: Any, confidence: float) -> tuple[Any, float]:
    as_leaf = node[2] + added(node[1], node[2], confidence)
    if len(node) == 3:
        return node, as_leaf
    below = {side: _pruned(child, confidence) for side, child in node[5].items()}
    errors = sum(estimate for _, estimate in below.values())
    if as_leaf <= errors + 0.1:
        return node[:3], as_leaf
    return (*node[:5], {side: child for side, (child, _) in below.items()}), errors


def added(cases: float, wrong: float, confidence: float) -> float:
    """Expected further errors, case by case."""
    if wrong < 1e-6:
        return cases * (1 - exp(log(confidence) / cases))
    if wrong < 0.9999:
        none = added(cases, 0, confidence)
        return none + wrong * (added(cases, 1, confidence) - none)
    if wrong + 0.5 >= cases:
        return 0.67 * (cases - wrong)
    square = deviate(confidence) ** 2
    seen = wrong + 0.5
    share = (seen + square / 2 + sqrt(square * (seen * (1 - seen / cases) + square / 4))) / (cases + square)
    return cases * share - wrong


def deviate(confidence: float) -> float:
    """Between the tabulated deviates on either side."""
    table = [(0, 4.0), (0.001, 3.09), (0.005, 2.58), (0.01, 2.33), (0.05, 1.65), (0.1, 1.28), (0.2, 0.84), (0.4, 0.25)]
    table.append((1.0, 0.0))
    for (low, high_deviate), (high, low_deviate) in pairwise(table):
        if low <= confidence <= high:
            return high_deviate + (low_deviate - high_deviate) * (confidence - low) / (high - low)
    raise ValueError(confidence)


def predicted(node: Any, cells: tuple[Any, ...], numeric: tuple[bool, ...]) -> int:
    """The class of one record."""
    while len(node) > 3:
        cell, children = cells[node[3]], node[5]
        if numeric[node[3]]:
            side = children[True][1] > children[False][1] if isnan(cell) else cell > node[4]
            node = children[side]
        elif cell in children:
            node = children[cell]
        else:
            break
    return node[0]


def entropy(sizes: list[float]) -> float:
    """In bits."""
    total = sum(sizes)
    return -sum(size / total * log2(size / total) for size in sizes if size > 0)


def gain_of(cases: list[Case], parts: list[list[Case]]) -> float:
    """By how much the parts lower the entropy of the class."""
    after = sum(weight(part) * class_entropy(part) for part in parts) / weight(cases)
    return class_entropy(cases) - after


def class_entropy(cases: list[Case]) -> float:
    """The entropy of the class among some cases."""
    return entropy(list(weights_by(cases, lambda case: case.label).values()))


def weight(cases: list[Case]) -> float:
    """How much the cases weigh together."""
    return sum(case.weight for case in cases)


def weights_by(cases: list[Case], key: Any) -> dict[Any, float]:
    """How much the cases of each key weigh."""
    found: dict[Any, float] = defaultdict(float)
    for case in cases:
        found[key(case)] += case.weight
    return found


def parted(cases: list[Case], key: Any) -> dict[Any, list[Case]]:
    """The cases of each key."""
    found: dict[Any, list[Case]] = defaultdict(list)
    for case in cases:
        found[key(case)].append(case)
    return dict(found)
