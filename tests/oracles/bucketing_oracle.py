"""What choosing buckets means, record by record: conflicts, valid values, the paper's three phases, every partition."""

from itertools import permutations

import numpy as np


def in_conflict(records, one, other):
    """Same value, or one has a value that is ruled out for the other."""
    mine, yours = records.value[one], records.value[other]
    exclusion, ruled_out = records.exclusion, records.ruled_out
    return bool(mine == yours or ruled_out[exclusion[one], yours] or ruled_out[exclusion[other], mine])


def incompatible_tuples(records, group, waiting):
    """How many of the waiting records are in conflict with a member of a group."""
    return sum(any(in_conflict(records, member, other) for member in group) for other in waiting)


def can_have(records, record, value):
    return not records.ruled_out[records.exclusion[record], value]


def valid_values(records, group):
    """For every member the values it has in some way of giving out the group's values that rules nobody out."""
    values = [int(records.value[member]) for member in group]
    found = [set() for _ in group]
    for given in set(permutations(values)):
        if all(can_have(records, member, value) for member, value in zip(group, given, strict=True)):
            for place, value in enumerate(given):
                found[place].add(value)
    return found


def possible(records, l):
    """Records that can have their own value and l of the values of such records; the others are left out."""
    inside = [record for record in range(len(records)) if can_have(records, record, records.value[record])]
    while True:
        there = {int(records.value[record]) for record in inside}
        kept = [record for record in inside if sum(can_have(records, record, value) for value in there) >= l]
        if kept == inside:
            return inside
        inside = kept


def draw_plainly(records, l):
    """The first two phases: the groups, and the records left over in the order in which they join."""
    waiting, groups, aside = possible(records, l), [], []
    while len(waiting) >= l:
        seed = max(waiting, key=lambda record: (incompatible_tuples(records, [record], waiting), -record))
        group, others = [seed], [record for record in waiting if record != seed]
        while len(group) < l:
            going = [record for record in others if not any(in_conflict(records, record, member) for member in group)]
            if not going:
                break
            best = min(going, key=lambda record: (incompatible_tuples(records, [*group, record], others), record))
            group.append(best)
            others.remove(best)
        if len(group) == l:
            groups.append(group)
            waiting = others
        else:
            aside.append(seed)
            waiting = [record for record in waiting if record != seed]
    return groups, aside + waiting


def three_phases_plainly(records, l):
    """The groups of records that the paper's algorithm ends with."""
    groups, rest = draw_plainly(records, l)
    if not groups:
        return largest_bucket(records, rest, l)
    fine = True
    for record in rest:
        conflicts = [sum(in_conflict(records, record, member) for member in group) for group in groups]
        group = groups[min(range(len(groups)), key=lambda at: (conflicts[at], len(groups[at]), at))]
        group.append(record)
        while len(valid_values(records, group)[group.index(record)]) < l:
            others = [other for other in groups if other is not group]
            if not others:
                fine = False
                break
            mine = {records.value[member] for member in group}
            best = max(others, key=lambda other: len({records.value[member] for member in other} - mine))
            group.extend(best)
            groups = [other for other in groups if other is not best]
    return sorted(sorted(group) for group in groups) if fine else largest_bucket(records, groups[0], l)


def largest_bucket(records, group, l):
    """The group without those who have fewer than l valid values, as often as it takes."""
    while group:
        valid = valid_values(records, group)
        kept = [member for member, values in zip(group, valid, strict=True) if len(values) >= l]
        if len(kept) == len(group):
            return [sorted(group)]
        group = kept
    return []


def members(buckets):
    """The records of every bucket, in order."""
    return [np.flatnonzero(buckets == bucket).tolist() for bucket in range(int(buckets.max(initial=-1)) + 1)]


def all_go_together(records, group):
    return not any(in_conflict(records, one, other) for one in group for other in group if one < other)


def partitions(items):
    """Every way of sharing out items among groups."""
    if not items:
        yield []
        return
    first, *rest = items
    for smaller in partitions(rest):
        yield [[first], *smaller]
        for place, group in enumerate(smaller):
            yield [*smaller[:place], [first, *group], *smaller[place + 1 :]]


def can_be_shared_out(records, l):
    """Whether all records can be put into buckets of at least l that all go together."""
    everyone = list(range(len(records)))
    return any(
        all(len(group) >= l and all_go_together(records, group) for group in groups) for groups in partitions(everyone)
    )
