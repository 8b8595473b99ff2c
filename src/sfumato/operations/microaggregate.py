"""Microaggregate: publish for every record a representative value of its group: mean, median or most frequent value."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.labels import Labels
from sfumato.data.partition import Partition
from sfumato.data.table import Table
from sfumato.errors import ParameterError
from sfumato.operations import centroids
from sfumato.operations.grouped import grouped_candidate
from sfumato.releases.table_candidate import TableCandidate
from sfumato.taxonomies.taxonomy import Taxonomy

Codes = NDArray[np.int32]
Centroid = str | Callable[[NDArray[np.float64]], float]
Parts = Sequence[tuple[Sequence[str], Codes]]
_CELLS = 4_000_000
"""Cells of the histograms that are computed at a time."""


def microaggregate(
    table: Table,
    row: NDArray[np.int64],
    parts: Parts,
    *,
    centroid: Centroid = "mean",
    category: str = "mode",
) -> TableCandidate:
    """A candidate in which every group publishes the centroid of its numbers and the most typical of its categories.

    Record i belongs to row `row[i]` of the table. A part is some columns and the group of every record in them; columns
    of different parts are grouped differently. `centroid` is the name of a function in `operations.centroids`, or a
    function from the numbers of a group to one number. A value is published as missing if it is missing in at least
    half of its group.

    >>> from sfumato.data.schema import Schema
    >>> ages = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["20", "21", "40", "45"]})
    >>> groups = np.array([0, 0, 1, 1], dtype=np.int32)
    >>> microaggregate(ages, np.arange(4), [(["age"], groups)]).recoding.labels["age"].texts
    ('20.5', '42.5')
    """
    joint, groups_of_part = _common_groups([groups for _, groups in parts])
    labels: dict[str, Labels] = {}
    cells: dict[str, Codes] = {}
    for (columns, groups), part in zip(parts, groups_of_part, strict=True):
        for name in columns:
            labels[name], cell = _centroids(table, name, table.codes[name][row], groups, centroid, category)
            cells[name] = cell[part]
    ordered = {name: labels[name] for name in table.schema.quasi if name in labels}
    return grouped_candidate(table, Partition.of_records(row, joint), ordered, cells)


def _common_groups(parts: Sequence[Codes]) -> tuple[Codes, list[Codes]]:
    """The groups of records that agree on every part, and for each of them its group in every part."""
    joint = parts[0].astype(np.int64)
    for groups in parts[1:]:
        joint = np.unique(joint * (int(groups.max()) + 1) + groups, return_inverse=True)[1]
    first = np.empty(int(joint.max()) + 1, dtype=np.int64)
    first[joint] = np.arange(len(joint))
    return joint.astype(np.int32), [groups[first] for groups in parts]


def _centroids(
    table: Table, name: str, codes: Codes, groups: Codes, centroid: Centroid, category: str
) -> tuple[Labels, Codes]:
    domain, taxonomy = table.domain(name), table.taxonomies.get(name)
    if domain.numbers is not None:
        lo, hi = _extremes(codes, groups, domain)
        return Labels.of_numbers(domain, taxonomy, lo, hi, _numbers(domain.numbers[codes], groups, centroid))
    # Categories with an order publish their median; the most frequent value ignores the order.
    builder = table.schema.column(name).taxonomy
    ordinal = builder is not None and builder.keeps_order
    examples = _examples(domain, None if ordinal else taxonomy, codes, groups, "median" if ordinal else category)
    return Labels.of_examples(domain, taxonomy, groups, codes, examples)


def _numbers(numbers: NDArray[np.float64], groups: Codes, centroid: Centroid) -> NDArray[np.float64]:
    """The centroid of the numbers of every group; NaN if at least half of them are missing."""
    here = ~np.isnan(numbers)
    sizes, present = np.bincount(groups), np.bincount(groups[here], minlength=int(groups.max()) + 1)
    known = present * 2 > sizes
    kept = here & known[groups]
    # Groups with enough numbers, numbered without gaps, as the functions of centroids require.
    place = np.cumsum(known) - 1
    found = np.full(len(sizes), np.nan)
    if kept.any():
        found[known] = _centroid_function(centroid)(numbers[kept], place[groups[kept]].astype(np.int64))
    return found


def _centroid_function(centroid: Centroid) -> centroids.PerGroup:
    if callable(centroid):
        return centroids.each(centroid)
    if centroid not in centroids.NAMES:
        raise ParameterError(f"'centroid' must be one of {', '.join(centroids.NAMES)}; got {centroid!r}.")
    found: centroids.PerGroup = getattr(centroids, centroid)
    return found


def _examples(domain: Domain, taxonomy: Taxonomy | None, codes: Codes, groups: Codes, category: str) -> Codes:
    """The value that every group publishes in a column of categories; computed in batches of groups to save memory."""
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups))
    step = max(_CELLS // len(domain), 1)
    found = []
    for first in range(0, len(ends), step):
        part = order[ends[first - 1] if first else 0 : ends[min(first + step, len(ends)) - 1]]
        counts = centroids.histograms(codes[part], groups[part] - np.int32(first), len(domain))
        found.append(_typical(domain, taxonomy, counts, category))
    return np.concatenate(found)


def _typical(domain: Domain, taxonomy: Taxonomy | None, counts: NDArray[np.int64], category: str) -> Codes:
    if not domain.has_missing:
        return centroids.typical(counts, taxonomy, category)
    missing = counts[:, -1] * 2 >= counts.sum(axis=1)
    examples = centroids.typical(counts[:, :-1], taxonomy, category) if domain.present else 0
    return np.where(missing, domain.present, examples).astype(np.int32)


def _extremes(codes: Codes, groups: Codes, domain: Domain) -> tuple[Codes, Codes]:
    lo = np.full(int(groups.max()) + 1, len(domain), dtype=np.int32)
    hi = np.full(int(groups.max()) + 1, -1, dtype=np.int32)
    np.minimum.at(lo, groups, codes)
    np.maximum.at(hi, groups, codes)
    return lo, hi
