"""Which bucket every record goes to, and in which order a bucket publishes the values that were torn off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.labels import Labels
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.errors import DataError
from sfumato.recodings.recoding import Applied, GroupRecoding, Numbered, Recoding
from sfumato.runtime.secret_random import randomness

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class BucketRecoding(Recoding):
    """Cuts links: a record keeps the values of the first block, and gets those of other blocks from its bucket.

    Bucket b publishes the codes `moved[column][starts[b]:starts[b + 1]]`. Their order follows from the values in the
    bucket and from random numbers, never from who had which. Every run of the assignment has places of its own in its
    bucket, so the value that a record gets follows from its combination and its ordinal. Where the columns that are cut
    off have a table of their own (`separate_table`), a record gets none of them, only the number of its bucket. `order` is the
    seed by which records are shuffled when they are written: their original order might reveal what they had.
    """

    buckets: Linkage
    assignment: GroupRecoding
    starts: NDArray[np.int64]
    moved: Mapping[str, Codes]
    labels: Mapping[str, Labels]
    separate_table: bool
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
    def separate_columns(self) -> tuple[str, ...]:
        """The torn-off columns, if they have a table of their own."""
        return self.buckets.moved if self.separate_table else ()

    def with_moved_values(self, rows: Table) -> Table:
        """Records each with some values of its bucket, handed out in row order."""
        from sfumato.kernels.quotas import number_equal

        if self.separate_table:
            return rows
        records = rows.rows_at(np.repeat(np.arange(len(rows)), rows.counts), np.ones(rows.records, dtype=np.int64))
        bucket, used = records.codes[self.buckets.column], np.zeros(len(self.starts) - 1, dtype=np.int64)
        place = self.starts[bucket] + number_equal(bucket, used)
        moved = {name: values[place] for name, values in self.moved.items()}
        return replace(records, codes=MappingProxyType({**records.codes, **moved}))

    def domain(self, column: str) -> Domain:
        """The values of a column by which a record is known."""
        return self.assignment.domain(column)

    def _apply(self, codes: Mapping[str, Codes], numbered: Numbered | None) -> Applied:
        """Records find their bucket by their combination, and their place in it by their ordinal."""
        runs = self.assignment.runs(codes, numbered)
        applied = self.assignment.publish_runs(runs)
        if self.separate_table or numbered is None:
            return applied
        ends, quotas = self.assignment.ends, self.assignment.quotas
        if (numbered.ordinal >= ends[runs]).any():
            raise DataError("there are more records than when it was decided; decide again on the data as it is now.")
        place = self._places[runs] + numbered.ordinal - (ends[runs] - quotas[runs])
        place = np.where(applied.suppressed, 0, place)
        moved = {name: values[place] for name, values in self.moved.items()}
        return Applied({**applied.labels, **moved}, applied.suppressed)

    @property
    def combinations(self) -> int:
        """All of them: equal records of a bucket get different values, unless those are in a table of their own."""
        return self.assignment.combinations if self.separate_table else len(self.assignment.starts) - 1

    def combination(self, codes: Mapping[str, Codes]) -> Codes:
        """As the buckets were assigned."""
        return self.assignment.combination(codes)

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Where in `moved` the places of each run begin: one run after the other inside every bucket."""
        bucket, quotas = self.assignment.groups.astype(np.int64), self.assignment.quotas
        order = np.argsort(bucket, kind="stable")
        before = np.cumsum(quotas[order]) - quotas[order]
        first = np.searchsorted(bucket[order], bucket[order])
        found = np.empty(len(bucket), dtype=np.int64)
        found[order] = self.starts[np.maximum(bucket[order], 0)] + before - before[first]
        return found

    def suppressing(self, labels: Mapping[str, Codes], groups: Codes | None = None) -> BucketRecoding:
        """Suppresses whole buckets."""
        return replace(self, assignment=self.assignment.suppressing(labels, groups))

    def summary(self) -> dict[str, Any]:
        """How many buckets there are, and which columns belong together."""
        kept = self.assignment.groups[self.assignment.groups >= 0]
        return {
            "kind": "buckets",
            "groups": len(np.unique(kept)),
            **self.buckets.to_dict(),
            "apart": self.separate_table,
        }

    def to_dict(self) -> dict[str, Any]:
        """The bucket of every combination, and what every bucket publishes."""
        return {
            "kind": "buckets",
            "buckets": self.buckets.to_dict(),
            "assignment": self.assignment.to_dict(),
            "starts": self.starts.tolist(),
            "moved": {name: codes.tolist() for name, codes in self.moved.items()},
            "labels": {name: labels.to_dict() for name, labels in self.labels.items()},
            "apart": self.separate_table,
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
            separate_table=plain["apart"],
            order=plain["order"],
        )
