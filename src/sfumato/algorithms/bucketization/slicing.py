"""Slicing: blocks of associated columns, shuffled against each other inside buckets.

Holds the algorithm, the association of columns by which it chooses blocks, and `_EveryPart`, the model that each part
of a bucket must satisfy if quasi columns stay with the sensitive value.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.base import Bucketizing
from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups, Histogram
from sfumato.disclosure.linkage import Linkage, free_name
from sfumato.errors import ParameterError, SchemaError, UnsuitableError, listed, nearest
from sfumato.kernels.arrays import Flags
from sfumato.models.group_model import GroupModel
from sfumato.models.search_bounds import SearchBounds
from sfumato.runtime.secret_random import Randomness
from sfumato.settings.params import param

Columns = tuple[str, ...]
Codes = NDArray[np.int32]

_BINS = 10
"""Numbers are compared as this many ranges with about equally many records."""


@dataclass(frozen=True, kw_only=True)
class Slicing(Bucketizing):
    """Divides quasi columns into blocks and shuffles the blocks against each other inside each bucket.

    Strongly associated columns stay in one block, by the mean-square contingency coefficient (numbers as ranges), so
    that shuffling breaks mainly weak associations; `blocks` sets the blocks by hand. The sensitive value is alone, or
    in one block with the quasi columns most associated with it (`companions`). In that case the model must hold among
    the records of a bucket that agree on these columns. Buckets are cut as by `mondrian`, so their members are similar.
    Columns that are neither quasi nor sensitive stay with the first block.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import DistinctLDiversity
    >>> release = Slicing().anonymize(hospital(), DistinctLDiversity(l=2), seed=0)
    >>> release.candidate.linkage.blocks, sorted(release.groups.sizes.tolist())
    ((('Job', 'Sex'), ('Age',), ('Disease',)), [3, 4])

    References: Li, Li, Zhang and Molloy (2012), Slicing: a new approach for privacy preserving data publishing.
    """

    needs = Bucketizing.needs | {"kept_by_merging"}  # its buckets are cut from larger ones

    how_many: int = param(2, doc="the number of blocks of quasi columns without the sensitive value", at_least=1)
    companions: int = param(0, doc="the number of quasi columns that stay with the sensitive value", at_least=0)
    cut: Literal["best", "median"] = param("best", doc="how buckets are cut, as by mondrian; medians are quicker")
    blocks: tuple[str, ...] = param((), doc="the blocks, each as 'a,b'; sensitive columns may be named too")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.blocks and self.companions:
            raise ParameterError("'blocks' of Slicing say who stays with the secret; leave 'companions' at 0.")

    def prepare(self) -> None:
        """Compile the loops, or load them from the cache."""
        from sfumato.algorithms.mondrian.mondrian import Mondrian

        Mondrian().prepare()

    def _cut_linkage(self, table: Table) -> Linkage:
        schema = table.schema
        names = table.source.columns if table.source is not None else [column.name for column in schema.columns]
        with_sensitive, *others = self._blocks(table)
        first = others[0] if others else ()
        taken = {name for block in (with_sensitive, *others[1:]) for name in block} | set(schema.identifiers)
        whole = tuple(name for name in (*first, *names) if name not in taken)
        return Linkage(free_name(names), (tuple(dict.fromkeys(whole)), *others[1:], with_sensitive))

    def _blocks(self, table: Table) -> tuple[Columns, ...]:
        """The block of the sensitive value, then the blocks of the other quasi columns."""
        quasi, sensitive = table.schema.quasi, table.schema.sensitive
        if self.blocks:
            return self._blocks_from_setting(table.schema)
        with_sensitive = _closest_columns(table, quasi, sensitive, self.companions)
        others = tuple(name for name in quasi if name not in with_sensitive)
        return (*with_sensitive, *sensitive), *_correlated_blocks(table, others, self.how_many)

    def _blocks_from_setting(self, schema: Schema) -> tuple[Columns, ...]:
        """The blocks of the setting; raises an error for columns that are unknown, missing or in two blocks."""
        blocks = [tuple(name.strip() for name in row) for row in csv.reader(self.blocks, skipinitialspace=True) if row]
        named = [name for block in blocks for name in block]
        for name in named:
            if name not in (*schema.quasi, *schema.sensitive):
                hint = nearest(name, (*schema.quasi, *schema.sensitive))
                raise SchemaError(f"'blocks' of Slicing name {name!r}, which is neither quasi nor sensitive; {hint}")
        twice = {name for name in named if named.count(name) > 1}
        left = [name for name in schema.quasi if name not in named]
        if twice or left:
            raise SchemaError(f"every quasi column is in one block of Slicing; {listed(sorted(twice) or left)} is not.")
        # Blocks that contain a sensitive column become one block,
        # because sensitive columns are not separated from each other.
        with_sensitive = [name for block in blocks if set(block) & set(schema.sensitive) for name in block]
        with_sensitive += [name for name in schema.sensitive if name not in with_sensitive]
        return tuple(with_sensitive), *(block for block in blocks if not set(block) & set(schema.sensitive))

    def _choose_buckets(
        self, table: Table, row: NDArray[np.int64], model: GroupModel, random: Randomness
    ) -> NDArray[np.int32]:
        from sfumato.algorithms.mondrian.cutting import best_groups, median_groups

        companions, secret = self._companions(table), model.sensitive_columns(table.schema)[0]
        possible = self._possible(table, model)
        bucket = np.full(len(table), -1, dtype=np.int32)
        if possible.any():
            rows = table.rows_where(possible)
            # If columns stay with the sensitive value, an attacker who knows them sees only the records of the bucket
            # that agree on them. So the model must hold in each of these parts.
            asked, rows = _EveryPart.of(model, rows, secret, companions) if companions else (model, rows)
            # Rows are cut here, not records: equal rows stay in one
            # bucket, and `bucket[row]` passes it to every record.
            bucket[possible] = (best_groups if self.cut == "best" else median_groups)(rows, asked, sets=True)
        return bucket[row]

    def _companions(self, table: Table) -> Columns:
        """The quasi columns that stay with the sensitive value."""
        return tuple(name for name in self._blocks(table)[0] if name in table.schema.quasi)

    def _possible(self, table: Table, model: GroupModel) -> Flags:
        """Whether a row can be in a bucket: the model holds for all records that agree with it on the companions."""
        groups = Groups.of(table, self._companions(table))
        return model.holds(groups)[groups.labels]

    def _refuse_unsuitable(self, table: Table, model: GroupModel) -> None:
        super()._refuse_unsuitable(table, model)
        derived = [name for name in model.sensitive_columns(table.schema) if name not in table.schema.sensitive]
        if derived:
            raise UnsuitableError(
                f"{self.name()} tears apart who people are, and {model} asks for it; anatomy and injector keep it."
            )
        self._blocks(table)

    def _why(self, table: Table, model: GroupModel, suppression: float) -> str:
        companions, possible = self._companions(table), self._possible(table, model)
        if not companions or possible.all():
            return super()._why(table, model, suppression)
        gone = int(table.counts[~possible].sum())
        return (
            f"Those who agree on {listed(companions)}, which stays with the secret, fail it by themselves for {gone} "
            f"of {table.records} records: allow them to be suppressed, or let fewer columns stay."
        )


def _contingency(table: Table, one: str, other: str) -> float:
    """The mean-square contingency coefficient: 0 for independent columns, 1 if one column determines the other.

    The coefficient of a column with a single value is 0. Numbers are compared as ranges.

    >>> from sfumato.datasets import hospital
    >>> _contingency(hospital(), "Job", "Sex"), round(_contingency(hospital(), "Sex", "Disease"), 4)
    (1.0, 0.5625)

    References: Li, Li, Zhang and Molloy (2012), section 4.1.
    """
    return _coefficient(_bins_of_column(table, one), _bins_of_column(table, other), table.counts)


def _closest_columns(table: Table, columns: Sequence[str], to: Sequence[str], how_many: int) -> Columns:
    """The columns most associated with one of the others, in table order; on ties the first column."""
    strength = [max((_contingency(table, name, other) for other in to), default=0.0) for name in columns]
    best = np.argsort(-np.array(strength), kind="stable")[:how_many]
    return tuple(columns[place] for place in sorted(best.tolist()))


def _correlated_blocks(table: Table, columns: Sequence[str], how_many: int) -> tuple[Columns, ...]:
    """Blocks of associated columns: the two closest blocks are joined until `how_many` are left.

    The closeness of two blocks is the mean coefficient between a column of one and a column of the other.
    """
    blocks = [[place] for place in range(len(columns))]
    binned = [_bins_of_column(table, name) for name in columns]
    near = np.zeros((len(columns), len(columns)))
    for one, other in zip(*np.triu_indices(len(columns), k=1), strict=True):
        near[one, other] = near[other, one] = _coefficient(binned[one], binned[other], table.counts)
    while len(blocks) > how_many:
        pairs = [(one, other) for other in range(len(blocks)) for one in range(other)]
        first, second = max(pairs, key=lambda pair: near[np.ix_(blocks[pair[0]], blocks[pair[1]])].mean())
        blocks[first] += blocks.pop(second)
    return tuple(tuple(columns[place] for place in sorted(block)) for block in sorted(map(sorted, blocks)))


def _coefficient(one: Codes, other: Codes, counts: NDArray[np.int64]) -> float:
    """The coefficient of two columns of codes, where row i stands for `counts[i]` records."""
    rows, columns = (np.bincount(codes, weights=counts) for codes in (one, other))
    # With counts instead of frequencies, phi² is the sum of
    # n_ij² / (n_i n_j) - 1; this factor scales it to at most 1.
    kinds = min(np.count_nonzero(rows), np.count_nonzero(columns)) - 1
    if kinds < 1:
        return 0.0
    cells, place = np.unique(one.astype(np.int64) * len(columns) + other, return_inverse=True)
    frequency = np.bincount(place, weights=counts)
    expected = rows[cells // len(columns)] * columns[cells % len(columns)]
    return float(np.clip(((frequency**2 / expected).sum() - 1) / kinds, 0, 1))


def _bins_of_column(table: Table, name: str) -> Codes:
    """The codes of a column; many numbers are replaced by ranges with about equally many records.

    Missing values are a range of their own.
    """
    domain, codes = table.domain(name), table.codes[name]
    if domain.numbers is None or len(domain) <= _BINS:
        return codes
    order = np.argsort(domain.numbers, kind="stable")
    frequency = table.histogram(name)[order].astype(np.float64)
    # The number of a missing value is nan and is sorted to the end. It must not move the quantiles.
    frequency[domain.present :] = 0
    middle = np.cumsum(frequency) - frequency / 2
    bins = np.minimum(middle * _BINS / max(frequency.sum(), 1), _BINS - 1).astype(np.int32)
    bins[domain.present :] = _BINS
    bin_of = np.empty(len(domain), dtype=np.int32)
    bin_of[order] = bins
    return bin_of[codes]


@dataclass(frozen=True, kw_only=True)
class _EveryPart(GroupModel):
    """A model that holds in a group if another model holds in each part of it.

    The parts of a group are the records that agree on the companions. A derived column numbers the pairs of part and
    sensitive value that occur, by part and then by value, so that one histogram per group describes all parts.
    `part_of` and `value_of` have the part and the value of each number.
    """

    model: GroupModel
    secret: str
    column: str
    part_of: Codes = field(compare=False, repr=False)
    value_of: Codes = field(compare=False, repr=False)

    @classmethod
    def of(cls, model: GroupModel, table: Table, secret: str, companions: tuple[str, ...]) -> tuple[_EveryPart, Table]:
        """The model, and the table with the derived column; records of a part agree on all companions."""
        column, values, part = f"parts and {secret}", len(table.domain(secret)), table.group_numbers(companions)
        while column in table.codes:
            column += "_"
        # There are at most as many pairs as rows; parts times values may be too many to count in 32 bits or to list.
        pairs, codes = np.unique(part.astype(np.int64) * values + table.codes[secret], return_inverse=True)
        part_of, value_of = (pairs // values).astype(np.int32), (pairs % values).astype(np.int32)
        made = cls(model=model, secret=secret, column=column, part_of=part_of, value_of=value_of)
        domain = Domain(column, Kind.TEXT, tuple(map(str, range(len(pairs)))), None)
        return made, table.with_column(column, codes.astype(np.int32), domain)

    @property
    def required(self) -> float:
        """All parts must hold."""
        return 1.0

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The fraction of parts in which the model holds."""
        parts, starts = self.parts(groups)
        held = self.model.holds(parts).astype(np.float64)
        return np.add.reduceat(held, starts[:-1]) / np.diff(starts) if len(groups) else held

    def sensitive_columns(self, schema: Schema) -> tuple[str, ...]:
        """The derived column."""
        return (self.column,)

    @property
    def bounds(self) -> SearchBounds:
        """Those of the parts."""
        return _EveryPartBounds(self)

    def parts(self, groups: Groups) -> tuple[Groups, NDArray[np.int64]]:
        """The parts of all groups as groups, and the position of the first part of each group."""
        cells = groups.histogram(self.column)
        # The cells of a group are sorted by code, and codes by part. So the cells of a part are
        # neighbours, and a part starts wherever the key changes.
        key = cells.group.astype(np.int64) * (int(self.part_of.max(initial=-1)) + 1) + self.part_of[cells.values]
        first = np.flatnonzero(np.diff(key, prepend=-1))
        starts = np.append(first, len(key))
        sizes = np.add.reduceat(cells.counts, first) if len(first) else cells.counts
        whole, taxonomy = groups.whole(self.secret), groups.table.taxonomies.get(self.secret)
        histogram = Histogram(starts, self.value_of[cells.values], cells.counts, sizes, whole, taxonomy)
        parts = Groups(groups.schema, sizes, groups.table, None, {}, {self.secret: histogram})
        return parts, np.searchsorted(first, cells.starts)


@dataclass(frozen=True)
class _EveryPartBounds(SearchBounds):
    """Bounds of groups in each part of which a model holds."""

    model: _EveryPart

    def least_size(self) -> int:
        """A group is at least as large as a part."""
        return self.model.model.bounds.least_size()

    def max_groups(self, groups: Groups, least: int) -> NDArray[np.float64]:
        """The sum over all parts."""
        parts, starts = self.model.parts(groups)
        room = self.model.model.bounds.max_groups(parts, least)
        return np.add.reduceat(room, starts[:-1]) if len(groups) else room
