"""Assign the values of a group to its records so that no record gets a value that is ruled out for it.

Records with the same values ruled out form one class, so an assignment is a flow from classes to values: `open_[c]` is
the bit set of values that class c may have, and `flow[v, c]` is how many of its records get value v. A greedy pass
places most records; augmenting paths (Ford-Fulkerson with breadth-first search) place the rest. One path costs at most
classes times values steps, so groups with few classes are cheap however many records they have.
`loops/matching.py` is the caller.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bit_sets import Bits, has
from sfumato.kernels.compiled import compiled

Counts = NDArray[np.int64]

_NONE, _START = -1, -2


@compiled
def assign(open_: Bits, value_counts: Counts, class_counts: Counts, flow: Counts) -> bool:
    """Write an assignment into an empty flow; False if there is none.

    State: `room[v]` is how often value v is still available, `left[c]` how many records of class c have no value yet.
    """
    room, left = reduced_copy(value_counts, 0), reduced_copy(class_counts, 0)
    assign_greedily(open_, flow, room, left)
    trail = np.empty(len(room) + 2 * len(left), dtype=np.int64)
    for place in range(len(left)):
        # a path never takes a value away from a class without giving it another one, so `left` only falls
        while left[place] > 0:
            if not _augment(place, open_, flow, room, left, trail):
                return False
    return True


@compiled
def assign_greedily(open_: Bits, flow: Counts, room: Counts, left: Counts) -> None:
    """Assign values greedily: classes with the fewest choices first, and to each the values with the least demand.

    `room[v]` is how often value v is still available and `left[c]` how many records of class c have no value yet; both
    are updated. The flow is written only if it has a cell for every pair; callers that need only the counts pass an
    empty one.
    """
    many, who = len(room), len(left)
    # choices[c]: available values that class c may have; demand[v]: records that may have value v
    choices, demand = np.zeros(who, dtype=np.int64), np.zeros(many, dtype=np.int64)
    for place in range(who):
        for value in range(many):
            if has(open_[place], value):
                choices[place] += room[value]
                demand[value] += left[place]
    # values that few records may have are used up first, so that the others remain for classes with more choices
    by_demand = ascending_order(demand)
    written = flow.size == many * who
    for place in ascending_order(choices):
        for value in by_demand:
            if left[place] == 0:
                break
            if room[value] > 0 and has(open_[place], value):
                given = min(left[place], room[value])
                room[value] -= given
                left[place] -= given
                if written:
                    flow[value, place] += given


@compiled
def _augment(source: int, open_: Bits, flow: Counts, room: Counts, left: Counts, trail: Counts) -> bool:
    """Place records of one class along an augmenting path; False if there is none.

    The breadth-first search goes from a class to each value it may have, and from a value to the classes that have it
    now. `trail` is scratch memory for three arrays: `taker[v]` is the class from which value v was reached, `giver[c]`
    the value from which class c was reached, and `queue` the classes still to be visited.
    """
    many, who = len(room), len(left)
    taker, giver, queue = trail[:many], trail[many : many + who], trail[many + who :]
    for at in range(many + who):
        trail[at] = _NONE
    giver[source], queue[0] = _START, source
    head, tail = 0, 1
    while head < tail:
        place = queue[head]
        head += 1
        for value in range(many):
            # every value is reached once, by the first class that may have it
            if taker[value] != _NONE or not has(open_[place], value):
                continue
            taker[value] = place
            if room[value] > 0:
                _move_along_path(value, source, taker, giver, flow, room, left)
                return True
            # the value is used up: a class that has it now could give it up for another value
            for other in range(who):
                if flow[value, other] > 0 and giver[other] == _NONE:
                    giver[other] = value
                    queue[tail] = other
                    tail += 1
    return False


@compiled
def _move_along_path(
    last: int, source: int, taker: Counts, giver: Counts, flow: Counts, room: Counts, left: Counts
) -> None:
    """Walk the path back from its last value and move as many records along it as every step allows."""
    # first pass: the number of records that every step of the path can pass on; second pass: pass them on
    moved = min(room[last], left[source])
    place = taker[last]
    while place != source:
        moved = min(moved, flow[giver[place], place])
        place = taker[giver[place]]
    room[last] -= moved
    left[source] -= moved
    value, place = last, taker[last]
    flow[value, place] += moved
    while place != source:
        value = giver[place]
        # the class gives up the value from which it was reached, and the class before it on the path takes that value
        flow[value, place] -= moved
        place = taker[value]
        flow[value, place] += moved


@compiled
def ascending_order(keys: Counts) -> Counts:
    """The indices that sort the keys: a Shell sort, which compiles much faster than `np.argsort`."""
    order, stride = np.arange(len(keys)), 1
    while 3 * stride < len(keys):
        stride = 3 * stride + 1
    while stride > 0:
        for last in range(stride, len(keys)):
            moving, at = order[last], last
            while at >= stride and keys[order[at - stride]] > keys[moving]:
                order[at] = order[at - stride]
                at -= stride
            order[at] = moving
        stride //= 3
    return order


@compiled
def reduced_copy(counts: Counts, by: int) -> Counts:
    """A copy of the counts, each reduced by the same number."""
    made = np.empty(len(counts), dtype=np.int64)
    for place in range(len(counts)):
        made[place] = counts[place] - by
    return made
