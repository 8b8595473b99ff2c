"""Cluster labels as a temporary target column: added before an algorithm runs, removed from its release afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.data.row_keys import Packing
from sfumato.data.schema import Column, Role
from sfumato.data.table import Table
from sfumato.recodings.recoding import GroupRecoding, Recoding
from sfumato.releases.table_candidate import TableCandidate
from sfumato.releases.table_release import TableRelease

NAME = "cluster"


def free_name(table: Table) -> str:
    """A name for the label that no column of the table or of its source has."""
    taken = {column.name for column in table.schema.columns} | set(table.codes)
    taken |= set(table.source.columns) if table.source is not None else set()
    names = (NAME if number == 1 else f"{NAME}_{number}" for number in count(1))
    return next(name for name in names if name not in taken)


def with_cluster_target(table: Table, labels: NDArray[np.int32], name: str) -> Table:
    """The table with the cluster of every row as its only target; other targets become plain columns meanwhile."""
    clusters = int(labels.max(initial=0)) + 1
    domain, codes = Domain.of(name, [str(number + 1) for number in range(clusters)], kind=Kind.TEXT)
    others = (
        replace(column, role=Role.PLAIN) if column.role is Role.TARGET else column for column in table.schema.columns
    )
    label = Column(name=name, role=Role.TARGET, kind=Kind.TEXT)
    return replace(
        table,
        schema=replace(table.schema, columns=(*others, label)),
        codes=MappingProxyType({**table.codes, name: codes[labels]}),
        domains={**table.domains, name: domain},
    )


def without_cluster_target(
    release: TableRelease, table: Table, name: str, provenance: Mapping[str, Any]
) -> TableRelease:
    """The same recoding as a release of the table itself, without the label column.

    The labels must be a function of the quasi values, as they are when quasi values were clustered.
    """
    candidate = release.candidate
    published = replace(
        candidate.published,
        schema=table.schema,
        codes=MappingProxyType({key: codes for key, codes in candidate.published.codes.items() if key != name}),
        domains={key: found for key, found in candidate.published.domains.items() if key != name},
    )
    recoding = _recoding_without(candidate.recoding, candidate, table, name)
    roles = {column.name: str(column.role) for column in table.schema.columns}
    return replace(
        release,
        candidate=replace(candidate, original=table, published=published, recoding=recoding),
        provenance={**release.provenance, "columns": roles, **provenance},
    )


def _recoding_without(recoding: Recoding, candidate: TableCandidate, table: Table, name: str) -> Recoding:
    """The recoding for records without the label column.

    Only a recoding that splits equal records between groups reads the label, as the last of its columns. The columns
    before it determine the label, so combinations keep their order without it and their numbers stay valid.
    """
    if not isinstance(recoding, GroupRecoding) or name not in recoding.reads:
        return recoding
    reads = tuple(column for column in recoding.reads if column != name)
    columns = [table.codes[column][candidate.origin] for column in reads]
    packing, _ = Packing.of(columns, [len(table.domains[column]) for column in reads])
    domains = {column: recoding.domains[column] for column in reads}
    return replace(recoding, reads=reads, packing=packing, domains=domains)
