"""Which bucket every record goes to, and in which order a bucket publishes the values that were torn off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.labels import Labels
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.recodings.recoding import Applied, Applier, GroupRecoding, Recoding
from sfumato.runtime.secret_random import randomness

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class BucketRecoding(Recoding):
    """Cuts links: a record keeps the values of the first block, and gets those of other blocks from its bucket.

    The n-th record of bucket b gets the n-th of the codes `moved[column][starts[b]:starts[b + 1]]`. Their order follows
    from the values in the bucket and from the seed, never from who had which. Where the torn-off columns are published
    in a table of their own (`apart`), a record gets none of them, only the number of its bucket. `order` is the seed by
    which records are shuffled when they are written: as they came, their order might tell what they had.
    """

    buckets: Linkage
    assignment: GroupRecoding
    starts: NDArray[np.int64]
    moved: Mapping[str, Codes]
    labels: Mapping[str, Labels]
    apart: bool
    order: int | None = None
    reads: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reads", self.assignment.reads)

    @property
    def linkage(self) -> Linkage:
        """The blocks."""
        return self.buckets

    def shuffled(self, records: int) -> NDArray[np.int64]:
        """A random order, drawn anew every time unless there is a seed for it."""
        return randomness(self.order).permutation(records)

    @property
    def withheld(self) -> tuple[str, ...]:
        """The torn-off columns, if they have a table of their own."""
        return self.buckets.moved if self.apart else ()

    def torn(self, seen: Table) -> Table:
        """Records each with some values of its bucket, handed out in row order."""
        from sfumato.kernels.quotas import places

        if self.apart:
            return seen
        records = seen.rows_at(np.repeat(np.arange(len(seen)), seen.counts), np.ones(seen.records, dtype=np.int64))
        bucket, used = records.codes[self.buckets.column], np.zeros(len(self.starts) - 1, dtype=np.int64)
        place = self.starts[bucket] + places(bucket, np.zeros(len(bucket), dtype=bool), used)
        moved = {name: values[place] for name, values in self.moved.items()}
        return replace(records, codes=MappingProxyType({**records.codes, **moved}))

    def domain(self, column: str) -> Domain:
        """The values of a column by which a record is known."""
        return self.assignment.domain(column)

    def applier(self) -> Applier:
        """Records find their bucket by their combination, and their place in it by row order."""
        return _BucketApplier(self)

    def suppressing(self, labels: Mapping[str, Codes], groups: Codes | None = None) -> BucketRecoding:
        """Suppresses whole buckets."""
        return replace(self, assignment=self.assignment.suppressing(labels, groups))

    def summary(self) -> dict[str, Any]:
        """How many buckets there are, and which columns belong together."""
        kept = self.assignment.groups[self.assignment.groups >= 0]
        return {"kind": "buckets", "groups": len(np.unique(kept)), **self.buckets.to_dict(), "apart": self.apart}

    def to_dict(self) -> dict[str, Any]:
        """The bucket of every combination, and what every bucket publishes."""
        return {
            "kind": "buckets",
            "buckets": self.buckets.to_dict(),
            "assignment": self.assignment.to_dict(),
            "starts": self.starts.tolist(),
            "moved": {name: codes.tolist() for name, codes in self.moved.items()},
            "labels": {name: labels.to_dict() for name, labels in self.labels.items()},
            "apart": self.apart,
            "order": self.order,
        }

    @classmethod
    def of_dict(cls, plain: Mapping[str, Any]) -> BucketRecoding:
        """What `to_dict` told of."""
        assignment = Recoding.from_dict(plain["assignment"])
        return cls(
            buckets=Linkage.from_dict(plain["buckets"]),
            assignment=assignment,  # type: ignore[arg-type]  # told by `to_dict`
            starts=np.array(plain["starts"], dtype=np.int64),
            moved={name: np.array(codes, dtype=np.int32) for name, codes in plain["moved"].items()},
            labels={name: Labels.from_dict(told) for name, told in plain["labels"].items()},
            apart=plain["apart"],
            order=plain["order"],
        )


class _BucketApplier(Applier):
    def __init__(self, recoding: BucketRecoding) -> None:
        self._recoding, self._assigned = recoding, recoding.assignment.applier()
        self._used = np.zeros(len(recoding.starts) - 1, dtype=np.int64)

    def __call__(self, codes: Mapping[str, Codes]) -> Applied:
        from sfumato.kernels.quotas import places

        applied = self._assigned(codes)
        bucket = applied.labels[self._recoding.buckets.column]
        if self._recoding.apart:
            return applied
        place = self._recoding.starts[bucket] + places(bucket, applied.suppressed, self._used)
        place = np.where(applied.suppressed, 0, place)
        labels = {name: values[place] for name, values in self._recoding.moved.items()}
        return Applied({**applied.labels, **labels}, applied.suppressed)
