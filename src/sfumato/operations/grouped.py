"""Candidates in which every group has one label per column. `generalize` and `microaggregate` build them here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from sfumato.data.labels import Labels
from sfumato.data.partition import Partition
from sfumato.data.row_keys import Packing
from sfumato.data.table import Table
from sfumato.recodings.recoding import GroupRecoding, Recoding
from sfumato.releases.table_candidate import TableCandidate

Codes = NDArray[np.int32]


def grouped_candidate(
    table: Table, partition: Partition, labels: Mapping[str, Labels], cells: Mapping[str, Codes]
) -> TableCandidate:
    """A candidate that publishes every row under the labels of its group, given as `cells[column][group]`."""
    rows = table if partition.counts is None else table.rows_at(partition.row, partition.counts)
    recoding = _group_recoding(table, rows, partition, labels, cells)
    published = {name: cell[partition.group] for name, cell in cells.items()}
    return candidate_of(table, rows, partition.row, recoding, published, partition.group)


def candidate_of(
    table: Table,
    rows: Table,
    origin: NDArray[np.int64],
    recoding: Recoding,
    cells: Mapping[str, Codes],
    group_of: Codes | None,
) -> TableCandidate:
    """A candidate that publishes the cells of a table under labels; `cells[column]` has the label of every row."""
    made = {name: cell.astype(np.int32, copy=False) for name, cell in cells.items()}
    codes = MappingProxyType({**rows.codes, **made})
    published = replace(rows, codes=codes, domains={**table.domains, **recoding.labels})
    return TableCandidate(table, published, recoding, origin, np.zeros(len(rows), dtype=bool), group_of)


def _group_recoding(
    table: Table, rows: Table, partition: Partition, labels: Mapping[str, Labels], cells: Mapping[str, Codes]
) -> GroupRecoding:
    """The recoding from records to groups.

    If every distinct row lies in one group, records are looked up by their quasi columns. If rows are split between
    groups, they are looked up by all judged columns, and fill the groups of their combination one after the other.
    """
    reads = table.schema.quasi if partition.counts is None else table.schema.judged
    packing, number = Packing.of([rows.codes[name] for name in reads], [len(table.domains[name]) for name in reads])
    # A stable sort keeps the order of the runs of a combination, so that earlier records are placed first.
    order = np.argsort(number, kind="stable")
    owner, group = number[order], partition.group[order]
    # Neighbouring runs of one combination in the same group are joined.
    begins = np.append(True, (np.diff(owner) != 0) | (np.diff(group) != 0))
    quotas = np.bincount(np.cumsum(begins) - 1, weights=rows.counts[order]).astype(np.int64)
    owner, group = owner[begins], group[begins]
    starts = np.searchsorted(owner, np.arange(len(packing) + 1)).astype(np.int64)
    domains = {name: table.domain(name) for name in reads}
    return GroupRecoding(labels, reads, packing, starts, group.astype(np.int32), quotas, cells, domains)
