"""Columns as coordinates: records of any kinds of columns become points, and similar records become near points.

Microaggregation, clustering and local search call `embed` before they compare records by distance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.errors import DataError
from sfumato.operations.project import projection
from sfumato.taxonomies.taxonomy import Taxonomy

Points = NDArray[np.float64]

_LARGEST = 1e150
"""Larger numbers are refused, because the sums of their squares could overflow."""
_COORDINATES = 64
"""A column with more categories than this is projected to this number of coordinates; distances stay about equal."""


def embed(table: Table, columns: Sequence[str], *, standardize: bool) -> Points:
    """One point for every row of the table.

    A number or date is one coordinate, and so is the rank of a category that has an order. Any other category has a
    coordinate for each of its ancestors in the taxonomy, so that two categories with a lower common ancestor are
    nearer; without a taxonomy all categories have the same distance. A missing number is placed at the mean, and one
    more coordinate says that it is missing. With `standardize` the squared distances in each column average 2 over all
    pairs.
    """
    parts = [_coordinates_of_codes(table, name, standardize)[table.codes[name]] for name in columns]
    return np.ascontiguousarray(np.concatenate(parts, axis=1), dtype=np.float64)


def numbers_of(table: Table, name: str) -> NDArray[np.float64] | None:
    """The number of every code of a column, or the rank of an ordered category; None where the column has neither."""
    domain = table.domain(name)
    if domain.numbers is not None:
        return domain.numbers
    builder = table.schema.column(name).taxonomy
    if builder is None or not builder.keeps_order:
        return None
    ranks = np.arange(len(domain), dtype=np.float64)
    ranks[domain.present :] = np.nan
    return ranks


def _coordinates_of_codes(table: Table, name: str, standardize: bool) -> Points:
    """The coordinates of every code of a column."""
    weights, numbers = table.histogram(name), numbers_of(table, name)
    if numbers is None:
        nodes = _indicators(table.taxonomies.get(name), len(table.domain(name)))
        return _standardize(nodes, weights, together=True) if standardize else nodes
    here = ~np.isnan(numbers)
    if np.abs(numbers[here]).max(initial=0.0) > _LARGEST:
        raise DataError(
            f"column {name!r} has numbers beyond {_LARGEST:g}, whose squares cannot be added up; if they stand for "
            "missing values, name them as missing, else scale the column."
        )
    middle = np.average(numbers[here], weights=weights[here]) if weights[here].any() else 0.0
    axis = np.where(here, numbers, middle)[:, None]
    if not here.all():
        # At the mean, a missing number is as near to the others as
        # possible; the extra coordinate keeps the missing ones together.
        axis = np.concatenate([axis, (~here)[:, None]], axis=1)
    return _standardize(axis, weights, together=False) if standardize else axis


def _indicators(taxonomy: Taxonomy | None, values: int) -> Points:
    """One indicator per ancestor of a value, without the root; values that only share the root have the distance 1."""
    # Two values differ in one indicator per level below their common node. Each level contributes the squared
    # distance 1, scaled by the number of levels, so values without a common node have the distance 1.
    levels = [np.arange(values)] if taxonomy is None else list(taxonomy.nodes[: max(taxonomy.height, 1)])
    found = []
    for level in levels:
        used, place = np.unique(level, return_inverse=True)
        table = np.sqrt(0.5) * np.eye(len(used)) if len(used) <= _COORDINATES else _projected_indicators(len(used))
        found.append(table[place])
    return np.asarray(np.concatenate(found, axis=1) / np.sqrt(len(levels)))


def _projected_indicators(values: int) -> Points:
    """Points for many values in few coordinates, at about equal distances."""
    return np.asarray(np.sqrt(0.5) * projection(values, _COORDINATES, matrix="gaussian", seed=0))


def _standardize(coordinates: Points, weights: NDArray[np.int64], *, together: bool) -> Points:
    """Centre the coordinates and scale them to variance 1: each by itself, or all of them together."""
    mean = np.average(coordinates, axis=0, weights=weights)
    variance = np.average((coordinates - mean) ** 2, axis=0, weights=weights)
    if together:
        # The coordinates of a category belong together: scaling
        # each one by itself would give rare categories more weight.
        variance = np.full_like(variance, variance.sum())
    scale = np.sqrt(np.where(variance > 0, variance, 1.0))
    return np.asarray((coordinates - mean) / scale)
