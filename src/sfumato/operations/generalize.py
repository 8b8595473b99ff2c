"""Generalize: replace values by less specific ones that are still true."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.labels import Labels
from sfumato.data.partition import Partition
from sfumato.data.table import Table, look_up
from sfumato.operations.grouped import candidate_of, grouped_candidate
from sfumato.recodings.recoding import ValueRecoding
from sfumato.releases.table_candidate import TableCandidate

Codes = NDArray[np.int32]


def generalize_levels(table: Table, levels: Mapping[str, int]) -> TableCandidate:
    """Full-domain generalization: every value of a column is replaced by its node at one level of the taxonomy."""
    nodes = {name: table.taxonomies[name].nodes[level] for name, level in levels.items()}
    cuts = {name: Labels.of_nodes(table.taxonomies[name], node) for name, node in nodes.items()}
    return generalize_values(table, cuts, levels)


def generalize_values(
    table: Table, cuts: Mapping[str, tuple[Labels, Codes]], levels: Mapping[str, int] | None = None
) -> TableCandidate:
    """Global recoding: every value of a column gets the same label wherever it occurs.

    A cut is a pair of the labels of a column and the label number of each code. Quasi columns without a cut keep their
    values, also those that other data have. Records are suppressed by the combination of their labels; so without any
    cut, all quasi columns get labels that are their values.
    """
    found = cuts or {name: _unchanged(table, name) for name in table.schema.quasi}
    labels = {name: cut[0] for name, cut in found.items()}
    label_of = {name: cut[1] for name, cut in found.items()}
    recoding = ValueRecoding(labels, label_of, dict(levels or {}))
    cells = {name: look_up(label_of[name], table.codes[name]) for name in found}
    return candidate_of(table, table, np.arange(len(table)), recoding, cells, None)


def _unchanged(table: Table, name: str) -> tuple[Labels, Codes]:
    """A label of its own for every value of a column: the value."""
    codes = np.arange(len(table.domain(name)), dtype=np.int32)
    return Labels.of_ranges(table.domain(name), table.taxonomies.get(name), codes, codes)


def generalize_groups(
    table: Table, partition: Partition, *, sets: bool, numbers_as_nodes: bool = False
) -> TableCandidate:
    """Local recoding: every group publishes the smallest range, taxonomy node or set that covers its values.

    Numbers and dates become tight closed intervals, or with `numbers_as_nodes` the lowest common node if the column has
    a taxonomy. Other columns become sets of the values present if `sets` is true or the column has no taxonomy, and the
    lowest common taxonomy node otherwise.
    """
    rows = table if partition.counts is None else table.rows_at(partition.row, partition.counts)
    labels, cells = cover_groups(rows, partition.group, sets=sets, numbers_as_nodes=numbers_as_nodes)
    return grouped_candidate(table, partition, labels, cells)


def cover_groups(
    rows: Table, groups: Codes, *, sets: bool, numbers_as_nodes: bool = False
) -> tuple[dict[str, Labels], dict[str, Codes]]:
    """The labels that cover the values of each group of rows, column by column, and the label of every group."""
    labels: dict[str, Labels] = {}
    cells: dict[str, Codes] = {}
    for name in rows.schema.quasi:
        labels[name], cells[name] = _cover(rows, name, groups, sets, numbers_as_nodes)
    return labels, cells


def _cover(table: Table, name: str, groups: Codes, sets: bool, numbers_as_nodes: bool) -> tuple[Labels, Codes]:
    domain, taxonomy, codes = table.domain(name), table.taxonomies.get(name), table.codes[name]
    if not domain.ordered and (sets or taxonomy is None):
        return Labels.of_sets(domain, taxonomy, groups, codes)
    how_many = int(groups.max()) + 1
    lo, hi = _extremes(groups, codes, how_many, domain)
    if taxonomy is None or (domain.ordered and not numbers_as_nodes):
        return Labels.of_ranges(domain, taxonomy, lo, hi)
    return Labels.of_nodes(taxonomy, taxonomy.lowest_common(lo, hi))


def _extremes(groups: Codes, codes: Codes, how_many: int, domain: Domain) -> tuple[Codes, Codes]:
    lo = np.full(how_many, len(domain), dtype=np.int32)
    hi = np.full(how_many, -1, dtype=np.int32)
    np.minimum.at(lo, groups, codes)
    np.maximum.at(hi, groups, codes)
    return lo, hi
