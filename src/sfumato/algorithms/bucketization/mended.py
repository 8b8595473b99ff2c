"""Records left over by a choice of buckets find their place: in buckets of their own, or as one more in another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.records import Records

if TYPE_CHECKING:
    from sfumato.algorithms.bucketization.loops.mending import Secrets

TRADES = 30
"""How often a record without room may take the place of a member, who then looks for room."""

LOOKS = 1_000_000
"""How many buckets are looked at for exchanges, and as many again as there are records."""


def mended(records: Records, l: int, buckets: NDArray[np.int32]) -> NDArray[np.int32]:
    """The same buckets with the records at -1 placed, where that can be found; exchanges keep every bucket of its kind.

    Every bucket must be of records that go together, at least l of them. A record that stands at -1 afterwards found no
    room.
    """
    from sfumato.algorithms.bucketization.loops.mending import Secrets, add_buckets

    free = np.flatnonzero((buckets < 0) & ~own_value_ruled_out(records)).astype(np.int32)
    if len(free) == 0:
        return buckets
    secrets = Secrets(records.value, records.barred, records.ruled_out)
    members, sizes, full = _laid_out(buckets, l, len(free))
    free = np.concatenate((free, np.empty(l, dtype=np.int32)))
    looks = np.array([LOOKS + len(records)], dtype=np.int64)
    full, count = add_buckets(secrets, members, sizes, full, free, len(free) - l, l, looks)
    _let_join(records, secrets, members, sizes, full, free[:count], l)
    return _numbered(members[:full], sizes[:full], len(records))


def _let_join(
    records: Records,
    secrets: Secrets,
    members: NDArray[np.int32],
    sizes: NDArray[np.int32],
    full: int,
    free: NDArray[np.int32],
    l: int,
) -> None:
    """Let records join buckets; where one finds no room, others of its kind do not look for it either."""
    from sfumato.algorithms.bucketization.loops.mending import join

    hopeless = set()
    for record in free:
        kind = (records.value[record], records.barred[record])
        if kind not in hopeless and join(secrets, members, sizes, full, record, l, TRADES) >= 0:
            hopeless.add(kind)


def own_value_ruled_out(records: Records) -> NDArray[np.bool_]:
    """Which records cannot have the value they have, so that no bucket is right for them."""
    return records.ruled_out[records.barred, records.value]


def _laid_out(buckets: NDArray[np.int32], l: int, free: int) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """Members of every bucket, one row each with room for more members, and rows for more buckets."""
    from sfumato.algorithms.bucketization.loops.secret_classes import in_order

    placed = np.flatnonzero(buckets >= 0)
    taken = np.bincount(buckets[placed])
    starts = np.concatenate(([0], np.cumsum(taken))).astype(np.int64)
    placed = placed[in_order(buckets[placed].view(np.uint32), starts)]
    sizes = np.concatenate((taken, np.zeros(free // l + 1, dtype=np.int64))).astype(np.int32)
    members = np.full((len(sizes), max(2 * l, int(sizes.max()) + 1)), -1, dtype=np.int32)
    slot = np.arange(len(placed)) - np.repeat(starts[:-1], taken)
    members[buckets[placed], slot] = placed
    return members, sizes, len(taken)


def _numbered(members: NDArray[np.int32], sizes: NDArray[np.int32], records: int) -> NDArray[np.int32]:
    found = np.full(records, -1, dtype=np.int32)
    taken = np.arange(members.shape[1]) < sizes[:, None]
    found[members[taken]] = np.nonzero(taken)[0]
    return found
