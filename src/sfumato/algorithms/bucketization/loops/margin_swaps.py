"""Loops of `margin_swaps`: records of the same sensitive value swap buckets where this improves the margins.

A bucket has slots, and each slot keeps its sensitive value; only the record that holds it changes. A recipient assumes
that a member of a bucket has each of its values with equal probability. The sum over the records with a code of a view
is the margin that the recipient reconstructs; `errors` is its deviation from the true margin, with a row per code. A
swap changes few cells of `errors`, so its gain is computed from these alone: O(views * bucket size) per attempt.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.arrays import Flags
from sfumato.kernels.compiled import compiled

Codes = NDArray[np.int32]
Places = NDArray[np.int64]
Numbers = NDArray[np.float64]
Draws = NDArray[np.uint32]


class BucketSlots(NamedTuple):
    """Slots in the order of their buckets: bucket b has the slots from `starts[b]` to `starts[b + 1]`.

    `bucket` and `value` belong to each slot, `holder` is the record in it. `pool[first[v] : first[v + 1]]` are the
    slots of value v.
    """

    starts: Places
    bucket: Codes
    value: Codes
    holder: Codes
    pool: Codes
    first: Places


class Views(NamedTuple):
    """`codes` has a row per record and a column per view; different views have different codes.

    `kind` is the column of the margins in which each value is counted; rare values may share one.
    """

    codes: Codes
    kind: Codes


@compiled
def margin_errors(slots: BucketSlots, views: Views, cells: int, kinds: int) -> Numbers:
    """The deviation of each reconstructed margin from the true one: a row per code, a column per kind of value."""
    errors = np.zeros((cells, kinds))
    for slot in range(len(slots.holder)):
        begin, end = slots.starts[slots.bucket[slot]], slots.starts[slots.bucket[slot] + 1]
        share = 1.0 / (end - begin)
        for view in range(views.codes.shape[1]):
            row = views.codes[slots.holder[slot], view]
            # the true margin counts the record under its own value, the reconstructed one a share under each value of
            # the bucket
            errors[row, views.kind[slots.value[slot]]] -= 1.0
            for other in range(begin, end):
                errors[row, views.kind[slots.value[other]]] += share
    return errors


@compiled
def difference(
    slots: BucketSlots, views: Views, one: int, other: int, change: Numbers, kinds: Codes, listed: Flags
) -> int:
    """The change to the margins, by kind of value, if a record moves from bucket `one` to bucket `other`.

    `change` receives the change. The kinds with a change are written to the start of `kinds`; returns their number.
    `change` must be zero before the call, and the caller resets it afterwards; `listed` is false before and after the
    call.
    """
    # shares of the old bucket count negative, those of the new one positive, and a kind in both is listed once
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
        # kinds that both buckets have in equal shares do not change
        if abs(change[kind]) > 1e-12:
            kinds[kept] = kind
            kept += 1
        else:
            change[kind] = 0.0
    return kept


@compiled
def gain(errors: Numbers, here: Codes, there: Codes, change: Numbers, kinds: Codes, count: int) -> float:
    """The decrease of half the squared errors if two records, given by their codes, swap places.

    One record adds `change` to the errors of its code and the other one subtracts it from those of its code, in each
    view where the codes differ.
    """
    total = 0.0
    for view in range(len(here)):
        # with equal codes both changes fall on the same cells and cancel out
        row, other = here[view], there[view]
        if row != other:
            for place in range(count):
                kind = kinds[place]
                total -= change[kind] * (errors[row, kind] - errors[other, kind] + change[kind])
    return total


@compiled
def allowed(slots: BucketSlots, exclusion: Codes, ruled_out: Flags, bucket: int, record: int) -> bool:
    """Whether no value of a bucket is ruled out for a record."""
    for slot in range(slots.starts[bucket], slots.starts[bucket + 1]):
        if ruled_out[exclusion[record], slots.value[slot]]:
            return False
    return True


@compiled
def exchange_holders(slots: BucketSlots, views: Views, errors: Numbers, one: int, other: int, change: Numbers,
                     kinds: Codes, count: int) -> None:  # fmt: skip
    """Swap the holders of two slots and update the errors."""
    here, there = slots.holder[one], slots.holder[other]
    for view in range(views.codes.shape[1]):
        row, further = views.codes[here, view], views.codes[there, view]
        for place in range(count):
            errors[row, kinds[place]] += change[kinds[place]]
            errors[further, kinds[place]] -= change[kinds[place]]
    slots.holder[one], slots.holder[other] = there, here


@compiled
def swap_round(
    slots: BucketSlots, views: Views, exclusion: Codes, ruled_out: Flags, errors: Numbers, draws: Draws
) -> float:
    """Try one swap per row of draws, and make it if it lowers the squared errors and is allowed.

    The first draw selects a slot, the second another slot of the same value. Returns the decrease of the squared
    errors.
    """
    change, kinds = np.zeros(errors.shape[1]), np.empty(errors.shape[1], dtype=np.int32)
    listed, total = np.zeros(errors.shape[1], dtype=np.bool_), 0.0
    for turn in range(len(draws)):
        # a multiplication and a shift turn a 32-bit draw into a slot, without a division
        one = int(draws[turn, 0]) * len(slots.holder) >> 32
        begin, end = slots.first[slots.value[one]], slots.first[slots.value[one] + 1]
        other = slots.pool[begin + (int(draws[turn, 1]) * (end - begin) >> 32)]
        # both slots have the same value, so each record keeps its own and only its bucket changes
        old, fresh = slots.bucket[one], slots.bucket[other]
        if old == fresh:
            continue
        here, there = slots.holder[one], slots.holder[other]
        count = difference(slots, views, old, fresh, change, kinds, listed)
        gained = gain(errors, views.codes[here], views.codes[there], change, kinds, count)
        # records with the same excluded set can always swap, because the values of both buckets are allowed for both
        if gained > 1e-9 and (
            exclusion[here] == exclusion[there]
            or (allowed(slots, exclusion, ruled_out, old, there) and allowed(slots, exclusion, ruled_out, fresh, here))
        ):
            exchange_holders(slots, views, errors, one, other, change, kinds, count)
            total += 2.0 * gained
        # back to zero at the cost of the kinds that were used, not of all
        for place in range(count):
            change[kinds[place]] = 0.0
    return total
