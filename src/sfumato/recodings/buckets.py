"""Bucket recodings: the bucket of every record, and the order in which a bucket publishes the values of cut columns.

`operations.bucketize` builds them for algorithms such as anatomy, permutation and slicing.
"""

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
    """Cuts links: a record keeps the values of the first block and gets those of other blocks from its bucket.

    Bucket b publishes the codes `moved[column][starts[b]:starts[b + 1]]`. Their order depends on the values in the
    bucket and on random numbers, never on which record had which value. Every run of the assignment has positions of
    its own in its bucket, so the value that a record gets depends on its combination and its ordinal alone. With
    `separate_table` the moved columns are published in a table of their own, and a record gets only the number of its
    bucket. `order` is the seed of the shuffle of written records: their original order might disclose their values.
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
        """The blocks of columns, and the bucket column."""
        return self.buckets

    def shuffled(self, records: int) -> NDArray[np.int64]:
        """A random order of the records; drawn anew every time unless `order` is a seed."""
        return randomness(self.order).permutation(records)

    @property
    def separate_columns(self) -> tuple[str, ...]:
        """The moved columns, if they have a table of their own."""
        return self.buckets.moved if self.separate_table else ()

    def with_moved_values(self, rows: Table) -> Table:
        """The rows split into records, each with values of its bucket, assigned in row order."""
        from sfumato.kernels.equal_records import number_equal

        if self.separate_table:
            return rows
        records = rows.rows_at(np.repeat(np.arange(len(rows)), rows.counts), np.ones(rows.records, dtype=np.int64))
        bucket, used = records.codes[self.buckets.bucket_column], np.zeros(len(self.starts) - 1, dtype=np.int64)
        place = self.starts[bucket] + number_equal(bucket, used)
        moved = {name: values[place] for name, values in self.moved.items()}
        return replace(records, codes=MappingProxyType({**records.codes, **moved}))

    def domain(self, column: str) -> Domain:
        """The original values of a column that the assignment reads."""
        return self.assignment.domain(column)

    def _apply(self, codes: Mapping[str, Codes], numbered: Numbered | None) -> Applied:
        """Look up the bucket of a record by its combination, and its position in the bucket by its ordinal."""
        runs = self.assignment.runs(codes, numbered)
        applied = self.assignment.publish_runs(runs)
        if self.separate_table or numbered is None:
            return applied
        ends, quotas = self.assignment.ends, self.assignment.quotas
        if (numbered.ordinal >= ends[runs]).any():
            raise DataError("there are more records than the release was made from; anonymize the present data again.")
        # The ordinal of a record within its run is its ordinal in the combination minus the records of earlier runs.
        place = self._places[runs] + numbered.ordinal - (ends[runs] - quotas[runs])
        # Suppressed records have no bucket; position 0 only keeps the index valid, and their cells are not written.
        place = np.where(applied.suppressed, 0, place)
        moved = {name: values[place] for name, values in self.moved.items()}
        return Applied({**applied.labels, **moved}, applied.suppressed)

    @property
    def combinations(self) -> int:
        """All combinations, since equal records get different values, unless these have a table of their own."""
        return self.assignment.combinations if self.separate_table else len(self.assignment.starts) - 1

    def combination(self, codes: Mapping[str, Codes]) -> Codes:
        """The number of every record's combination in the assignment."""
        return self.assignment.combination(codes)

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """The index in `moved` at which the positions of each run begin; the runs of a bucket follow each other."""
        bucket, quotas = self.assignment.groups.astype(np.int64), self.assignment.quotas
        order = np.argsort(bucket, kind="stable")
        before = np.cumsum(quotas[order]) - quotas[order]
        first = np.searchsorted(bucket[order], bucket[order])
        found = np.empty(len(bucket), dtype=np.int64)
        # `before - before[first]` counts the records of earlier runs of the same bucket.
        found[order] = self.starts[np.maximum(bucket[order], 0)] + before - before[first]
        return found

    def suppressing(self, labels: Mapping[str, Codes], groups: Codes | None = None) -> BucketRecoding:
        """The same recoding that also suppresses the given buckets."""
        return replace(self, assignment=self.assignment.suppressing(labels, groups))

    def summary(self) -> dict[str, Any]:
        """The number of buckets, and the blocks of columns."""
        kept = self.assignment.groups[self.assignment.groups >= 0]
        return {
            "kind": "buckets",
            "groups": len(np.unique(kept)),
            **self.buckets.to_dict(),
            "apart": self.separate_table,
        }

    def to_dict(self) -> dict[str, Any]:
        """The bucket of every combination, and the values that every bucket publishes."""
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
        """Rebuild the recoding from the result of `to_dict`."""
        assignment = Recoding.from_dict(plain["assignment"])
        return cls(
            buckets=Linkage.from_dict(plain["buckets"]),
            assignment=assignment,  # type: ignore[arg-type]  # written by `to_dict`
            starts=np.array(plain["starts"], dtype=np.int64),
            moved={name: np.array(codes, dtype=np.int32) for name, codes in plain["moved"].items()},
            labels={name: Labels.from_dict(one) for name, one in plain["labels"].items()},
            separate_table=plain["apart"],
            order=plain["order"],
        )
