"""Slow, obvious ways to ask which values of a group are valid for each of its records.

A group is a list of records, each with the set of values that are ruled out for him, and a list of as many values in
any order. A value is valid for a record if some way to give everybody one of the values, nobody a value that is ruled
out for him, gives it to him.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from sfumato.data.table import Table
from sfumato.knowledge.matching import valid_values
from tests.oracles.models_oracle import Value, records_of

RuledOut = Sequence[set[Value]]


def by_enumeration(ruled_out: RuledOut, values: Sequence[Value]) -> list[set[Value]]:
    """The definition: look at every way to hand the values out."""
    found: list[set[Value]] = [set() for _ in values]
    for handed in set(permutations(values)):
        if all(value not in never for value, never in zip(handed, ruled_out, strict=True)):
            for mine, value in zip(found, handed, strict=True):
                mine.add(value)
    return found


def by_swapping(ruled_out: RuledOut, values: Sequence[Value]) -> list[set[Value]]:
    """Li and Li (2008), figure 1: give record i the value of record j, and see whether all others can still be served.

    As printed, nothing asks whether i may have that value, and his own value is rejected because no record leaves the
    group when i = j; both are mended. Values are taken to stand beside their own records.
    """
    found: list[set[Value]] = [set() for _ in values]
    for i, j in np.ndindex(len(values), len(values)):
        others = [place for place in range(len(values)) if place != i]
        left = [values[i] if place == j else values[place] for place in others]
        if values[j] not in ruled_out[i] and _all_served([ruled_out[place] for place in others], left):
            found[i].add(values[j])
    return found


def level_by_classes(ruled_out: RuledOut, values: Sequence[Value]) -> int:
    """The fewest valid values of any record of a group too large to list every way, by a largest flow."""
    different, often = zip(*Counter(values).items(), strict=True)
    classes, people = zip(*Counter(map(frozenset, ruled_out)).items(), strict=True)
    barred = np.array([[value in never for value in different] for never in classes])
    return int(valid_values(often, people, barred).sum(axis=1).min())


def never(record: dict[str, Value], rules: Sequence[tuple[dict[str, str], str]]) -> set[Value]:
    """The values that plain rules (what must be true of a record, and what it then never has) rule out for a record."""
    return {value for when, value in rules if all(record[name] == text for name, text in when.items())}


def ruled_out_of(table: Table, rules: Sequence[tuple[dict[str, str], str]]) -> list[set[Value]]:
    """The same for every record of a table, one after the other."""
    return [never(record, rules) for record in records_of(table)]


def _all_served(ruled_out: RuledOut, values: Sequence[Value]) -> bool:
    if not values:
        return True
    able = np.array([[value not in mine for value in values] for mine in ruled_out], dtype=np.int8)
    return bool((maximum_bipartite_matching(csr_array(able), perm_type="column") >= 0).all())
