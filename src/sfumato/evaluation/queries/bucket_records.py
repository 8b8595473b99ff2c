"""The records of a bucketized release, sorted by bucket, as the estimator needs them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.errors import SchemaError, nearest
from sfumato.kernels.arrays import Flags
from sfumato.knowledge.item import Item

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BucketRecords:
    """One position per record, sorted by bucket; values of different blocks at one position need not belong together.

    `codes` holds every column and `block` its block; bucket b has the positions `starts[b]` to `starts[b + 1]`.
    """

    codes: Mapping[str, NDArray[np.int32]]
    domains: Mapping[str, Domain]
    block: Mapping[str, int]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, table: Table, linkage: Linkage) -> BucketRecords:
        """One position for every record of a table of distinct rows with counts."""
        bucket = np.repeat(table.codes[linkage.bucket_column], table.counts)
        row = np.repeat(np.arange(len(table)), table.counts)[np.argsort(bucket, kind="stable")]
        first = np.flatnonzero(np.diff(table.codes[linkage.bucket_column][row], prepend=-1))
        block = {name: place for place, names in enumerate(linkage.blocks) for name in names if name in table.codes}
        codes = {name: table.codes[name][row] for name in block}
        domains = {name: table.domain(name) for name in block}
        return cls(MappingProxyType(codes), domains, block, np.append(first, len(row)))

    def __len__(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of records of each bucket."""
        return np.diff(self.starts)

    @cached_property
    def bucket(self) -> NDArray[np.int64]:
        """The bucket of every position."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def per_bucket(self, cells: NDArray[Any]) -> Numbers:
        """The sum of one number per position within each bucket."""
        if not len(self.sizes):
            return np.zeros(0)
        # Few matches: counting them is faster than adding up all positions.
        if cells.dtype == np.bool_ and 4 * np.count_nonzero(cells) < len(cells):
            return np.bincount(self.bucket[cells], minlength=len(self.sizes)).astype(np.float64)
        return np.add.reduceat(cells.astype(np.float64, copy=False), self.starts[:-1])

    def hits(self, where: Iterable[Item]) -> dict[int, Flags]:
        """For every block with an item, a mask of the positions where all items of that block hold."""
        found: dict[int, Flags] = {}
        for item in where:
            mask = item.true_of(self.domain(item.column)).take(self.codes[item.column])
            block = self.block[item.column]
            found[block] = found[block] & mask if block in found else mask
        return found

    def domain(self, column: str) -> Domain:
        """The domain of a column; refuses a column that is not published or not counted."""
        if column not in self.domains:
            raise SchemaError(f"column {column!r} cannot be queried; {nearest(column, self.domains)}")
        return self.domains[column]

    def numbers(self, column: str) -> Numbers:
        """The number at every position; refuses texts and dates, which have no sum."""
        domain = self.domain(column)
        if domain.numbers is None or domain.kind != "number":
            raise SchemaError(f"the values of {column!r} are {domain.kind}s, which cannot be added up.")
        return domain.numbers[self.codes[column]]
