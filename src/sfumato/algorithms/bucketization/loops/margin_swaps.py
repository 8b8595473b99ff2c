"""Records of the same secret change buckets where that brings the margins nearer to those of the table.

Every bucket has slots, and every slot a value that it keeps; only who holds it changes. A recipient takes it that a
member of a bucket has each of its values with equal chance. Summed over records that share a code of a view, this is
the margin of the view that the recipient sees; `errors` has what is too much in it, one row a code.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Places = NDArray[np.int64]
Numbers = NDArray[np.float64]
Draws = NDArray[np.uint32]
Mask = NDArray[np.bool_]


class Slots(NamedTuple):
    """Slots in order of their buckets: bucket b has those from `starts[b]` up to `starts[b + 1]`.

    `bucket` and `value` are those of every slot, `holder` the record in it. `pool[first[v] : first[v + 1]]` are the
    slots of value v.
    """

    starts: Places
    bucket: Codes
    value: Codes
    holder: Codes
    pool: Codes
    first: Places


class Views(NamedTuple):
    """`codes` has a row a record and a column a view, codes of different views being different.

    `kind` is the column of the margins in which each value is counted; rare values may share one.
    """

    codes: Codes
    kind: Codes


@compiled
def margin_errors(slots: Slots, views: Views, cells: int, kinds: int) -> Numbers:
    """What is too much in every margin, one row a code and one column a kind of value."""
    errors = np.zeros((cells, kinds))
    for slot in range(len(slots.holder)):
        begin, end = slots.starts[slots.bucket[slot]], slots.starts[slots.bucket[slot] + 1]
        share = 1.0 / (end - begin)
        for view in range(views.codes.shape[1]):
            row = views.codes[slots.holder[slot], view]
            errors[row, views.kind[slots.value[slot]]] -= 1.0
            for other in range(begin, end):
                errors[row, views.kind[slots.value[other]]] += share
    return errors


@compiled
def difference(slots: Slots, views: Views, one: int, other: int, change: Numbers, kinds: Codes, listed: Mask) -> int:
    """What a record brings to its row when it leaves a bucket for another: by kind of value in `change`.

    The kinds for which that is not zero come to the beginning of `kinds`; returns how many there are. `change` has
    zeros before, and must have again afterwards; nothing is `listed` before and afterwards.
    """
    found = 0
    for bucket in (one, other):
        begin, end = slots.starts[bucket], slots.starts[bucket + 1]
        share = (-1.0 if bucket == one else 1.0) / (end - begin)
        for slot in range(begin, end):
            kind = views.kind[slots.value[slot]]
            if not listed[kind]:
                listed[kind] = True
                kinds[found] = kind
                found += 1
            change[kind] += share
    kept = 0
    for place in range(found):
        kind = kinds[place]
        listed[kind] = False
        if abs(change[kind]) > 1e-12:
            kinds[kept] = kind
            kept += 1
        else:
            change[kind] = 0.0
    return kept


@compiled
def gain(errors: Numbers, here: Codes, there: Codes, change: Numbers, kinds: Codes, count: int) -> float:
    """By how much the squared errors fall when two records, given by their codes, change places."""
    total = 0.0
    for view in range(len(here)):
        row, other = here[view], there[view]
        if row != other:
            for place in range(count):
                kind = kinds[place]
                total -= change[kind] * (errors[row, kind] - errors[other, kind] + change[kind])
    return total


@compiled
def allowed(slots: Slots, barred: Codes, ruled_out: Mask, bucket: int, record: int) -> bool:
    """Whether no value of a bucket is ruled out for a record."""
    for slot in range(slots.starts[bucket], slots.starts[bucket + 1]):
        if ruled_out[barred[record], slots.value[slot]]:
            return False
    return True


@compiled
def exchange_holders(slots: Slots, views: Views, errors: Numbers, one: int, other: int, change: Numbers, kinds: Codes,
                     count: int) -> None:  # fmt: skip
    """Let the holders of two slots change places, and the errors follow."""
    here, there = slots.holder[one], slots.holder[other]
    for view in range(views.codes.shape[1]):
        row, further = views.codes[here, view], views.codes[there, view]
        for place in range(count):
            errors[row, kinds[place]] += change[kinds[place]]
            errors[further, kinds[place]] -= change[kinds[place]]
    slots.holder[one], slots.holder[other] = there, here


@compiled
def swap_round(slots: Slots, views: Views, barred: Codes, ruled_out: Mask, errors: Numbers, draws: Draws) -> float:
    """Try one exchange for every pair of draws, and make it where it lowers the squared errors and is allowed.

    The first draw chooses a slot, the second another one of the same value. Returns by how much the errors fell.
    """
    change, kinds = np.zeros(errors.shape[1]), np.empty(errors.shape[1], dtype=np.int32)
    listed, total = np.zeros(errors.shape[1], dtype=np.bool_), 0.0
    for turn in range(len(draws)):
        one = int(draws[turn, 0]) * len(slots.holder) >> 32
        begin, end = slots.first[slots.value[one]], slots.first[slots.value[one] + 1]
        other = slots.pool[begin + (int(draws[turn, 1]) * (end - begin) >> 32)]
        old, fresh = slots.bucket[one], slots.bucket[other]
        if old == fresh:
            continue
        here, there = slots.holder[one], slots.holder[other]
        count = difference(slots, views, old, fresh, change, kinds, listed)
        gained = gain(errors, views.codes[here], views.codes[there], change, kinds, count)
        if gained > 1e-9 and (
            barred[here] == barred[there]
            or (allowed(slots, barred, ruled_out, old, there) and allowed(slots, barred, ruled_out, fresh, here))
        ):
            exchange_holders(slots, views, errors, one, other, change, kinds, count)
            total += 2.0 * gained
        for place in range(count):
            change[kinds[place]] = 0.0
    return total
