"""Loops of `group_merging`: remaining records join groups, and groups merge until l values are valid.

A group is a linked list of nodes, one per class in it, so that merging two groups moves nodes and copies no records.
Comparing a record with a group costs one step per class in the group, whatever the number of records. The search for a
group continues where the last search for the same class stopped; a merger looks at the nodes of all groups once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.arrays import Flags
from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]

LARGE, NOTHING = 2**31, 2**62


class Chains(NamedTuple):
    """Groups as linked lists of nodes."""

    value: Codes
    """Class: its sensitive value."""
    exclusion: Codes
    """Class: the number of its excluded set."""
    ruled_out: Flags
    """Excluded set, value: whether the set rules out the value."""
    head: Codes
    """Group: its first node; -1 for a group that was merged into another."""
    of: Codes
    """Node: its class."""
    records: Codes
    """Node: the number of records of this class in the group."""
    after: Codes
    """Node: the next node of the group, or -1."""
    nodes: Counts
    """The number of nodes in use (one entry)."""


@compiled
def count_valid(members: Codes, value: Codes, exclusion: Codes, ruled_out: Flags, chosen: int) -> int:
    """The number of values of a group that are valid for one of its classes, given the classes in the group.

    A value is valid for a record if all members can swap values such that the record has this value. All members can
    have their own value, so it suffices that a cycle exists in which each member can have the value of the next. The
    search goes backwards from the value of the class (breadth-first) and visits each value once: O(values * members).
    """
    reached, seen = np.zeros(len(members), dtype=np.bool_), np.zeros(ruled_out.shape[1], dtype=np.bool_)
    # `waiting` is a queue of values; a member is reached if it can have one of them
    waiting = np.empty(ruled_out.shape[1], dtype=np.int64)
    waiting[0], done, found = value[chosen], 0, 1
    seen[value[chosen]] = True
    while done < found:
        for place in range(len(members)):
            member = members[place]
            # this member could take the waiting value, so its own value can go to another record
            if not reached[place] and not ruled_out[exclusion[member], waiting[done]]:
                reached[place] = True
                if not seen[value[member]]:
                    seen[value[member]], waiting[found] = True, value[member]
                    found += 1
        done += 1
    # a value is valid if a reached member has it and it is not ruled out for the class
    seen[:] = False
    for place in range(len(members)):
        here = value[members[place]]
        if reached[place] and not ruled_out[exclusion[chosen], here]:
            seen[here] = True
    return int(seen.sum())


@compiled
def members_of(chains: Chains, group: int) -> Codes:
    """The classes in a group."""
    found, node = 0, chains.head[group]
    while node >= 0:
        found, node = found + 1, chains.after[node]
    members = np.empty(found, dtype=np.int32)
    found, node = 0, chains.head[group]
    while node >= 0:
        members[found] = chains.of[node]
        found, node = found + 1, chains.after[node]
    return members


@compiled
def node_of(chains: Chains, group: int, chosen: int) -> int:
    """The node of a class in a group, or -1."""
    node = chains.head[group]
    while node >= 0 and chains.of[node] != chosen:
        node = chains.after[node]
    return int(node)


@compiled
def add_record(chains: Chains, group: int, chosen: int) -> None:
    """Add a record of a class to a group."""
    node = node_of(chains, group, chosen)
    if node < 0:
        node = chains.nodes[0]
        chains.nodes[0] += 1
        chains.of[node], chains.records[node], chains.after[node] = chosen, 0, chains.head[group]
        chains.head[group] = node
    chains.records[node] += 1


@compiled
def absorb(chains: Chains, group: int, other: int) -> None:
    """Merge group `other` into a group."""
    node = chains.head[other]
    chains.head[other] = -1
    while node >= 0:
        # noted before the node moves, because moving changes its link
        following = chains.after[node]
        # a class has one node in a group at most, so equal classes are added up and the old node is dropped
        mine = node_of(chains, group, chains.of[node])
        if mine >= 0:
            chains.records[mine] += chains.records[node]
        else:
            chains.after[node] = chains.head[group]
            chains.head[group] = node
        node = following


@compiled
def conflict_rank(chains: Chains, group: int, chosen: int) -> int:
    """A rank of a group for a class: first by the number of records in conflict with the class, then by size.

    Both are packed into one integer, so that ranks are compared at once.
    """
    total, size, node = 0, 0, chains.head[group]
    mine, exclusion = chains.value[chosen], chains.exclusion[chosen]
    while node >= 0:
        # a conflict: the same value, or one value is ruled out for the other class
        here = chains.value[chains.of[node]]
        if (
            here == mine
            or chains.ruled_out[exclusion, here]
            or chains.ruled_out[chains.exclusion[chains.of[node]], mine]
        ):
            total += chains.records[node]
        size += chains.records[node]
        node = chains.after[node]
    return total * LARGE + size


@compiled
def least_conflicting(chains: Chains, chosen: int, search: Counts) -> int:
    """The smallest group among those with the fewest records in conflict with a class; on ties the first.

    Ranks never fall, so the search continues where it stopped for this class: no group has a rank below `search[chosen,
    0]`, groups before `search[chosen, 1]` have a higher rank, and `search[chosen, 2]` is the lowest of those.
    """
    mine = search[chosen]
    while True:
        # look for a group with the lowest possible rank, from the position where the last search of this class stopped
        while mine[1] < len(chains.head):
            if chains.head[mine[1]] >= 0:
                found = conflict_rank(chains, mine[1], chosen)
                if found == mine[0]:
                    return int(mine[1])
                mine[2] = min(mine[2], found)
            mine[1] += 1
        # no group has that rank: start again with the lowest rank that was seen
        mine[0], mine[1], mine[2] = mine[2], 0, NOTHING


@compiled
def most_different(chains: Chains, group: int) -> int:
    """The first of the groups with the most values that a group does not have; -1 if there is no other group.

    `seen[value]` is the last group in which the value was counted, or the number of groups if the group itself has it.
    """
    seen = np.full(chains.ruled_out.shape[1], -1, dtype=np.int64)
    for member in members_of(chains, group):
        seen[chains.value[member]] = len(chains.head)
    best, most = -1, -1
    for other in range(len(chains.head)):
        if other == group or chains.head[other] < 0:
            continue
        fresh, node = 0, chains.head[other]
        while node >= 0:
            value = chains.value[chains.of[node]]
            # a value that this group does not have and that was not yet counted for the other one
            if seen[value] != other and seen[value] != len(chains.head):
                seen[value] = other
                fresh += 1
            node = chains.after[node]
        if fresh > most:
            best, most = other, fresh
    return best


@compiled
def join_groups(chains: Chains, rest: Codes, l: int, joined_group: Codes, merged_into: Codes) -> bool:
    """Let records, given by their classes, join groups one after the other; there must be at least one group.

    `joined_group` receives the group of each record, `merged_into` the group into which each group merged, initially
    itself. Returns whether each record had l valid values after it joined.
    """
    # one search state per class, so that records of the same class continue where the last one stopped
    search = np.zeros((len(chains.value), 3), dtype=np.int64)
    search[:, 2] = NOTHING
    all_valid = True
    for turn in range(len(rest)):
        chosen = rest[turn]
        group = least_conflicting(chains, chosen, search)
        add_record(chains, group, chosen)
        joined_group[turn] = group
        # too few valid values: merge with the group that adds the most values, until there are enough
        while count_valid(members_of(chains, group), chains.value, chains.exclusion, chains.ruled_out, chosen) < l:
            other = most_different(chains, group)
            if other < 0:
                all_valid = False
                break
            absorb(chains, group, other)
            merged_into[other] = group
    return all_valid
