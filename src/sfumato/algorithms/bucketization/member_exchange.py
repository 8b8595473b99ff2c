"""Places the records that a first choice of buckets left over, by exchanging them for members.

Remaining records form new buckets, if necessary with members of other buckets for which they stand in, or join an
existing bucket.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.records import Records

if TYPE_CHECKING:
    from sfumato.algorithms.bucketization.loops.member_exchange import SensitiveValues

TRADES = 30
"""How often a record without room may replace a member, which then needs room itself."""

LOOKS = 1_000_000
"""Number of buckets searched for exchanges, in addition to one per record."""


def place_by_exchange(records: Records, l: int, buckets: NDArray[np.int32]) -> NDArray[np.int32]:
    """The same buckets with the records at -1 placed where possible; each bucket keeps at least l compatible members.

    All given buckets must have at least l members, which are compatible. A record at -1 in the result found no place.
    """
    from sfumato.algorithms.bucketization.loops.member_exchange import SensitiveValues, add_buckets

    free = np.flatnonzero((buckets < 0) & ~records.own_value_ruled_out).astype(np.int32)
    if len(free) == 0:
        return buckets
    sensitive = SensitiveValues(records.value, records.exclusion, records.ruled_out)
    members, sizes, full = _bucket_matrix(buckets, l, len(free))
    # `add_buckets` returns the members of a bucket that it cannot fill to the end of the list, which needs the room.
    free = np.concatenate((free, np.empty(l, dtype=np.int32)))
    looks = np.array([LOOKS + len(records)], dtype=np.int64)
    full, count = add_buckets(sensitive, members, sizes, full, free, len(free) - l, l, looks)
    _join_buckets(records, sensitive, members, sizes, full, free[:count], l)
    return _bucket_of_records(members[:full], sizes[:full], len(records))


def _join_buckets(
    records: Records,
    sensitive: SensitiveValues,
    members: NDArray[np.int32],
    sizes: NDArray[np.int32],
    full: int,
    free: NDArray[np.int32],
    l: int,
) -> None:
    """Let records join buckets; if a record finds no room, other records of its class are not tried."""
    from sfumato.algorithms.bucketization.loops.member_exchange import join

    hopeless = set()
    for record in free:
        kind = (records.value[record], records.exclusion[record])
        # `join` returns the record that is left without room, or
        # -1. After trades that can be another one than `record`.
        if kind not in hopeless and join(sensitive, members, sizes, full, record, l, TRADES) >= 0:
            hopeless.add(kind)


def _bucket_matrix(buckets: NDArray[np.int32], l: int, free: int) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """The members of each bucket in a row of a matrix, with room for more members and for more buckets."""
    from sfumato.algorithms.bucketization.loops.record_classes import sort_by_code

    placed = np.flatnonzero(buckets >= 0)
    taken = np.bincount(buckets[placed])
    starts = np.concatenate(([0], np.cumsum(taken))).astype(np.int64)
    placed = placed[sort_by_code(buckets[placed].view(np.uint32), starts)]
    sizes = np.concatenate((taken, np.zeros(free // l + 1, dtype=np.int64))).astype(np.int32)
    # The extra rows are for new buckets of l. The extra columns let records join until a bucket could be divided.
    members = np.full((len(sizes), max(2 * l, int(sizes.max()) + 1)), -1, dtype=np.int32)
    slot = np.arange(len(placed)) - np.repeat(starts[:-1], taken)
    members[buckets[placed], slot] = placed
    return members, sizes, len(taken)


def _bucket_of_records(members: NDArray[np.int32], sizes: NDArray[np.int32], records: int) -> NDArray[np.int32]:
    """The bucket of each record, from the members of each bucket."""
    found = np.full(records, -1, dtype=np.int32)
    taken = np.arange(members.shape[1]) < sizes[:, None]
    found[members[taken]] = np.nonzero(taken)[0]
    return found
