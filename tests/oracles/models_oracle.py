"""Slow, obvious twins of the privacy models, on plain lists of sensitive values and in exact fractions.

A group is a list with the sensitive value of every record; None is a missing value and a value like any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import exp, log, prod

import numpy as np

from sfumato.data.table import Table

Value = str | None
Group = Sequence[Value]
Pairs = set[tuple[str, Value]]
Distance = Callable[[Value, Value], Fraction]


def records_of(table: Table) -> list[dict[str, Value]]:
    """Every record of a table as texts, one after the other."""
    return [
        {name: table.domain(name).texts[table.codes[name][row]] for name in table.codes}
        for row in range(len(table))
        for _ in range(table.counts[row])
    ]


def groups_of(table: Table, labels: Sequence[int], column: str) -> list[list[Value]]:
    """The values of a column in every group of a table's rows."""
    found: list[list[Value]] = [[] for _ in range(max(labels) + 1)]
    for row, label in enumerate(labels):
        found[label] += [table.domain(column).texts[table.codes[column][row]]] * int(table.counts[row])
    return found


def k_anonymity(group: Group, k: int) -> bool:
    return len(group) >= k


def distinct_l_diversity(group: Group, l: int) -> bool:
    return len(set(group)) >= l


def entropy_l_diversity(group: Group, l: Fraction) -> bool:
    """exp(H) >= l is n^n >= l^n times the product of c^c: whole numbers, no logarithm."""
    n = len(group)
    return Fraction(n) ** n >= l**n * prod(often**often for often in Counter(group).values())


def entropy_level(group: Group) -> float:
    shares = [often / len(group) for often in Counter(group).values()]
    return exp(-sum(share * log(share) for share in shares))


def recursive_c_l_diversity(group: Group, c: Fraction, l: int, strict: bool = True) -> bool:
    often = sorted(Counter(group).values(), reverse=True)
    rest = c * sum(often[l - 1 :])
    return often[0] < rest if strict else often[0] <= rest


def share(group: Group, value: Value) -> Fraction:
    return Fraction(list(group).count(value), len(group))


def confidence_bounding(group: Group, h: Fraction, value: Value, every: bool = True) -> bool:
    return all(share(group, other) <= h for other in (set(group) if every else {value}))


def alpha_k_anonymity(group: Group, alpha: Fraction, k: int) -> bool:
    return len(group) >= k and confidence_bounding(group, alpha, None)


def equal_distance(group: Group, whole: Group) -> Fraction:
    return sum((abs(share(group, value) - share(whole, value)) for value in set(whole)), Fraction(0)) / 2


def ordered_distance(group: Group, whole: Group, order: Sequence[Value]) -> Fraction:
    """Every value of the order in turn: how far apart the shares of all values up to it are."""
    order = [value for value in order if value in whole]
    apart = Fraction(0)
    for place in range(len(order)):
        upto = order[: place + 1]
        apart += abs(sum((share(group, value) - share(whole, value) for value in upto), Fraction(0)))
    return apart / max(len(order) - 1, 1)


def hierarchical_distance(group: Group, whole: Group, paths: Mapping[Value, Sequence[str]]) -> Fraction:
    """The paper's recursion over a tree: at every node, the mass its children can settle among themselves.

    `paths[value]` names the nodes from the value to the root, one a level. cost(N) = height(N) / H * min(surplus of its
    children, lack of its children); the height of a node is the lowest level it is on.
    """
    height = len(next(iter(paths.values()))) - 1
    extra: Counter[tuple[int, str]] = Counter()
    children: dict[tuple[int, str], set[tuple[int, str]]] = {}
    for value, path in paths.items():
        steps = [(path.index(name), name) for name in dict.fromkeys(path)]
        for below, node in zip([None, *steps], steps, strict=False):
            extra[node] += share(group, value) - share(whole, value)
            if below is not None:
                children.setdefault(node, set()).add(below)
    total = Fraction(0)
    for (level, _), below in children.items():
        surplus = sum((max(extra[child], Fraction(0)) for child in below), Fraction(0))
        lack = sum((max(-extra[child], Fraction(0)) for child in below), Fraction(0))
        total += Fraction(level, max(height, 1)) * min(surplus, lack)
    return total


def earth_movers_distance(group: Group, whole: Group, distance: Distance) -> float:
    """The definition itself, as a linear program: the cheapest way to carry one distribution into the other."""
    from scipy.optimize import linprog

    values = list(dict.fromkeys(whole))
    cost = np.array([[float(distance(one, other)) for other in values] for one in values])
    size = len(values)
    leaves = np.kron(np.eye(size), np.ones(size))
    arrives = np.kron(np.ones(size), np.eye(size))
    supply = [float(share(group, value)) for value in values] + [float(share(whole, value)) for value in values]
    solved = linprog(cost.ravel(), A_eq=np.vstack([leaves, arrives]), b_eq=supply, method="highs")
    return float(solved.fun)


def distance_by_persons(group: Pairs, whole: Pairs, moved: Fraction, distance: Distance) -> Fraction:
    """The distance of a group in which persons may have several values, given as pairs of person and value.

    `moved` is the earth mover's distance of all their values. Besides, for every value, how far the persons of the
    group are from it on average is compared with how far all persons are.
    """
    apart = [abs(mean_distance(group, value, distance) - mean_distance(whole, value, distance)) for _, value in whole]
    return max(moved, *apart)


def mean_distance(pairs: Pairs, value: Value, distance: Distance) -> Fraction:
    """0 for every person who has the value, and for every other person the mean distance of all other values."""
    persons, having = {one for one, _ in pairs}, {one for one, found in pairs if found == value}
    others = [distance(found, value) for _, found in pairs if found != value]
    mean = sum(others, Fraction(0)) / max(len(others), 1)
    return sum((Fraction(0) if one in having else mean for one in persons), Fraction(0)) / len(persons)


def steps_apart(order: Sequence[Value]) -> Distance:
    """Ordered ground distance: steps between two values over the most there can be."""
    place = {value: index for index, value in enumerate(order)}
    return lambda one, other: Fraction(abs(place[one] - place[other]), max(len(order) - 1, 1))


def climb_apart(paths: Mapping[Value, Sequence[str]]) -> Distance:
    """Hierarchical ground distance: levels to climb until both are the same, over the height of the tree."""

    def distance(one: Value, other: Value) -> Fraction:
        meet = next(
            level for level, pair in enumerate(zip(paths[one], paths[other], strict=True)) if pair[0] == pair[1]
        )
        return Fraction(meet, max(len(paths[one]) - 1, 1))

    return distance


def paths_of(table: Table, column: str) -> dict[Value, list[str]]:
    """The nodes over every value of a column that has a taxonomy."""
    rows = table.taxonomies[column].level_rows()
    return dict(zip(table.domain(column).texts, rows, strict=True))
