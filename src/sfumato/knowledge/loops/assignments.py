"""Give every record of a group one of its values, nobody one that is ruled out for him.

Records for whom the same values are ruled out are one class, so an assignment is a flow from classes to values:
`open_[c]` is the set of values that class c may have, `flow[v, c]` how many of its records have value v.
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
    """Write an assignment into an empty flow; False if there is none."""
    room, left = less(value_counts, 0), less(class_counts, 0)
    hand_out(open_, flow, room, left)
    trail = np.empty(len(room) + 2 * len(left), dtype=np.int64)
    for place in range(len(left)):
        while left[place] > 0:
            if not _push(place, open_, flow, room, left, trail):
                return False
    return True


@compiled
def hand_out(open_: Bits, flow: Counts, room: Counts, left: Counts) -> None:
    """Give every class what there is, those with the fewest choices first, and the values that fewest want first.

    `room` is what is left of every value and `left` the records of every class without one. A flow without room for
    all pairs is not written.
    """
    many, who = len(room), len(left)
    choices, wanted = np.zeros(who, dtype=np.int64), np.zeros(many, dtype=np.int64)
    for place in range(who):
        for value in range(many):
            if has(open_[place], value):
                choices[place] += room[value]
                wanted[value] += left[place]
    by_wanted = ascending(wanted)
    written = flow.size == many * who
    for place in ascending(choices):
        for value in by_wanted:
            if left[place] == 0:
                break
            if room[value] > 0 and has(open_[place], value):
                given = min(left[place], room[value])
                room[value] -= given
                left[place] -= given
                if written:
                    flow[value, place] += given


@compiled
def _push(source: int, open_: Bits, flow: Counts, room: Counts, left: Counts, trail: Counts) -> bool:
    """Find a value for records of a class by letting others swap theirs; False if there is no way.

    The search goes from class to value where the value is open, and on to the classes that have it now. `trail` holds
    where each value and each class was reached from, and the classes that are still to be looked at.
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
            if taker[value] != _NONE or not has(open_[place], value):
                continue
            taker[value] = place
            if room[value] > 0:
                _swap(value, source, taker, giver, flow, room, left)
                return True
            for other in range(who):
                if flow[value, other] > 0 and giver[other] == _NONE:
                    giver[other] = value
                    queue[tail] = other
                    tail += 1
    return False


@compiled
def _swap(last: int, source: int, taker: Counts, giver: Counts, flow: Counts, room: Counts, left: Counts) -> None:
    """Walk the way back and move as many records along it as every step allows."""
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
        flow[value, place] -= moved
        place = taker[value]
        flow[value, place] += moved


@compiled
def ascending(keys: Counts) -> Counts:
    """The places of the keys from the smallest to the largest: sorted in strides, which compiles in no time."""
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
def less(counts: Counts, by: int) -> Counts:
    """A copy of the counts, every one of them less by the same number."""
    made = np.empty(len(counts), dtype=np.int64)
    for place in range(len(counts)):
        made[place] = counts[place] - by
    return made
